//! Says what each choice does, found by playing it on a fork of the table.

use std::cmp::Ordering;

use skirmish_rules::{Change, Choice, Outcome, Piece, Scene, Side, Table, alternatives, counted};

use crate::you::{capital, opponent};

/// What a choice does, for the player who makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// Where it leads and what it costs: `2 steps → 5, pushes Bob to 7`. Different for each choice of a position.
    pub label: String,
    /// How it decides the game, if it does: `you win`, `you lose`, `you lose unless Bob plays Charge`.
    pub fate: Option<String>,
    /// Whether the player has lost after this turn or, in an alternating game, after every reply.
    pub loses: bool,
    /// The name of the choice: `move 2`, `Shield`.
    pub name: String,
}

/// What each of a side's choices does, in the order of [`Table::choices`].
#[must_use]
pub fn consequences(table: &dyn Table, side: Side) -> Vec<Consequence> {
    let trials: Vec<Trial> =
        table.choices(side).into_iter().map(|choice| Trial::of(table, side, choice)).collect();
    let before = View { scene: table.scene(), side, opponent: opponent(table.names(), side) };
    let labels: Vec<String> = trials.iter().map(|trial| before.label(trial, &trials)).collect();
    let consequence = |(trial, label): (&Trial, &String)| {
        let is_unique = labels.iter().filter(|other| *other == label).count() == 1;
        Consequence {
            label: if is_unique { label.clone() } else { format!("{}: {label}", trial.name()) },
            fate: trial.fate(side, &before.opponent),
            loses: trial.loses(side),
            name: caption(&trial.choice),
        }
    };
    trials.iter().zip(&labels).map(consequence).collect()
}

impl Consequence {
    /// The consequence in words, from the most detailed form to the shortest. Each marks a choice that loses.
    #[must_use]
    pub fn forms(&self) -> [String; 3] {
        let Self { label, fate, loses, name } = self;
        let full = match fate {
            Some(fate) => format!("{label}, {fate}"),
            None => label.clone(),
        };
        if *loses {
            [full.clone(), full, format!("{name} (loses)")]
        } else {
            [full, label.clone(), name.clone()]
        }
    }
}

/// A choice, played against every choice that the opponent can make at the same time.
struct Trial {
    choice: Choice,
    /// The opponent's choice, if it makes one at the same time, and the table after the turn.
    turns: Vec<(Option<Choice>, Box<dyn Table>)>,
}

impl Trial {
    fn of(table: &dyn Table, side: Side, choice: Choice) -> Self {
        let answers = table.choices(side.other());
        let played = |answer: Option<Choice>| {
            let mut after = table.fork();
            let own = &choice.notation;
            let turn = match (&answer, side) {
                (None, _) => own.clone(),
                (Some(answer), Side::One) => format!("{own}|{}", answer.notation),
                (Some(answer), Side::Two) => format!("{}|{own}", answer.notation),
            };
            after.play(&turn).expect("the choices of a table are legal");
            (answer, after)
        };
        let turns = if answers.is_empty() {
            vec![played(None)]
        } else {
            answers.into_iter().map(|answer| played(Some(answer))).collect()
        };
        Self { choice, turns }
    }

    /// The words of the choice as a heading; bare numbers get a noun.
    fn name(&self) -> String {
        capital(&caption(&self.choice))
    }

    fn loses(&self, side: Side) -> bool {
        self.turns.iter().all(|(answer, after)| match after.outcome() {
            Some(outcome) => is_lost(outcome, side),
            None => answer.is_none() && every_reply_wins(&**after, side.other()),
        })
    }

