//! The menu in lines, at `skirmish play` and `skirmish --plain`: a game, an opponent, who starts.

use anyhow::Result;
use skirmish_play::player::{Level, Player};
use skirmish_play::{First, Proposal};
use skirmish_rules::{Both, Catalog, Side, Starter, alternatives};
use skirmish_store::Store;

use crate::args::{PlayArgs, ScreenArgs};
use crate::exit::Exit;
use crate::line::Console;
use crate::{output, play};

pub(crate) fn run(screen: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    let mut console = Console::open();
    output::print_line("Skirmish: two-player strategy games\n")?;
    let latest = Store::locate().map(|store| store.latest(catalog)).unwrap_or_default();
    for error in &latest.damaged {
        output::eprint_line(format_args!("A saved game is damaged: {error}"));
    }
    let saved = latest.game;
    let mut items: Vec<String> =
        catalog.iter().map(|entry| format!("{:<21} {}", entry.name, entry.summary)).collect();
    if let Some((_, record)) = &saved {
        let turns = record.turns.len();
        items.push(format!("Go on with {}, saved after turn {turns}", record.entry.name));
    }
    let chosen = choose(&mut console, "Which game?", &items)?;
    let Some(entry) = catalog.iter().nth(chosen) else {
        let (file, _) = saved.expect("only a saved game adds an item");
        return play::from_save(file, screen, catalog);
    };

    let levels =
        Level::ALL.iter().map(|level| format!("the computer, {level}: it {}", level.about()));
    let opponents: Vec<String> =
        std::iter::once("a second player at this terminal".to_owned()).chain(levels).collect();
    let opponent = match choose(&mut console, "Against whom?", &opponents)? {
        0 => Player::Human,
        number => Player::Computer(Level::ALL[number - 1]),
    };

    let first = match entry.starter {
        Starter::PlayerOne | Starter::Nobody => None,
        Starter::Toss => {
            let starters = ["a coin toss decides", "Player 1", "Player 2"].map(str::to_owned);
            match choose(&mut console, "Who starts?", &starters)? {
                1 => Some(First::Side(Side::One)),
                2 => Some(First::Side(Side::Two)),
                _ => Some(First::Toss),
            }
        }
    };
    output::print("\n")?;
    drop(console);
    let players = Both::new(Player::Human, opponent);
    let proposal = Proposal { players, first, ..Proposal::new(entry) };
    play::propose(proposal, &PlayArgs::default(), screen, catalog)
}

/// Asks until one of the items is chosen, and returns its index. Enter alone chooses the first.
fn choose(console: &mut Console, question: &str, items: &[String]) -> Result<usize> {
    output::print_line(question)?;
    for (index, item) in items.iter().enumerate() {
        output::print_line(format_args!("  {}  {item}", index + 1))?;
    }
    loop {
        let answer = console.ask_text("Enter a number, or q to quit [1]: ")?.trim().to_lowercase();
        if answer.is_empty() {
            return Ok(0);
        }
        if "quit".starts_with(&answer) {
            return Err(Exit::Done.into());
        }
        match answer.parse::<usize>() {
            Ok(number) if (1..=items.len()).contains(&number) => return Ok(number - 1),
            _ => output::print_line(format_args!("Enter {}.", alternatives(1..=items.len())))?,
        }
    }
}
