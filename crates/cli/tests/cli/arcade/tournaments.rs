//! Tournaments in the arcade.

use super::{arcade, leave};
use crate::support::Home;

#[test]
fn a_tournament_is_watched_and_one_of_its_games_opened() {
    let home = Home::new();
    let args = ["tournament", "base-battle", "novice", "perfect", "--games", "2", "--tui"];
    let mut terminal = arcade(&home, &args);
    terminal.see("2 of 2 games  finished");
    terminal.press("\r");
    terminal.see("perfect against novice");
    terminal.escape();
    terminal.see("Standings");
    leave(terminal);
}
