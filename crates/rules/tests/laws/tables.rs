//! The laws of a table: refusals change nothing, undo restores the exact state, nothing reveals a pending choice, forks
//! are independent, and replaying the record reproduces the table.

use skirmish_rules::{
    Both, Choice, Entry, Outcome, Prompt, Record, Refusal, Scene, Settings, Setup, Side, Submitted,
    Table, Telling,
};

use crate::dice::Dice;
use crate::exhaustive::rows;
use crate::sixth::SIX_GAMES;

/// The width of a typical terminal.
const WIDTH: usize = 80;

/// The number of turns between two rounds of typing all inputs, which is slow.
const TYPING_TURNS: usize = 4;

/// Input that is never a move, or is a move only in some games and positions.
const TYPED: [&str; 20] = [
    "",
    " ",
    "xyzzy",
    "-1",
    "+1",
    "0",
    "1",
    "2",
    "3",
    "9",
    "10",
    "m0",
    "move 10",
    "m254",
    "r",
    "s",
    "special",
    "SHIELD",
    "pass",
    "\u{1b}[2J",
];

/// Everything that is visible of a table.
#[derive(Debug, PartialEq)]
struct Look {
    position: String,
    scene: Scene,
    outcome: Option<Outcome>,
    turn: Vec<Side>,
    to_act: Vec<Side>,
    choices: Both<Vec<Choice>>,
    prompts: Vec<Prompt>,
    history: Vec<String>,
    last_turn: Vec<Telling>,
    texts: [String; 3],
}

fn look(table: &dyn Table) -> Look {
    Look {
        position: table.position(),
        scene: table.scene(),
        outcome: table.outcome(),
        turn: table.turn(),
        to_act: table.to_act(),
        choices: Both::from_fn(|side| table.choices(side)),
        prompts: table.turn().into_iter().map(|side| table.prompt(side)).collect(),
        history: table.history(),
        last_turn: table.last_turn(),
        texts: [table.welcome(), table.board(WIDTH), table.report(WIDTH)],
    }
}

/// Plays a random game at a table and checks the laws in every turn.
pub(crate) fn check(
    entry: &'static Entry,
    rules: &[&str],
    first: Side,
    seed: u64,
    most_turns: usize,
) {
    let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
    let names = Both::new("Zoë \"Z\"".to_owned(), "back\\slash".to_owned());
    let mut table = entry.open(Setup { settings, first, names, position: None }).unwrap();
    let mut dice = Dice::new(seed);
    let mut looks = vec![look(&*table)];
    while table.outcome().is_none() && table.history().len() < most_turns {
        if table.history().len().is_multiple_of(TYPING_TURNS) {
            typing_and_taking_back_changes_nothing(&mut *table);
        }
        play_a_turn(&mut *table, &mut dice);
        the_changes_lead_to_the_new_scene(&looks[looks.len() - 1].scene, &*table);
        looks.push(look(&*table));
    }
    if table.outcome().is_some() {
        nothing_is_accepted_after_the_end(&mut *table);
    }
    the_record_replays_to_the_table(&*table);
    a_fork_is_independent(&*table);
    undo_restores_every_turn(&mut *table, &looks);
}

/// Input is either refused without any change, or accepted and can be withdrawn.
fn typing_and_taking_back_changes_nothing(table: &mut dyn Table) {
    let before = look(table);
    for side in Side::ALL {
        for text in TYPED {
            let checked = table.check(side, text);
            let submitted = table.submit(side, text);
            assert_eq!(checked, submitted.clone().map(drop), "{side} typed {text:?}");
            match submitted {
                Ok(Submitted::Turn) => assert!(table.undo()),
                Ok(Submitted::Waiting) => assert!(table.withdraw(side)),
                Err(refusal) => assert!(!refusal.to_string().contains('\u{1b}'), "{refusal}"),
            }
            assert_eq!(look(table), before, "{side} typed {text:?}");
        }
    }
    for turn in ["", "xyzzy", "1|2|3", "|", "charge|xyzzy", "charge|charge "] {
        assert!(table.play(turn).is_err(), "{turn:?}");
        assert_eq!(look(table), before, "the turn {turn:?}");
    }
}

