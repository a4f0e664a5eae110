//! Describes boards in sentences, for screen readers.

use skirmish_rules::{Names, Piece, Scene, Side, Table};

/// Describes everything shown in the picture of a position.
pub fn describe(table: &dyn Table) -> String {
    let (scene, names) = (table.scene(), table.names());
    let mut sentences: Vec<String> =
        Side::ALL.into_iter().filter_map(|side| placed(&scene, names, side)).collect();
    if let Some(gauges) = scene.gauges {
        sentences.extend(Side::ALL.map(|side| {
            let gauge = gauges[side];
            format!("{} has {} of {} {}.", names[side], gauge.value, gauge.max, gauge.label)
        }));
    }
    sentences.join("\n")
}

/// Describes the last turn and the board after it.
pub fn report(table: &dyn Table) -> String {
    let events = table.last_turn().into_iter().map(|telling| telling.sentence);
    events.chain([describe(table)]).collect::<Vec<String>>().join("\n")
}

/// Describes a side's pieces and, in a race, their goal; `None` if the game has no line.
fn placed(scene: &Scene, names: &Names, side: Side) -> Option<String> {
    let track = scene.track?;
    let mut own: Vec<&Piece> = scene.pieces.iter().filter(|piece| piece.side == side).collect();
    let mut groups = Vec::new();
    while let Some(&first) = own.first() {
        let count = own.iter().filter(|piece| **piece == first).count();
        own.retain(|piece| *piece != first);
        groups.push(group(*first, count));
    }
    let where_to = if groups.is_empty() {
        "has no piece on the board".to_owned()
    } else {
        format!("has {}", skirmish_rules::conjunction(groups))
    };
    let (first, last) = (track.first, track.last);
    let goal = track.goal.map_or_else(
        || format!("the line has positions {first} to {last}"),
        |goal| format!("the goal is position {} of {first} to {last}", goal[side]),
    );
    Some(format!("{} {where_to}; {goal}.", names[side]))
}

fn group(piece: Piece, count: usize) -> String {
    let noun = if count == 1 { "a piece".to_owned() } else { format!("{count} pieces") };
    match piece.strength {
        None => format!("{noun} on position {}", piece.at),
        Some(strength) => format!("{noun} of strength {strength} on position {}", piece.at),
    }
}

#[cfg(test)]
mod tests {
    use skirmish_rules::GAMES;

    use super::*;

    fn described(game: &str, turns: &[&str]) -> String {
        let entry = GAMES.find(game).expect("the game exists");
        let mut table = entry.open(entry.setup()).expect("the usual start");
        for turn in turns {
            table.play(turn).expect("a legal turn");
        }
        describe(&*table)
    }

    #[test]
    fn pieces_and_their_goals_are_described() {
        assert_eq!(
            described("base-battle", &["2"]),
            "Player 1 has a piece on position 2; the goal is position 10 of 0 to 10.\n\
             Player 2 has a piece on position 10; the goal is position 0 of 0 to 10."
        );
        let units = described("command-line-conquer", &["m0", "m10", "r", "r", "r"]);
        assert!(
            units.starts_with(
                "Player 1 has 2 pieces of strength 1 on position 0 and a piece of strength 2 on position 1;"
            ),
            "{units}"
        );
    }

    #[test]
    fn gauges_are_described() {
        assert_eq!(
            described("command-clash", &["charge|attack"]),
            "Player 1 has 4 of 5 CP.\nPlayer 2 has 4 of 5 CP."
        );
    }
}
