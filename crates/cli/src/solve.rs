//! `skirmish solve GAME`: counts, tabulates and verifies the values of all positions.

use std::time::Instant;

use anyhow::Result;
use skirmish_play::{Answer, Solved};
use skirmish_present::json::{self, BoardObject, Optional, SolutionObject};
use skirmish_present::words::{self, Class, ClassCounts};
use skirmish_rules::{Catalog, Unwatched};
use skirmish_solver::Value;
use skirmish_solver::recursive::{Recursive, Stage, TOLERANCE};
use skirmish_store::ExitHook;

use crate::args::SolveArgs;
use crate::destination::{Destination, print_beside};
use crate::exit::Exit;
use crate::{lookup, output, signals, solving, table};

pub(crate) fn run(args: &SolveArgs, catalog: Catalog) -> Result<Exit> {
    let (entry, settings, first) = lookup::board(catalog, &args.board)?;
    let destination = |path| Destination::of("--table", path, args.force, args.json);
    let file = args.table.as_deref().map(destination).transpose()?;
    file.as_ref().map_or(Ok(()), Destination::check)?;
    let begun = Instant::now();
    let solved = solving::solve(entry, &settings, first)?;
    let seconds = begun.elapsed().as_secs_f64();
    let census = PositionCount::of(&solved);
    let verified = args.verify.then(|| verify(&solved)).transpose()?;
    if let Some(file) = &file {
        // A signal must not leave a partial table behind.
        signals::watch(ExitHook::default())?;
        file.write(|file| table::write(&solved, solved.reached().iter(), file))?;
    }
    if args.json {
        let (value, plies) = json::value(&solved, solved.graph().start());
        let object = SolutionObject {
            board: BoardObject::of(&solved),
            states: census.counts.total(),
            value,
            plies,
            wins: census.counts.won,
            losses: census.counts.lost,
            draws: census.counts.drawn,
            endless: census.counts.endless,
            longest: census.longest.map(|(plies, _)| plies),
            seconds,
            verified: Optional(verified.map(|_| true)),
        };
        output::print_data_line(json::text(&object))?;
        return Ok(Exit::Done);
    }
    let head = format!("{}, solved in {seconds:.3} s", words::game(entry, &settings));
    let parts: Vec<String> = [head, census.describe(&solved)].into_iter().chain(verified).collect();
    let text = parts.join("\n\n");
    print_beside(file.as_ref(), &text)?;
    Ok(Exit::Done)
}

/// The positions that can arise, counted by value.
#[derive(Default)]
struct PositionCount {
    counts: ClassCounts,
    longest: Option<(u16, u32)>,
    most_choices: usize,
    finished: usize,
    /// The number of wins, losses and draws by distance, with an example of each.
    rows: Vec<[Option<(usize, u32)>; 3]>,
    an_endless: Option<u32>,
}

impl PositionCount {
    fn of(solved: &Solved) -> Self {
        let mut census = Self::default();
        match solved.answer() {
            Answer::Alternating(solution) => {
                for node in solved.reached().iter() {
                    census.count(node, solution.value(node));
                }
                census.most_choices = solution.most_choices();
                census.finished = solution.finished();
            }
            Answer::Simultaneous { game, .. } => {
                for node in solved.reached().iter() {
                    census.count_mixed(&game.nodes[node as usize], words::class(solved, node));
                }
            }
        }
        census
    }

    fn count_mixed(&mut self, stage: &Stage, class: Class) {
        self.counts.add(class);
        match stage {
            Stage::Open { columns, next } => {
                let choices = (next.len() / columns).max(*columns);
                self.most_choices = self.most_choices.max(choices);
            }
            Stage::Over(_) => self.finished += 1,
        }
    }

    fn count(&mut self, node: u32, value: Value) {
        self.counts.add(value.into());
        let (plies, column) = match value {
            Value::Win(plies) => {
                if self.longest.is_none_or(|(longest, _)| plies > longest) {
                    self.longest = Some((plies, node));
                }
                (plies, 0)
            }
            Value::Loss(plies) => (plies, 1),
            Value::Draw(plies) => (plies, 2),
            Value::Endless => {
                self.an_endless.get_or_insert(node);
                return;
            }
        };
        let row = usize::from(plies);
        if self.rows.len() <= row {
            self.rows.resize(row + 1, [None; 3]);
        }
        self.rows[row][column].get_or_insert((0, node)).0 += 1;
    }

    fn describe(&self, solved: &Solved) -> String {
        match solved.answer() {
            Answer::Alternating(solution) => {
                let start = words::value(solution.value(solved.graph().start()));
                format!("{}\n\n{}", self.table(solved), self.summary(solved, &start))
            }
            Answer::Simultaneous { solution, .. } => {
                let (value, error) = solution.bounds.value(solved.graph().start() as usize);
                let value = words::signed(value, 9);
                format!(
                    "Value of the start for Player 1: {value} (off by less than {error:.0e})\n\
                     {} positions, {} of them finished; the largest number of choices is {}.\n\
                     Sure wins for Player 1: {}, sure losses: {}, {}neither: {}.\n\
                     No bounds on a value are more than {:.0e} apart.",
                    self.counts.total(),
                    self.finished,
                    self.most_choices,
                    self.counts.won,
                    self.counts.lost,
                    if self.counts.drawn > 0 {
                        format!("draws: {}, ", self.counts.drawn)
                    } else {
                        String::new()
                    },
                    self.counts.endless,
                    solution.bounds.gap().max(1e-12),
                )
            }
        }
    }

