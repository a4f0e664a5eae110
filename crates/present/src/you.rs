//! Addresses a player as "you", in the words that otherwise use both names.

use skirmish_play::player::Level;
use skirmish_rules::{Both, Names, Side, Table, Telling};

/// Stand-ins for the players' names; no other text contains them.
const STAND_INS: Both<&str> = Both::new("\u{e000}", "\u{e001}");

/// A text about both players, addressed to `viewer` if one of them reads it alone. `text` words it with the given names,
/// in the third person.
#[must_use]
pub fn told(viewer: Option<Side>, names: &Names, text: impl FnOnce(&Names) -> String) -> String {
    match viewer {
        Some(side) => address(&text(&stand_ins()), side, names),
        None => text(names),
    }
}

/// The events of the last turn, addressed to `viewer` if one of the players reads them alone.
#[must_use]
pub fn last_turn(table: &dyn Table, viewer: Option<Side>) -> Vec<Telling> {
    let Some(side) = viewer else { return table.last_turn() };
    let mut tellings = table.last_turn_with(&stand_ins());
    for telling in &mut tellings {
        telling.sentence = address(&telling.sentence, side, table.names());
    }
    tellings
}

/// The sentences of the last turn, addressed to each player whom they mention.
pub(crate) fn sentences(table: &dyn Table) -> impl Iterator<Item = Both<Option<String>>> {
    table.last_turn_with(&stand_ins()).into_iter().map(|Telling { sentence, .. }| {
        Both::from_fn(|side: Side| {
            let names = [STAND_INS[side], side.token(), YOURS];
            let is_mentioned = names.iter().any(|name| sentence.contains(name));
            let has_level = opponent(table.names(), side) != table.names().short(side.other());
            (is_mentioned || has_level).then(|| address(&sentence, side, table.names()))
        })
    })
}

/// What belongs to the player, in a clause about the opponent.
const YOURS: &str = "the opponent's";

/// What a player who is addressed as "you" calls the opponent: a computer player goes by its level.
#[must_use]
pub fn opponent(names: &Names, side: Side) -> String {
    let other = side.other();
    let level = names[other].strip_prefix(&format!("{other} ("));
    match level.and_then(|level| level.strip_suffix(')')) {
        Some(level) if Level::ALL.iter().any(|it| it.name() == level) => capital(level),
        Some(_) => names[other].clone(),
        None => names.short(other).to_owned(),
    }
}

/// The text with its first letter in upper case.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn stand_ins() -> Names {
    STAND_INS.map(str::to_owned)
}

/// Rewrites a text with stand-ins, clause by clause.
fn address(text: &str, side: Side, names: &Names) -> String {
    let (you, other) = (STAND_INS[side], STAND_INS[side.other()]);
    // Command Line Conquer names the owners of units by their seats.
    let mut text = text.to_owned();
    for seat in Side::ALL.into_iter().filter(|seat| text.contains(seat.token())).collect::<Vec<_>>()
    {
        text = text.replace(&format!("{}'s ", seat.token()), &format!("{}'s ", STAND_INS[seat]));
    }
    let mut is_start = true;
    let mut shown = String::new();
    for part in text.split_inclusive(['.', '!', ':', ';', '(', '\n']) {
        let words = part.trim_start_matches(' ');
        shown.push_str(&" ".repeat(part.len() - words.len()));
        let is_mentioned = words.contains(you) || words.contains(YOURS);
        let clause = if is_mentioned { clause(words, you) } else { words.to_owned() };
        shown.push_str(&if is_start { capital(&clause) } else { clause });
        is_start = part.ends_with(['.', '!', '\n']) && !part.ends_with("vs.");
    }
    shown.replace(other, &opponent(names, side))
}

/// Rewrites a clause about the player. If its subject is the player, its verbs and pronouns change as well.
fn clause(text: &str, you: &str) -> String {
    let text = text.replace(&format!("{you}'s "), "your ");
    if let Some(question) = text.strip_prefix(you).and_then(|rest| rest.strip_prefix(", ")) {
        return question.to_owned();
    }
    let Some(predicate) = text.strip_prefix(you).and_then(|rest| rest.strip_prefix(' ')) else {
        return text.replace(you, "you").replace(YOURS, "your");
    };
    // Points: `Ann CP`.
    if predicate.starts_with(|letter: char| letter.is_uppercase()) {
        return format!("your {predicate}");
    }
    let mut words = vec!["you".to_owned()];
    let mut is_verb = true;
    for word in predicate.split(' ') {
        words.push(match word {
            _ if is_verb => second_person(word),
            "their" => "your".to_owned(),
            _ => word.replace(you, "you"),
        });
        is_verb = word == "and";
    }
    words.join(" ")
}