    fn fate(&self, side: Side, opponent: &str) -> Option<String> {
        let wins = |after: &dyn Table| after.outcome() == Some(Outcome::Won(side));
        if self.turns.iter().all(|(_, after)| wins(&**after)) {
            return Some("you win".to_owned());
        }
        if self.loses(side) {
            return Some("you lose".to_owned());
        }
        let loses = |after: &dyn Table| after.outcome().is_some_and(|it| is_lost(it, side));
        let (losing, safe): (Vec<_>, Vec<_>) =
            self.turns.iter().partition(|(_, after)| loses(&**after));
        // Warn only if the cost of the choice itself can lose the game. Whether to risk a blow is for the player to judge.
        let best = self.gauges(side).max();
        let is_unharmed = |after: &dyn Table| gauge(&after.scene(), side).or(best) == best;
        if !losing.iter().any(|(answer, after)| answer.is_some() && is_unharmed(&**after)) {
            return None;
        }
        let (when, answers) =
            if losing.len() < safe.len() { ("if", losing) } else { ("unless", safe) };
        let words = answers.into_iter().filter_map(|(answer, _)| Some(&answer.as_ref()?.words));
        Some(format!("you lose {when} {opponent} plays {}", alternatives(words)))
    }

    /// The value of a side's gauge after each turn.
    fn gauges(&self, side: Side) -> impl Iterator<Item = u8> {
        self.turns.iter().map(move |(_, after)| gauge(&after.scene(), side).unwrap_or(0))
    }
}

fn is_lost(outcome: Outcome, side: Side) -> bool {
    outcome == Outcome::Won(side.other())
}

/// Whether `side` is to reply and every reply wins at once.
fn every_reply_wins(table: &dyn Table, side: Side) -> bool {
    let replies = table.choices(side);
    let wins = |reply: &Choice| {
        let mut after = table.fork();
        after.play(&reply.notation).expect("the choices of a table are legal");
        after.outcome() == Some(Outcome::Won(side))
    };
    !replies.is_empty() && replies.iter().all(wins)
}

fn gauge(scene: &Scene, side: Side) -> Option<u8> {
    scene.gauges.map(|gauges| gauges[side].value)
}

/// The position before a choice, as seen by the player who makes it.
struct View {
    scene: Scene,
    side: Side,
    /// The opponent's name.
    opponent: String,
}

impl View {
    fn label(&self, trial: &Trial, all: &[Trial]) -> String {
        let mut deeds = trial.turns.iter().map(|(_, after)| self.deed(&trial.choice, &**after));
        let first = deeds.next().flatten();
        // Against different simultaneous choices, a piece may fare differently.
        let deed = first.filter(|first| deeds.all(|deed| deed.as_ref() == Some(first)));
        deed.unwrap_or_else(|| trial.name()) + &self.points(trial, all)
    }

    /// The effect of a choice on the pieces: the player's own, then the opponent's.
    fn deed(&self, choice: &Choice, after: &dyn Table) -> Option<String> {
        let mut own: Option<Path> = None;
        let mut effects = Vec::new();
        let mut removed = 0;
        for telling in after.last_turn() {
            for change in telling.changes {
                match change {
                    Change::Moves { piece, to } if piece.side != self.side => {
                        let verb = if telling.kind == "push" { "pushes" } else { "sends" };
                        effects.push(format!("{verb} {} to {to}", self.opposing(piece)));
                    }
                    Change::Vanishes(piece) if piece.side != self.side => removed += 1,
                    _ => Path::follow(&mut own, self.side, change),
                }
            }
        }
        match removed {
            0 => {}
            1 => effects.push(format!("removes {}'s unit", self.opponent)),
            _ => effects.push(format!("removes {removed} of {}'s units", self.opponent)),
        }
        let own = own?.words(choice);
        Some(effects.into_iter().fold(own, |words, effect| format!("{words}, {effect}")))
    }

    /// Names an opposing piece: the opponent, if it is the only one.
    fn opposing(&self, piece: Piece) -> String {
        let count = self.scene.pieces.iter().filter(|other| other.side == piece.side).count();
        match count {
            1 => self.opponent.clone(),
            _ => format!("{}'s unit on {}", self.opponent, piece.at),
        }
    }

