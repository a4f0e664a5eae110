//! Formats facts about games on a server: terms, times and offers.

use skirmish_room::wire::{LobbyGame, Offer, Seated};
pub(super) use skirmish_room::words::offers;
use skirmish_room::{Millis, Terms};
use skirmish_rules::{Both, Catalog, conjunction};

/// An offer, as the object of "accepts" or "declines".
pub(super) const fn answered(what: Offer) -> &'static str {
    match what {
        Offer::Draw => "the draw",
        Offer::Takeback => "the takeback",
        Offer::Rematch => "the rematch",
    }
}

/// Says that the reader makes an offer.
pub(super) const fn you_offer(what: Offer) -> &'static str {
    match what {
        Offer::Draw => "You offer a draw.",
        Offer::Takeback => "You ask to take back your last turn.",
        Offer::Rematch => "You offer a rematch.",
    }
}

/// Formats the time on a clock: `4:05`, `1:02:03`, `2 d 5 h`.
pub(super) fn clock_time(left: Millis) -> String {
    let seconds = left.div_ceil(1000);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match hours {
        0 => format!("{minutes}:{:02}", seconds % 60),
        1..=47 => format!("{hours}:{:02}:{:02}", minutes % 60, seconds % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// Milliseconds until [`clock_time`] next changes.
pub(super) const fn next_tick(left: Millis) -> Millis {
    // Displayed times are rounded up, so they change just after a full second.
    left.saturating_sub(1) % 1000 + 1
}

/// The name of the game, or its id if this program does not know the game.
pub(super) fn game_name(terms: &Terms, games: Catalog) -> String {
    games.find(&terms.game).map_or_else(|_| terms.game.clone(), |entry| entry.name.to_owned())
}

/// Formats the terms, without the game, as a line.
pub(super) fn terms(terms: &Terms, games: Catalog) -> String {
    let mut parts = vec![terms.clock.words()];
    let proposal = terms.proposal(games);
    let rules = proposal.map(|proposal| proposal.settings.changes()).unwrap_or_default();
    if !rules.is_empty() {
        parts.push(rules);
    }
    if let Some(games) = terms.games {
        parts.push(format!("best of {games}"));
    }
    if terms.rated {
        parts.push("rated".to_owned());
    }
    if terms.hints {
        parts.push("hints allowed".to_owned());
    }
    if !terms.spectators {
        parts.push("no spectators".to_owned());
    }
    parts.join(", ")
}

/// The players of a game: `Ann`, `Ann and Bob`.
pub(super) fn players(game: &LobbyGame) -> String {
    let players: Both<Option<Seated>> = game.players.clone().into();
    let names = [players.one, players.two].into_iter().flatten();
    conjunction(names.map(|player| player.with_rating()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_up_and_say_when_they_change() {
        for (left, shown) in [
            (0, "0:00"),
            (1, "0:01"),
            (1000, "0:01"),
            (61_500, "1:02"),
            (3_600_000, "1:00:00"),
            (172_800_000, "2 d 0 h"),
        ] {
            assert_eq!(clock_time(left), shown, "{left}");
            if left > 0 && left < 3_600_000 {
                let tick = next_tick(left);
                assert_eq!(clock_time(left - tick + 1), shown, "{left}");
                assert_ne!(clock_time(left - tick), shown, "{left}");
            }
        }
    }
}