/// The form of a verb after "you": `moves` becomes `move`.
fn second_person(verb: &str) -> String {
    let end = verb.trim_end_matches(|letter: char| !letter.is_alphabetic()).len();
    let (verb, rest) = verb.split_at(end);
    let verb = match verb {
        "is" => "are",
        "has" => "have",
        _ if ["ches", "shes", "sses"].iter().any(|end| verb.ends_with(end)) => {
            &verb[..verb.len() - 2]
        }
        _ => verb.strip_suffix('s').unwrap_or(verb),
    };
    format!("{verb}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sixth::SIX_GAMES;
    use crate::tests::random_positions;

    fn told_to(side: Side, game: &str, position: &str, turn: &str) -> Vec<String> {
        let entry = SIX_GAMES.find(game).unwrap();
        let names = Both::new("Ann".to_owned(), "Player 2 (casual)".to_owned());
        let position = Some(position.to_owned());
        let mut table =
            entry.open(skirmish_rules::Setup { names, position, ..entry.setup() }).unwrap();
        table.play(turn).unwrap();
        last_turn(&*table, Some(side)).into_iter().map(|telling| telling.sentence).collect()
    }

    #[test]
    fn the_players_own_deeds_are_in_the_second_person() {
        let [one, two] = Side::ALL;
        assert_eq!(
            told_to(one, "base-battle", "3/6/1", "2"),
            ["You move 2 positions to position 5.", "Casual is pushed back to position 7."]
        );
        assert_eq!(
            told_to(two, "base-battle", "3/6/1", "2"),
            ["Ann moves 2 positions to position 5.", "You are pushed back to position 7."]
        );
        assert_eq!(
            told_to(one, "base-battle", "8/6/1", "2")[1],
            "You reach the opponent's base and win the game."
        );
        assert_eq!(
            told_to(two, "base-battle", "8/6/1", "2")[1],
            "Ann reaches your base and wins the game."
        );
        assert_eq!(
            told_to(one, "base-battle", "9/10/1", "pass"),
            ["You have no valid move: the turn passes to Casual."]
        );
        assert_eq!(
            told_to(two, "capture-and-conquer", "3/5/1", "2")[1],
            "Battle occurs at position 5!\nAnn wins the battle.\nYour unit is sent back to base."
        );
        assert_eq!(
            told_to(one, "command-line-conquer", "4/5,9/1", "m4")[1],
            "Battle: your unit (strength 5) vs. Casual's unit at position 5 (strength 5).\n\
             Both units have equal strength. Both units are destroyed."
        );
        assert_eq!(
            told_to(one, "command-clash", "1/2", "attack|charge"),
            [
                "You attack! (Cost: 1 CP; your CP: 0)",
                "Casual charges and gains +1 CP! (Casual CP: 3)",
                "Casual takes 1 damage. (Casual CP: 2)",
                "You have spent your last CP!\nCasual wins the game!"
            ]
        );
    }

    #[test]
    fn events_of_all_games_address_the_player_correctly() {
        let mut seen = 0;
        random_positions(|table| {
            for side in Side::ALL {
                for Telling { sentence, .. } in last_turn(table, Some(side)) {
                    let own =
                        [table.names()[side].as_str(), side.token(), STAND_INS.one, STAND_INS.two];
                    assert!(!own.iter().any(|name| sentence.contains(name)), "{sentence}");
                    let words: Vec<&str> = sentence.split_whitespace().collect();
                    for pair in words.windows(2).filter(|pair| pair[0] == "You") {
                        assert!(!pair[1].ends_with('s'), "{sentence}");
                        seen += 1;
                    }
                }
            }
        });
        assert!(seen > 1000, "only {seen} sentences are about the player");
    }

    #[test]
    fn questions_and_other_texts_address_the_player() {
        let names = Both::new("Ann".to_owned(), "Bob".to_owned());
        let mine = |text: fn(&Names) -> String| told(Some(Side::One), &names, text);
        assert_eq!(
            mine(|names| format!("{}, do you resign? y or n", names.one)),
            "Do you resign? y or n"
        );
        assert_eq!(mine(|names| format!("{}, your move", names.one)), "Your move");
        assert_eq!(
            mine(|names| crate::words::toss(names, Side::One)),
            "The coin toss decides: you start."
        );
        assert_eq!(
            mine(|names| format!("{} resigns.\n{} wins the game!", names.one, names.two)),
            "You resign.\nBob wins the game!"
        );
        assert_eq!(told(None, &names, |names| format!("{} moves", names.one)), "Ann moves");
    }
}
