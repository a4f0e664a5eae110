//! Tests of matches: who starts, who sits where, and when a match ends.

use skirmish_rules::GAMES;

use super::*;
use crate::player::Level;

fn bot(command: &str) -> BotCommand {
    BotCommand::new(command, "bot".to_owned(), command.split(' ').map(str::to_owned).collect())
}

fn plan(game: &str, games: u32) -> Plan {
    let entry = GAMES.find(game).expect("the game exists");
    Plan {
        entry,
        settings: Settings::defaults(entry.options),
        names: Both::new("Ann".to_owned(), "Bob".to_owned()),
        players: Both::default(),
        first: Side::One,
        is_tossed: false,
        position: None,
        standing: Some(Plan::first_of(games)),
        date: None,
        seed: None,
        turn_limit: None,
    }
}

fn next(state: Option<MatchState>) -> Plan {
    match state {
        Some(MatchState::Next(_, plan)) => *plan,
        other => panic!("the match goes on, not {other:?}"),
    }
}

#[test]
fn who_starts_alternates() {
    let tossed = Plan { is_tossed: true, ..plan("base-battle", 3) };
    let second = next(tossed.after(Outcome::Draw));
    assert_eq!((second.first, second.names.one.as_str()), (Side::Two, "Ann"));
    assert!(!second.is_tossed, "only the first game is tossed for");
    assert_eq!(next(second.after(Outcome::Draw)).first, Side::One);
}

#[test]
fn players_swap_seats_if_player_1_always_starts() {
    let second = next(plan("capture-the-line", 3).after(Outcome::Won(Side::One)));
    assert_eq!((second.first, second.names.one.as_str()), (Side::One, "Bob"));
    assert_eq!(second.standing.map(|it| it.half_points), Some(Both::new(0, 2)));
}

#[test]
fn a_match_ends_when_nobody_can_catch_up() {
    let second = next(plan("command-clash", 3).after(Outcome::Won(Side::Two)));
    let Some(MatchState::Over(score)) = second.after(Outcome::Won(Side::Two)) else {
        panic!("two wins decide a best of three");
    };
    assert_eq!((score.leader(), score.points(Side::Two).as_str()), (Some(Side::Two), "2"));
}

#[test]
fn a_match_can_end_level() {
    let second = next(plan("command-clash", 2).after(Outcome::Draw));
    let Some(MatchState::Over(score)) = second.after(Outcome::Draw) else {
        panic!("both games have been played");
    };
    assert_eq!((score.leader(), score.points(Side::One).as_str()), (None, "1"));
}

#[test]
fn a_rematch_swaps_the_seats_and_resets_the_score() {
    let third = Plan {
        names: Both::new("Player 1".to_owned(), "Bob".to_owned()),
        ..plan("base-battle", 3)
    };
    let again = next(third.after(Outcome::Draw)).rematch();
    assert_eq!((again.names.one.as_str(), again.names.two.as_str()), ("Bob", "Player 2"));
    assert_eq!(again.standing, Some(Plan::first_of(3)));
}

/// R-ALL-5: a position's two sides differ, so the players swap seats between games.
#[test]
fn players_swap_seats_if_the_match_starts_from_a_position() {
    for (game, position, first) in
        [("base-battle", "4/6/2", Side::Two), ("command-clash", "2/4", Side::One)]
    {
        let position = Some(position.to_owned());
        let exercise = Plan { position: position.clone(), first, ..plan(game, 3) };
        let second = next(exercise.after(Outcome::Won(Side::One)));
        assert_eq!((second.first, &second.position), (first, &position), "it starts there again");
        assert_eq!(second.names.one, "Bob");
        assert_eq!(second.standing.map(|it| it.half_points), Some(Both::new(0, 2)));
        assert_eq!(Some(second.begin().table().position()), position);
        let rematch = exercise.rematch();
        assert_eq!((&rematch.position, rematch.names.one.as_str()), (&position, "Bob"));
        let again = Plan { seed: Some(3), ..exercise }.again();
        assert_eq!((again.position, again.names.one.as_str()), (position, "Ann"));
        assert_eq!(again.seed, Some(4));
    }
}

/// Commands from files must never be run.
#[test]
fn a_bot_in_a_record_is_absent_until_its_command_is_given() {
    let mut before = plan("capture-the-line", 3);
    before.seat(Side::Two, bot("sh bot.sh"));
    let record = before.begin().record();
    let mut read = Plan::of(&record);
    assert_eq!(read.players.two, Player::Absent("sh bot.sh".to_owned()));
    assert_eq!(read.absent(), [(Side::Two, "sh bot.sh")]);
    let swapped = next(read.after(Outcome::Draw));
    assert_eq!(swapped.absent(), [(Side::One, "sh bot.sh")]);
    read.seat(Side::Two, bot("sh other.sh"));
    assert!(read.absent().is_empty());
    let session = read.resume(record).expect("no turn has been played");
    let tag = ("Bot2".to_owned(), "sh other.sh".to_owned());
    assert_eq!(session.record().other_tags, [tag]);
}

#[test]
fn a_long_command_keeps_the_record_valid() {
    let mut long = plan("base-battle", 3);
    let command = format!("sh -c '{}\n'", "echo 1;".repeat(50));
    long.seat(Side::One, bot(&command));
    let text = long.begin().record().to_string();
    let read = Record::parse(&text, GAMES).expect("it can be read again");
    assert!(Plan::of(&read).absent()[0].1.ends_with('…'), "{text}");
}

#[test]
fn a_single_game_has_no_next_game() {
    let alone = Plan { standing: None, ..plan("base-battle", 1) };
    assert!(alone.after(Outcome::Draw).is_none());
}

