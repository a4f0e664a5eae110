//! The result of a tournament for programs.

use std::path::Path;

use skirmish_arena::tournament::{Board, Meeting, Standings, StandingsRow, Tournament};
use skirmish_play::tournament::sprt::Decision;
use skirmish_play::tournament::tally::PairTally;
use skirmish_present::json::{
    EncounterObject, ReasonObject, SprtObject, StandingObject, TournamentObject, VariantObject,
};

use super::table;

pub(super) fn of(
    tournament: &Tournament,
    board: &Board,
    tables: &Standings,
    folder: &Path,
) -> TournamentObject {
    let (played, _) = board.progress();
    let rounds = board.rounds().iter().enumerate().flat_map(|(round, meetings)| {
        meetings.iter().map(move |meeting| encounter(tournament, round, meeting))
    });
    TournamentObject {
        variant: VariantObject::of(tournament.entry, &tournament.settings),
        format: tournament.format.name(),
        seed: tournament.seed,
        games: played,
        standings: tables.lines.iter().map(|line| standing(tournament, line)).collect(),
        encounters: rounds.collect(),
        sprt: sprt(tournament, board),
        folder: folder.to_string_lossy().into_owned(),
    }
}

fn standing(tournament: &Tournament, line: &StandingsRow) -> StandingObject {
    let entrant = &tournament.entrants[line.entrant];
    let interval = line.tally.interval();
    let reason =
        |(reason, games): &(String, u32)| ReasonObject { reason: reason.clone(), games: *games };
    StandingObject {
        place: line.place,
        player: entrant.name.clone(),
        program: entrant.program.to_string(),
        games: line.total.games(),
        won: line.total.wins,
        drawn: line.total.draws,
        lost: line.total.losses,
        points: f64::from(line.half_points) / 2.0,
        score: table::score(line),
        interval: [interval.low, interval.high],
        elo: line.rating.elo,
        error: line.rating.error,
        pairs: line.tally.outcomes(),
        distinct: line.tally.distinct(),
        bye: f64::from(line.bye()) / 2.0,
        faults: line.faults,
        reasons: line.reasons.iter().map(reason).collect(),
    }
}

fn encounter(tournament: &Tournament, round: usize, meeting: &Meeting) -> EncounterObject {
    let name = |entrant: usize| tournament.entrants[entrant].name.clone();
    let cell = meeting.cell();
    EncounterObject {
        round: round + 1,
        players: [name(meeting.encounter.one), name(meeting.encounter.two)],
        won: cell.wins,
        drawn: cell.draws,
        lost: cell.losses,
    }
}

fn sprt(tournament: &Tournament, board: &Board) -> Option<SprtObject> {
    let sprt = tournament.sprt?;
    let [elo0, elo1, alpha, beta] = sprt.parameters();
    let (lower, upper) = sprt.bounds();
    let decision = board.decision().map(|(decision, _)| decision);
    Some(SprtObject {
        elo0,
        elo1,
        alpha,
        beta,
        llr: sprt.llr(&PairTally::of(0, &board.pairs())),
        bounds: [lower, upper],
        accepted: match decision {
            Some(Decision::First) => Some("elo0"),
            Some(Decision::Second) => Some("elo1"),
            Some(Decision::Open) | None => None,
        },
        text: table::verdict(tournament, board),
    })
}
