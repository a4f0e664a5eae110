//! `skirmish solve GAME`: every position won, lost or endless, counted, tabulated and checked.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

use anyhow::Result;
use serde_json::{Value as Json, json};
use skirmish_play::{Answer, Judgement, Solved};
use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Catalog, Starter};
use skirmish_solver::Value;
use skirmish_solver::recursive::{Recursive, TOLERANCE};

use crate::args::SolveArgs;
use crate::destination::Destination;
use crate::exit::Exit;
use crate::signals::{self, Farewell};
use crate::{json, lookup, output, solving, words};

pub(crate) fn run(args: &SolveArgs, catalog: Catalog) -> Result<Exit> {
    let (entry, settings, first) = lookup::board(catalog, &args.board)?;
    let destination = |path| Destination::of("--table", path, args.force, args.json);
    let table = args.table.as_deref().map(destination).transpose()?;
    table.as_ref().map_or(Ok(()), Destination::check)?;
    let begun = Instant::now();
    let solved = solving::solve(entry, &settings, first)?;
    let seconds = begun.elapsed().as_secs_f64();
    let census = Census::of(&solved);
    let verified = args.verify.then(|| verify(&solved)).transpose()?;
    if let Some(table) = &table {
        // A signal must not leave half a table behind.
        signals::watch(Farewell::default())?;
        table.write(|file| write_table(&solved, file))?;
    }
    if args.json {
        let first = (entry.starter != Starter::Nobody).then(|| first.number());
        let mut object = json!({
            "game": entry.id,
            "rules": json::rules(&settings),
            "first": first,
            "states": census.states,
            "value": census.value.clone(),
            "plies": census.plies,
            "wins": census.wins,
            "losses": census.losses,
            "endless": census.endless,
            "longest": census.longest.map(|(plies, _)| plies),
            "seconds": seconds,
        });
        if verified.is_some() {
            object["verified"] = true.into();
        }
        output::print_line(object)?;
        return Ok(Exit::Done);
    }
    let changes = settings.changes();
    let rules = if changes.is_empty() { String::new() } else { format!(" ({changes})") };
    let head = format!("{}{rules}, solved in {seconds:.3} s", entry.name);
    let parts: Vec<String> = [head, census.describe(&solved)].into_iter().chain(verified).collect();
    let told = parts.join("\n\n");
    if table.is_some_and(|table| table.is_standard_output()) {
        output::complain(told);
    } else {
        output::print_line(told)?;
    }
    Ok(Exit::Done)
}

/// The positions that can arise, counted.
struct Census {
    states: usize,
    /// What the start is worth.
    value: Json,
    plies: Option<u16>,
    wins: usize,
    losses: usize,
    endless: usize,
    longest: Option<(u16, u32)>,
    most_choices: usize,
    finished: usize,
    /// By distance: won, lost, and a position of each.
    rows: BTreeMap<u16, [Option<(usize, u32)>; 2]>,
    an_endless: Option<u32>,
}

impl Census {
    fn of(solved: &Solved) -> Self {
        let mut census = Self {
            states: 0,
            value: Json::Null,
            plies: None,
            wins: 0,
            losses: 0,
            endless: 0,
            longest: None,
            most_choices: 0,
            finished: 0,
            rows: BTreeMap::new(),
            an_endless: None,
        };
        let start = solved.graph().start();
        let mut expansion = Expansion::default();
        for node in solved.reached().iter() {
            census.states += 1;
            match solved.graph().expand(node, &mut expansion) {
                Node::Open => {
                    let rows = expansion.next.len() / expansion.columns;
                    census.most_choices = census.most_choices.max(rows.max(expansion.columns));
                }
                Node::Over(_) | Node::Hole => census.finished += 1,
            }
            match solved.answer() {
                Answer::Alternating(solution) => census.count(node, solution.value(node)),
                Answer::Simultaneous { .. } => match words::class(solved, node) {
                    1 => census.wins += 1,
                    -1 => census.losses += 1,
                    _ => census.endless += 1,
                },
            }
        }
        match solved.answer() {
            Answer::Alternating(solution) => {
                census.value = solution.value(start).word().into();
                census.plies = solution.value(start).plies();
            }
            Answer::Simultaneous { solution, .. } => {
                census.value = solution.bounds.value(start as usize).0.into();
            }
        }
        census
    }

    fn count(&mut self, node: u32, value: Value) {
        let (plies, column) = match value {
            Value::Win(plies) => {
                self.wins += 1;
                if self.longest.is_none_or(|(longest, _)| plies > longest) {
                    self.longest = Some((plies, node));
                }
                (plies, 0)
            }
            Value::Loss(plies) => {
                self.losses += 1;
                (plies, 1)
            }
            Value::Endless => {
                self.endless += 1;
                self.an_endless.get_or_insert(node);
                return;
            }
        };
        let row = self.rows.entry(plies).or_default();
        row[column].get_or_insert((0, node)).0 += 1;
    }