#[test]
fn points_are_written_with_halves() {
    let written: Vec<String> = (0..=4).map(points).collect();
    assert_eq!(written, ["0", "½", "1", "1½", "2"]);
    let score = Score { names: plan("base-battle", 3).names, half_points: Both::new(3, 1) };
    assert_eq!((score.points(Side::One), score.points(Side::Two)), ("1½".into(), "½".into()));
    assert_eq!(score.leader(), Some(Side::One));
}

#[test]
fn the_score_adds_up_all_games() {
    let Some(MatchState::Next(score, second)) =
        plan("base-battle", 3).after(Outcome::Won(Side::Two))
    else {
        panic!("one win does not decide a best of three");
    };
    assert_eq!(score.half_points, Both::new(0, 2));
    assert_eq!(score.names, plan("base-battle", 3).names);
    assert_eq!(second.standing, Some(Standing { game: 2, of: 3, half_points: Both::new(0, 2) }));
    let Some(MatchState::Next(score, third)) = second.after(Outcome::Draw) else {
        panic!("one and a half points do not decide a best of three");
    };
    assert_eq!(score.half_points, Both::new(1, 3));
    assert_eq!(third.standing.map(|it| it.game), Some(3));
    let Some(MatchState::Over(score)) = third.after(Outcome::Won(Side::One)) else {
        panic!("all games have been played");
    };
    assert_eq!((score.half_points, score.leader()), (Both::new(3, 3), None));
}

#[test]
fn a_match_continues_while_the_trailing_player_can_draw_level() {
    let second = next(plan("command-clash", 4).after(Outcome::Won(Side::One)));
    let third = next(second.after(Outcome::Won(Side::One)));
    assert!(matches!(third.after(Outcome::Draw), Some(MatchState::Over(_))));
    assert!(matches!(third.after(Outcome::Won(Side::Two)), Some(MatchState::Next(..))));
}

#[test]
fn a_plan_and_its_record_agree() {
    let mut written = plan("base-battle", 3);
    written.settings.set("positions=13").expect("it is possible");
    (written.first, written.is_tossed) = (Side::Two, true);
    written.date = Some("2025.01.31".to_owned());
    written.seed = Some(7);
    written.turn_limit = Some(50);
    written.players = Both::new(Player::Human, Player::Computer(Level::Skilled));
    let text = written.begin().record().to_string();
    let read = Plan::of(&Record::parse(&text, GAMES).expect("it can be read"));
    assert_eq!(read.entry.id, "base-battle");
    assert_eq!((&read.settings, &read.names), (&written.settings, &written.names));
    assert_eq!(read.players, written.players);
    assert_eq!((read.first, read.standing), (written.first, written.standing));
    assert!(!read.is_tossed, "a resumed game is not tossed for again");
    assert_eq!((read.date, read.seed, read.turn_limit), (written.date, Some(7), Some(50)));
}

#[test]
fn a_plan_and_its_record_agree_on_the_position() {
    let exercise = Plan { position: Some("2/9/1".to_owned()), ..plan("base-battle", 3) };
    let text = exercise.begin().record().to_string();
    let read = Plan::of(&Record::parse(&text, GAMES).expect("it can be read"));
    assert_eq!((read.first, read.position), (Side::One, exercise.position));
}

#[test]
fn a_session_follows_its_plan() {
    let mut planned = plan("base-battle", 3);
    planned.settings.set("positions=13").expect("it is possible");
    planned.first = Side::Two;
    let session = planned.begin();
    assert_eq!(session.table().settings(), &planned.settings);
    assert_eq!((session.table().first(), session.table().names()), (Side::Two, &planned.names));
}

#[test]
fn a_computer_may_sit_on_either_side() {
    let seated = |one, two| Plan { players: Both::new(one, two), ..plan("base-battle", 1) };
    let computer = || Player::Computer(Level::Novice);
    let absent = || Player::Absent("sh bot.sh".to_owned());
    for (one, two, has_computer) in [
        (Player::Human, Player::Human, false),
        (computer(), Player::Human, true),
        (Player::Human, computer(), true),
        (computer(), absent(), true),
        (computer(), computer(), true),
    ] {
        let plan = seated(one, two);
        assert_eq!(plan.has_computer(), has_computer, "{:?}", plan.players);
    }
}

#[test]
fn a_rematch_has_another_seed_and_swapped_players() {
    let players = Both::new(Player::Human, Player::Computer(Level::Expert));
    let before = Plan { seed: Some(u64::MAX), players, ..plan("base-battle", 1) };
    let again = before.rematch();
    assert_eq!(again.seed, Some(0));
    assert_eq!(again.players.one, Player::Computer(Level::Expert));
    assert_eq!((again.names.one.as_str(), again.names.two.as_str()), ("Bob", "Ann"));
    let alone = Plan { standing: None, ..before }.rematch();
    assert_eq!(alone.standing, None);
}

#[test]
fn seats_swap_with_their_players_and_stay_if_nobody_starts() {
    let players = Both::new(Player::Human, Player::Computer(Level::Expert));
    let line = Plan { players: players.clone(), ..plan("capture-the-line", 3) };
    assert_eq!(next(line.after(Outcome::Draw)).players, players.clone().swapped());
    let clash = Plan { players: players.clone(), ..plan("command-clash", 3) };
    let second = next(clash.after(Outcome::Won(Side::One)));
    assert_eq!((second.first, second.players), (Side::One, players));
    assert_eq!(second.standing.map(|it| it.half_points), Some(Both::new(2, 0)));
}