    /// The wins, losses and draws for the side to move by distance, with an example of each. A game without draws has no
    /// column for them.
    fn table(&self, solved: &Solved) -> String {
        let graph = solved.graph();
        let kinds = if self.counts.drawn > 0 { 3 } else { 2 };
        let mut rows = vec![vec!["plies".to_owned()]];
        for kind in ["won", "lost", "drawn"].into_iter().take(kinds) {
            rows[0].extend([kind.to_owned(), "example".to_owned()]);
        }
        for (plies, counted) in self.rows.iter().enumerate() {
            if counted.iter().all(Option::is_none) {
                continue;
            }
            let mut row = vec![plies.to_string()];
            for cell in counted.iter().take(kinds) {
                let (count, node) = cell.map_or((0, None), |(count, node)| (count, Some(node)));
                let example = node.map_or(String::new(), |node| graph.position(node));
                row.extend([count.to_string(), example]);
            }
            rows.push(row);
        }
        let mut all = vec!["all".to_owned()];
        for count in [self.counts.won, self.counts.lost, self.counts.drawn].into_iter().take(kinds)
        {
            all.extend([count.to_string(), String::new()]);
        }
        rows.push(all);
        let examples = rows.iter().flat_map(|row| row.iter().skip(2).step_by(2));
        let width = examples.map(String::len).max().unwrap_or(0);
        let line = |row: &Vec<String>| {
            let pairs = row[1..].chunks(2);
            let cells: Vec<String> =
                pairs.map(|pair| format!(" {:>9} {:<width$}", pair[0], pair[1])).collect();
            format!("{:>5}{}", row[0], cells.concat().trim_end())
        };
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        if let Some(node) = self.an_endless {
            lines.push(format!("endless {:>7} {}", self.counts.endless, graph.position(node)));
        }
        lines.join("\n")
    }

    fn summary(&self, solved: &Solved, start: &str) -> String {
        let longest = self.longest.map_or("There are no wins.".to_owned(), |(plies, node)| {
            format!("The longest win takes {plies} plies, from {}.", solved.graph().position(node))
        });
        let drawn = self.counts.drawn_words();
        format!(
            "Value of the start for the side to move: {start}.\n\
             {} positions, {} of them finished.\n\
             For the side to move: {} won, {} lost{drawn} and {} endless.\n\
             {longest}\nThe largest number of choices is {}.",
            self.counts.total(),
            self.finished,
            self.counts.won,
            self.counts.lost,
            self.counts.endless,
            self.most_choices
        )
    }
}

/// Verifies the solution independently of the solver.
fn verify(solved: &Solved) -> Result<String> {
    match solved.answer() {
        Answer::Alternating(solution) => {
            solution.verify(solved.graph(), &Unwatched)?;
            Ok("Verified: every value and distance agrees with those one move ahead.".to_owned())
        }
        Answer::Simultaneous { solution, .. } => {
            let game = Recursive::of(solved.graph());
            let bounds = game.judge(solution.mixes.clone(), &Unwatched)?.bounds;
            anyhow::ensure!(bounds.gap() < TOLERANCE, "the bounds are {:e} apart", bounds.gap());
            Ok(format!(
                "Verified: the best responses to both players' mixes are less than {TOLERANCE:e} apart."
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use skirmish_play::Budget;
    use skirmish_present::json::WordOr;
    use skirmish_rules::{Settings, Side};

    use super::*;
    use crate::sixth::SIX_GAMES;

    fn solved(rules: &[&str]) -> Solved {
        let entry = SIX_GAMES.find("last-stone").unwrap();
        let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
        Solved::of(entry, &settings, Side::One, Budget { bytes: 1 << 30 }, &Unwatched).unwrap()
    }

    #[test]
    fn draws_by_the_rules_are_counted_separately() {
        let solved = solved(&["stones=4", "winner=most"]);
        let census = PositionCount::of(&solved);
        let start = json::value(&solved, solved.graph().start());
        assert_eq!(start, (WordOr::Word("draw"), Some(2)));
        let ClassCounts { won, lost, drawn, endless } = census.counts;
        assert!(drawn > 3 && won > 0 && lost > 0 && endless == 0);
        let text = census.describe(&solved);
        assert!(text.contains("drawn example"), "{text}");
        assert!(text.contains("start for the side to move: draw in 2."), "{text}");
        assert!(verify(&solved).is_ok());
        let mut table = Vec::new();
        super::table::write(&solved, solved.reached().iter(), &mut table).unwrap();
        let table = String::from_utf8(table).unwrap();
        assert!(table.contains("\n0/0/1,draw,2,1;2,\n"), "{table}");
        assert!(table.contains("\n2/2/1,draw,0,,\n"), "{table}");
    }

    #[test]
    fn a_game_without_draws_has_no_column_for_them() {
        let text = PositionCount::of(&solved(&[])).describe(&solved(&[]));
        assert!(!text.contains("draw"), "{text}");
    }
}
