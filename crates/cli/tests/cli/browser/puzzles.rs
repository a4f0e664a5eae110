//! Puzzles: the one of the day with its streak, and those with addresses of their own.

use super::page::Person;
use super::{choose, stage};

/// Runs before the page's scripts: it is noon on this day.
const TODAY: &str = "{
    const real = Date;
    window.Date = class extends real {
        constructor(...from) { from.length ? super(...from) : super('2026-11-19T12:00:00'); }
    };
}";

#[test]
fn the_puzzle_of_the_day_is_solved_and_begins_a_streak() {
    let Some((browser, server)) = stage() else { return };
    for (first, solved, streak) in
        [("2", "Solved.", "Streak: 1 day, including today."), ("1", "Solved, after 1 mistake.", "")]
    {
        let page = Person::new(browser).tab();
        page.before_scripts(TODAY);
        page.go(&server.url);
        page.click("link", "Puzzle of the day");
        page.find("heading", "Puzzle of the day");
        page.sees("Player 2 to move and win in 5: find the only move.");
        choose(&page, first);
        if first == "1" {
            page.announces("Move 1 gives the win away. Try another move.");
            choose(&page, "2");
        }
        page.sees("Player 2 to move and win in 3.");
        choose(&page, "2");
        page.sees("Player 2 to move and win in 1.");
        choose(&page, "2");
        page.announces(solved);
        page.sees("You have solved 1 of the 12 puzzles of Capture and Conquer.");
        assert_eq!(page.text().contains("Streak"), !streak.is_empty());
        page.sees(streak);
    }
}

#[test]
fn a_puzzle_solved_after_midnight_counts_for_its_own_day() {
    let Some((browser, server)) = stage() else { return };
    let page = Person::new(browser).tab();
    page.before_scripts(TODAY);
    page.go(&format!("{}/puzzle", server.url));
    page.sees("Player 2 to move and win in 5: find the only move.");
    page.evaluate(&format!("{{ {} }}; 0", TODAY.replace("11-19", "11-20")));
    for left in ["win in 3.", "win in 1.", "Streak: 1 day."] {
        choose(&page, "2");
        page.sees(left);
    }
}

#[test]
fn every_puzzle_has_its_own_address() {
    let Some((browser, server)) = stage() else { return };
    let page = Person::new(browser).open(&format!("{}/puzzle/base-battle", server.url));
    page.find("heading", "Puzzle 1");
    page.click("radio", "casual");
    page.wait("location.search === '?level=casual&number=1'");
    page.click("link", "Next puzzle");
    page.wait("location.search === '?level=casual&number=2'");
    page.find("heading", "Puzzle 2");
    page.sees("Base Battle, casual");
    page.tolerate("the server responded with a status of 404");
    page.go(&format!("{}/puzzle/base-battle?level=casual&number=99", server.url));
    page.sees("Base Battle has no puzzle 99 at the casual level.");
    page.go(&format!("{}/puzzle/chess", server.url));
    page.find("heading", "There is no such puzzle");
}

#[test]
fn a_mix_is_guessed_in_percent() {
    let Some((browser, server)) = stage() else { return };
    let page = Person::new(browser).open(&format!("{}/puzzle/command-clash?number=1", server.url));
    page.sees("find Player 2's best mix, worth +0.45 to Player 2.");
    page.click("button", "Check");
    page.sees("The best answer to it is");
    let best = [("Charge", "36"), ("Attack", "20"), ("Special Attack", "44"), ("Shield", "0")];
    for (name, share) in best {
        page.evaluate(&format!(
            "document.querySelector('[aria-label^=\"{name}\"]').value = {share}"
        ));
    }
    page.click("button", "Check");
    page.announces("Solved, after 1 mistake.");
}