    fn describe(&self, solved: &Solved) -> String {
        match solved.answer() {
            Answer::Alternating(solution) => {
                let start = words::value(solution.value(solved.graph().start()));
                format!("{}\n\n{}", self.table(solved), self.summary(solved, &start))
            }
            Answer::Simultaneous { solution, .. } => {
                let (value, error) = solution.bounds.value(solved.graph().start() as usize);
                format!(
                    "Value of the start for Player 1: {value:+.9} (off by less than {error:.0e})\n\
                     {} positions, {} of them finished; the largest number of choices is {}.\n\
                     Sure wins for Player 1: {}, sure losses: {}, neither: {}.\n\
                     No bounds on a value are more than {:.0e} apart.",
                    self.states,
                    self.finished,
                    self.most_choices,
                    self.wins,
                    self.losses,
                    self.endless,
                    solution.bounds.gap().max(1e-12),
                )
            }
        }
    }

    /// By distance from the end, for the side to move: how many are won and lost, with an example of each.
    fn table(&self, solved: &Solved) -> String {
        let graph = solved.graph();
        let cells = |cell: Option<(usize, u32)>| match cell {
            Some((count, node)) => [count.to_string(), graph.position(node)],
            None => ["0".to_owned(), String::new()],
        };
        let mut rows = vec![["plies", "won", "example", "lost", "example"].map(str::to_owned)];
        for (plies, [won, lost]) in &self.rows {
            let ([won, won_example], [lost, lost_example]) = (cells(*won), cells(*lost));
            rows.push([plies.to_string(), won, won_example, lost, lost_example]);
        }
        let (won, lost) = (self.wins.to_string(), self.losses.to_string());
        rows.push(["all".to_owned(), won, String::new(), lost, String::new()]);
        let width = rows.iter().flat_map(|row| [row[2].len(), row[4].len()]).max().unwrap_or(0);
        let line = |[plies, won, won_example, lost, lost_example]: &[String; 5]| {
            let line =
                format!("{plies:>5} {won:>9} {won_example:<width$} {lost:>9} {lost_example}");
            line.trim_end().to_owned()
        };
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        if let Some(node) = self.an_endless {
            lines.push(format!("endless {:>7} {}", self.endless, graph.position(node)));
        }
        lines.join("\n")
    }

    fn summary(&self, solved: &Solved, start: &str) -> String {
        let longest = self.longest.map_or("There are no wins.".to_owned(), |(plies, node)| {
            format!("The longest win takes {plies} plies, from {}.", solved.graph().position(node))
        });
        format!(
            "The start is worth to whoever moves: {start}.\n\
             {} positions, {} of them finished: {} won, {} lost and {} endless for the side to move.\n\
             {longest}\nThe largest number of choices is {}.",
            self.states, self.finished, self.wins, self.losses, self.endless, self.most_choices
        )
    }
}

/// Checks the solution independently of how it was found.
fn verify(solved: &Solved) -> Result<String> {
    match solved.answer() {
        Answer::Alternating(solution) => {
            solution.verify(solved.graph())?;
            Ok("Verified: every value and distance agrees with those one move ahead.".to_owned())
        }
        Answer::Simultaneous { solution, .. } => {
            let bounds = Recursive::of(solved.graph()).judge(solution.mixes.clone()).bounds;
            anyhow::ensure!(bounds.gap() < TOLERANCE, "the bounds are {:e} apart", bounds.gap());
            Ok(format!(
                "Verified: the best responses to both players' mixes are less than {TOLERANCE:e} apart."
            ))
        }
    }
}

/// Every position that can arise, a line each.
fn write_table(solved: &Solved, file: &mut impl Write) -> io::Result<()> {
    let head = match solved.answer() {
        Answer::Alternating(_) => "position,value,plies,best",
        Answer::Simultaneous { .. } => "position,value,p1,p2",
    };
    writeln!(file, "{head}")?;
    for node in solved.reached().iter() {
        let position = field(&solved.graph().position(node));
        match solved.analyse_node(node).verdict {
            Judgement::Alternating { value, moves, .. } => {
                let plies = value.plies().map_or(String::new(), |plies| plies.to_string());
                let best: Vec<&str> =
                    words::best(&moves).iter().map(|option| option.notation.as_str()).collect();
                writeln!(file, "{position},{},{plies},{}", value.word(), best.join(";"))?;
            }
            Judgement::Simultaneous { value, strategy, .. } => {
                let mix = |shares: &[(String, f64)]| {
                    let parts: Vec<String> =
                        shares.iter().map(|(action, share)| format!("{action}={share}")).collect();
                    parts.join(";")
                };
                writeln!(file, "{position},{value},{},{}", mix(&strategy.one), mix(&strategy.two))?;
            }
        }
    }
    Ok(())
}

/// A value of a CSV line: quoted if it has a comma in it.
fn field(text: &str) -> String {
    if text.contains(',') { format!("\"{text}\"") } else { text.to_owned() }
}
