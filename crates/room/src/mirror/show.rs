//! Shows received updates one at a time.

use skirmish_play::driver::{Decision, Driver, Happened, Input, Seat};
use skirmish_play::player::{Level, Player};
use skirmish_play::{MatchState, Plan};
use skirmish_rules::{Both, Catalog, Ending, Side, Standing, Termination, default_names};

use super::{Mirror, Notice, ShownGame, Update};
use crate::wire::{End, MatchView, Seated, Snap, SubmittedTurn};

impl Mirror {
    /// Returns the next notice, if any, and puts the session in the state immediately after it.
    pub fn advance(&mut self) -> Option<Notice> {
        while let Some(update) = self.updates.pop_front() {
            let notice = match update {
                Update::Show(notice) => Some(notice),
                Update::Begin(snap) => self.begin(&snap),
                Update::Turn(turn) => self.play(turn).then_some(Notice::Turn),
                Update::Undo(left) => self.take_back(left).then_some(Notice::TakenBack),
                Update::End(end) => self.finish(end),
            };
            if notice.is_some() {
                return notice;
            }
        }
        None
    }

    fn begin(&mut self, snap: &Snap) -> Option<Notice> {
        let plan = plan_of(self.games, snap)?;
        let before = self.game.as_ref().map(|game| game.plan.names.clone());
        let swapped = before.is_some_and(|names| names != plan.names);
        let driver = Driver::new(plan.begin(), Both::new(Seat::Person, Seat::Person));
        let (number, turns) = (snap.number, Vec::new());
        self.game = Some(ShownGame { number, plan, driver, turns, end: None });
        for turn in &snap.turns {
            self.play(turn.clone());
        }
        Some(Notice::Began { resumed: !snap.turns.is_empty(), swapped })
    }

    /// Plays a turn as submitted. Returns whether it was legal.
    fn play(&mut self, submitted: SubmittedTurn) -> bool {
        let Some(game) = &mut self.game else { return false };
        let turn: Both<Option<String>> = submitted.clone().into();
        let mut happened = Happened::Nothing;
        for side in Side::ALL {
            if let Some(text) = &turn[side] {
                happened = game.driver.enter(Input::Choice(side, text));
            }
        }
        let fits = happened == Happened::Turn;
        if fits {
            game.turns.push(submitted);
        }
        self.out_of_step |= !fits;
        fits
    }

    fn take_back(&mut self, left: usize) -> bool {
        let Some(mut game) = self.game.take() else { return false };
        // Takebacks go through the session, so that it counts them as the server's does.
        let mut session = game.driver.into_session();
        while session.table().turns_played() > left && session.undo() {}
        // A takeback also removes the passes after the turn; some may have been replayed.
        let again = game.turns.split_off(session.table().turns_played().min(game.turns.len()));
        let left = left.saturating_sub(game.turns.len());
        game.driver = Driver::new(session, Both::new(Seat::Person, Seat::Person));
        game.end = None;
        self.game = Some(game);
        for turn in again.into_iter().take(left) {
            self.play(turn);
        }
        true
    }

    fn finish(&mut self, end: End) -> Option<Notice> {
        let game = self.game.as_mut()?;
        if game.driver.session().ending().is_none()
            && let Some(decision) = decision_of(end)
        {
            game.driver.enter(Input::Decided(decision));
        }
        game.end = Some(end);
        let ending = game.driver.session().ending();
        if let Some(after) = ending.and_then(|ending| game.plan.after(ending.outcome)) {
            let (score, over) = match after {
                MatchState::Next(score, _) => (score, false),
                MatchState::Over(score) => (score, true),
            };
            self.updates.push_front(Update::Show(Notice::Score(score, over)));
        }
        Some(Notice::Ended(end))
    }
}

/// Returns the plan of the game in a snapshot; `None` if the game is unknown or its terms are invalid.
fn plan_of(games: Catalog, snap: &Snap) -> Option<Plan> {
    let proposal = snap.terms.proposal(games).ok()?;
    let is_possible = |standing: &MatchView| {
        let half_points: Both<u32> = standing.half_points.into();
        let played = standing.game.checked_sub(1).filter(|_| standing.game <= standing.of);
        let total = half_points.one.checked_add(half_points.two);
        played.is_some_and(|played| total == played.checked_mul(2))
    };
    if !snap.standing.as_ref().is_none_or(is_possible) {
        return None;
    }
    // Only the first game of a room begins with a toss; later games alternate (R-ALL-5).
    let is_tossed = snap.number == 1 && proposal.is_tossed();
    let players: Both<Option<Seated>> = snap.players.clone().into();
    let seats = default_names();
    Some(Plan {
        entry: proposal.entry,
        settings: proposal.settings,
        names: Both::from_fn(|side| match &players[side] {
            Some(player) => player.name.clone(),
            None => seats[side].clone(),
        }),
        players: players.map(|player| match player.and_then(|player| player.level) {
            Some(level) => Level::named(&level).map_or(Player::Human, Player::Computer),
            None => Player::Human,
        }),
        first: Side::from_number(snap.first)?,
        is_tossed,
        position: None,
        standing: snap.standing.map(|standing| Standing {
            game: standing.game,
            of: standing.of,
            half_points: standing.half_points.into(),
        }),
        date: snap.date.clone(),
        seed: None,
        turn_limit: proposal.turn_limit,
    })
}

/// Returns the decision that ended a game, unless the rules ended it.
fn decision_of(end: End) -> Option<Decision> {
    let Ending { outcome, termination } = end.0?;
    let loser = outcome.winner().map(Side::other);
    match termination {
        Termination::Resigned => loser.map(Decision::Resign),
        Termination::Agreed => Some(Decision::Draw),
        Termination::Time => {
            Some(Decision::TimeUp(Both::from_fn(|side| loser.is_none_or(|loser| loser == side))))
        }
        Termination::Rules | Termination::TurnLimit | Termination::IllegalMove => None,
    }
}