    /// The effect of a choice on the gauges: its cost or gain, what is left, and how it hits and blocks. Other effects of
    /// a simultaneous turn are the opponent's.
    fn points(&self, trial: &Trial, all: &[Trial]) -> String {
        let Some(before) = gauge(&self.scene, self.side) else { return String::new() };
        let left = trial.gauges(self.side).max().unwrap_or(before);
        let own = match left.cmp(&before) {
            Ordering::Less => format!(" −{}: leaves {left}", before - left),
            Ordering::Equal => format!(": stays at {left}"),
            Ordering::Greater => format!(" +{}: makes {left}", left - before),
        };
        let other = self.side.other();
        let hits = self.most(all, trial, other).into_iter().zip(trial.gauges(other));
        let damage = hits.map(|(most, value)| most.saturating_sub(value)).max();
        let hit = damage.filter(|damage| *damage > 0).map(|it| format!(", hits for {it}"));
        let is_hit = |trial: &Trial| {
            let best = trial.gauges(self.side).max();
            trial.gauges(self.side).any(|value| Some(value) < best)
        };
        let is_blocking = left > 0 && !is_hit(trial) && all.iter().any(is_hit);
        own + hit.as_deref().unwrap_or("") + if is_blocking { ", blocks" } else { "" }
    }

    /// The most that a side's gauge can show after each of the opponent's choices.
    fn most(&self, all: &[Trial], trial: &Trial, side: Side) -> Vec<u8> {
        if trial.turns.iter().all(|(answer, _)| answer.is_none()) {
            return gauge(&self.scene, side).into_iter().collect();
        }
        let mut most = vec![0; trial.turns.len()];
        for trial in all {
            for (most, value) in most.iter_mut().zip(trial.gauges(side)) {
                *most = value.max(*most);
            }
        }
        most
    }
}

/// The way of the player's own piece during a turn.
struct Path {
    /// The place where it started; `None` if it is new.
    from: Option<u8>,
    piece: Piece,
    is_alive: bool,
}

impl Path {
    /// Continues the way of a side's first changed piece.
    fn follow(path: &mut Option<Self>, side: Side, change: Change) {
        let is_same = |path: &Option<Self>, piece: Piece| {
            path.as_ref().is_none_or(|path| path.is_alive && path.piece == piece)
        };
        let moved = |path: &Option<Self>, from: u8, piece: Piece, is_alive: bool| {
            let from = path.as_ref().map_or(Some(from), |path| path.from);
            Some(Self { from, piece, is_alive })
        };
        *path = match change {
            Change::Appears(piece) if piece.side == side && path.is_none() => {
                Some(Self { from: None, piece, is_alive: true })
            }
            Change::Moves { piece, to } if piece.side == side && is_same(path, piece) => {
                moved(path, piece.at, Piece { at: to, ..piece }, true)
            }
            Change::Vanishes(piece) if piece.side == side && is_same(path, piece) => {
                moved(path, piece.at, piece, false)
            }
            Change::Strengthens { piece, to } if path.is_some() && is_same(path, piece) => {
                moved(path, piece.at, Piece { strength: Some(to), ..piece }, true)
            }
            Change::Appears(_)
            | Change::Moves { .. }
            | Change::Vanishes(_)
            | Change::Strengthens { .. }
            | Change::Gauge { .. } => return,
        };
    }

    fn words(&self, choice: &Choice) -> String {
        let at = self.piece.at;
        match self.from {
            None => format!("{} at {at}", capital(&choice.words)),
            Some(from) if !self.is_alive => format!("Unit on {from} falls on {at}"),
            Some(from) if is_number(&choice.words) => {
                format!("{} → {at}", counted(from.abs_diff(at), "step"))
            }
            Some(from) => format!("Unit on {from} → {at}"),
        }
    }
}

/// The label of a choice outside of its position. Bare numbers get a noun.
#[must_use]
pub fn caption(choice: &Choice) -> String {
    if is_number(&choice.words) { format!("move {}", choice.words) } else { choice.words.clone() }
}

fn is_number(words: &str) -> bool {
    words.chars().all(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests;