/// Enters one choice for each side, in notation or in full.
fn play_a_turn(table: &mut dyn Table, dice: &mut Dice) {
    let before = look(table);
    let sides = table.to_act();
    for (index, &side) in sides.iter().enumerate() {
        let choices = table.choices(side);
        let vocabulary = table.vocabulary();
        assert!(choices.iter().all(|choice| choice.is_pass != vocabulary.contains(choice)));
        let choice = dice.pick(&choices);
        let text = *dice.pick(&[&choice.notation, &choice.words]);
        let last = index + 1 == sides.len();
        let expected = if last { Submitted::Turn } else { Submitted::Waiting };
        assert_eq!(table.submit(side, text), Ok(expected), "{side} typed {text:?}");
        if !last {
            // R-CL-6: the only visible change is that a choice has been made.
            let to_act = table.to_act();
            assert!(!to_act.contains(&side));
            assert_eq!(Look { to_act: before.to_act.clone(), ..look(table) }, before);
            for again in [table.check(side, text), table.submit(side, text).map(drop)] {
                assert!(matches!(again, Err(Refusal::AlreadyChosen(_))), "{again:?}");
            }
            assert_eq!(table.to_act(), to_act);
            assert_eq!(look(&*table.fork()), before, "a fork reveals nothing either");
        }
    }
    let played = table.history();
    assert_eq!(played.len(), before.history.len() + 1);
    assert_eq!(played[..before.history.len()], before.history);
}

fn the_changes_lead_to_the_new_scene(before: &Scene, table: &dyn Table) {
    let mut scene = before.clone();
    for change in table.last_turn().iter().flat_map(|telling| &telling.changes) {
        scene.apply(*change).unwrap();
    }
    assert_eq!(scene, table.scene());
}

fn nothing_is_accepted_after_the_end(table: &mut dyn Table) {
    let before = look(table);
    assert!(before.turn.is_empty());
    for text in TYPED {
        assert_eq!(table.submit(Side::One, text), Err(Refusal::Over));
        assert_eq!(table.submit(Side::Two, text), Err(Refusal::Over));
        assert_eq!(table.play(text), Err(Refusal::Over));
    }
    assert_eq!(look(table), before);
}

fn the_record_replays_to_the_table(table: &dyn Table) {
    let record = Record::of(table);
    let text = record.to_string();
    let read = Record::parse(&text, SIX_GAMES).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read.to_string(), text);
    assert_eq!((read.settings, &read.names), (record.settings, &record.names));
    let replayed = Record::parse(&text, SIX_GAMES).unwrap().replay().unwrap();
    assert_eq!(look(&*replayed), look(table), "{text}");
}

fn a_fork_is_independent(table: &dyn Table) {
    let before = look(table);
    let mut fork = table.fork();
    assert_eq!(look(&*fork), before);
    assert_eq!(fork.setup().names, *table.names());
    while fork.undo() {}
    let turns: Vec<bool> = (0..table.turns_played()).map(|turn| table.was_pass(turn)).collect();
    for (turn, was_pass) in before.history.iter().zip(turns) {
        assert_eq!(fork.turn().iter().all(|&side| fork.must_pass(side)), was_pass, "{turn}");
        fork.play(turn).unwrap();
    }
    assert_eq!((look(&*fork), look(table)), (look(table), before));
}

fn undo_restores_every_turn(table: &mut dyn Table, looks: &[Look]) {
    for (turn, earlier) in looks.iter().enumerate().rev() {
        assert_eq!(look(table), *earlier, "after turn {turn}");
        assert_eq!(table.undo(), turn > 0, "taking back turn {turn}");
    }
    assert_eq!(look(table), looks[0]);
}

#[test]
fn a_graph_shows_the_same_scenes_as_a_table() {
    const TURNS: usize = 20;
    for entry in SIX_GAMES.iter() {
        let mut table = entry.open(entry.setup()).unwrap();
        let graph = entry
            .survey(table.settings(), Side::One, u64::MAX, &skirmish_rules::Unwatched)
            .unwrap();
        let mut dice = Dice::new(1);
        while table.outcome().is_none() && table.turns_played() < TURNS {
            let node = graph.find(&table.position()).unwrap().expect("it is reachable");
            assert_eq!(graph.scene(node), table.scene());
            assert_eq!(graph.tempo(), table.tempo());
            play_a_turn(&mut *table, &mut dice);
        }
    }
}

#[test]
fn tables_of_every_counted_variant_obey_their_laws() {
    const SEEDS: std::ops::Range<u64> = 0..3;
    const TURNS: usize = 30;
    for row in rows() {
        let entry = SIX_GAMES.find(row.game).unwrap();
        for seed in SEEDS {
            let first = if seed % 2 == 0 { Side::One } else { Side::Two };
            check(entry, &row.rules, first, seed, TURNS);
        }
    }
}
