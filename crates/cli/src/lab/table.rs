//! The findings of the laboratory as a table for people, and as CSV.

use skirmish_present::json::WordOr;
use skirmish_present::words;
use skirmish_rules::{Entry, Tempo, columns};

use super::{EQUALS, Finding};
use crate::output;

/// The columns after the rule options, with their headings in a table and in CSV.
const COLUMNS: [(&str, &str); 10] = [
    ("found", "states"),
    ("start", "value"),
    ("plies", "plies"),
    ("won", "won"),
    ("lost", "lost"),
    ("endless", "endless"),
    ("choices", "choices"),
    ("edge", "edge"),
    ("draws", "draws"),
    ("drawn", "drawn"),
];

/// The content of an empty cell.
const NOTHING: &str = "-";

/// A row: the rule options and the columns; numbers are rounded unless they are `exact`.
fn cells(finding: &Finding, exact: bool) -> Vec<String> {
    let mut cells: Vec<String> =
        finding.settings.iter().map(|(_, value)| value.to_string()).collect();
    let Some(facts) = &finding.facts else {
        let count = cells.len() + COLUMNS.len();
        cells.push("too large".to_owned());
        cells.resize(count, String::new());
        return cells;
    };
    let number = |number: f64, rounded: fn(f64) -> String| {
        if exact { number.to_string() } else { rounded(number) }
    };
    let percent = |share: f64| number(100.0 * share, |percent| format!("{percent:.1}"));
    let nothing = || NOTHING.to_owned();
    cells.extend([
        facts.states.to_string(),
        match facts.value {
            WordOr::Word(word) => word.to_owned(),
            WordOr::Number(value) => number(value, words::points),
        },
        facts.plies.map_or_else(nothing, |plies| plies.to_string()),
        percent(facts.won),
        percent(facts.lost),
        percent(facts.endless),
        number(facts.choices, |choices| format!("{choices:.2}")),
        facts.edge.map_or_else(nothing, |edge| number(edge, |edge| words::signed(edge, 3))),
        facts.draws.map_or_else(nothing, percent),
        percent(facts.drawn),
    ]);
    cells
}

/// The findings for people, in lines of at most `width` columns. Rule options that all variants share are named once.
pub(super) fn text(entry: &Entry, findings: &[Finding], turns: usize, width: usize) -> String {
    let options = entry.options.len();
    let has_draws = findings.iter().any(Finding::has_draws);
    let heads = entry.options.iter().map(|option| option.name);
    let heads = heads.chain(COLUMNS.map(|(head, _)| match (head, entry.tempo()) {
        // Neither a sure win nor a sure loss: the value lies between them.
        ("endless", Tempo::Simultaneous) => "neither",
        _ => head,
    }));
    let mut rows: Vec<Vec<String>> = vec![heads.map(str::to_owned).collect()];
    rows.extend(findings.iter().map(|finding| cells(finding, false)));
    let is_varied =
        |column: usize| rows[2.min(rows.len())..].iter().any(|row| row[column] != rows[1][column]);
    let (varied, shared): (Vec<usize>, Vec<usize>) =
        (0..options).partition(|&column| is_varied(column));
    let mut title = entry.name.to_owned();
    if !findings.is_empty() && !shared.is_empty() {
        let shared =
            shared.iter().map(|&column| format!("{}={}", rows[0][column], rows[1][column]));
        title = format!("{title}: {}", shared.collect::<Vec<String>>().join(", "));
    }
    let is_told = |column: &usize| match COLUMNS[column - options].0 {
        "plies" => entry.tempo() == Tempo::Alternating,
        "drawn" => has_draws,
        _ => true,
    };
    let told: Vec<usize> = (options..options + COLUMNS.len()).filter(is_told).collect();
    for row in &mut rows {
        *row = varied.iter().chain(&told).map(|&column| row[column].clone()).collect();
    }
    let table = match findings {
        [] => "No variant matches.\n".to_owned(),
        _ => output::fitted(&rows, varied.len(), width),
    };
    let lines = |text: &str| columns::wrap(text, width.min(80)).join("\n");
    format!("{}\n\n{table}\n{}\n", lines(&title), lines(&legend(entry.tempo(), has_draws, turns)))
}

/// Explains the columns.
fn legend(tempo: Tempo, has_draws: bool, turns: usize) -> String {
    let drawn = if has_draws { ", drawn" } else { "" };
    let (values, edge) = match tempo {
        Tempo::Alternating => (
            format!(
                "start: its value for the side that starts; plies: the length of best play; won, lost, \
                 endless{drawn}: positions, for the side to move, in percent"
            ),
            "moving first",
        ),
        Tempo::Simultaneous => (
            format!(
                "start: its value for Player 1; won, lost{drawn}, neither: positions that are a sure win or a sure \
                 loss of Player 1{}, or neither, in percent",
                if has_draws { ", drawn games" } else { "" }
            ),
            "being Player 1",
        ),
    };
    format!(
        "found: how many positions can arise; {values}; choices: of a side that has to choose, on average; edge: what \
         {edge} adds to the score between two {EQUALS} players; draws: their games that end in a draw, at the latest \
         after {turns} turns, in percent."
    )
}

/// The findings for a spreadsheet.
pub(super) fn csv(entry: &Entry, findings: &[Finding]) -> String {
    let options = entry.options.iter().map(|option| option.name);
    let names: Vec<&str> = options.chain(COLUMNS.map(|(_, name)| name)).collect();
    let mut text = names.join(",") + "\n";
    for finding in findings {
        let cells = cells(finding, true).into_iter();
        let cells = cells.map(|cell| if cell == NOTHING { String::new() } else { cell });
        text += &(cells.collect::<Vec<String>>().join(",") + "\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use skirmish_rules::{OptionKind, Settings};

    use super::super::TURNS;
    use super::*;
    use crate::sixth::SIX_GAMES;

    #[test]
    fn every_table_fits_whatever_is_varied() {
        for entry in SIX_GAMES.iter() {
            let settings = Settings::defaults(entry.options);
            let mut finding = Finding::of(entry, &settings, TURNS).unwrap();
            // The widest possible numbers.
            let facts = finding.facts.as_mut().unwrap();
            (facts.states, facts.drawn, facts.won) = (4_294_967_295, 1.0, 1.0);
            (facts.lost, facts.endless, facts.plies) = (1.0, 1.0, Some(10_000));
            // A variant that differs in every option.
            let other = entry.options.iter().fold(settings, |settings, option| {
                let changed = |value: String| {
                    let mut changed = settings.clone();
                    changed.set(&format!("{}={value}", option.name)).is_ok().then_some(changed)
                };
                let values: Vec<String> = match option.kind {
                    OptionKind::Word(words) => {
                        words.iter().map(|(word, _)| (*word).to_owned()).collect()
                    }
                    OptionKind::Number { max, .. } => vec![max.to_string()],
                };
                values.into_iter().rev().find_map(changed).unwrap_or(settings)
            });
            let facts = finding.facts.clone();
            let findings = [
                finding,
                Finding { settings: other.clone(), facts },
                Finding { settings: other, facts: None },
            ];
            for width in [40, 80, 120, 200] {
                let text = super::text(entry, &findings, TURNS, width);
                for line in text.lines() {
                    assert!(columns::width(line) <= width, "{width}: {line}\n{text}");
                }
            }
        }
    }

    #[test]
    fn csv_is_as_precise_as_json() {
        let entry = SIX_GAMES.find("command-clash").unwrap();
        let settings = Settings::parse(entry.options, ["points=3"]).unwrap();
        let finding = Finding::of(entry, &settings, TURNS).unwrap();
        let facts = finding.facts.clone().unwrap();
        let csv = super::csv(entry, &[finding]);
        let [heads, cells] = [0, 1].map(|line| csv.lines().nth(line).unwrap().split(','));
        let close = |name: &str, exact: f64| {
            let (_, cell) =
                heads.clone().zip(cells.clone()).find(|(head, _)| *head == name).unwrap();
            let cell: f64 = cell.parse().unwrap();
            assert!((cell - exact).abs() < 1e-12, "{name}: {cell} for {exact}");
        };
        close("won", 100.0 * facts.won);
        close("endless", 100.0 * facts.endless);
        close("choices", facts.choices);
        close("draws", 100.0 * facts.draws.unwrap());
    }

    #[test]
    fn where_both_choose_at_once_the_legend_is_about_player_1() {
        let entry = SIX_GAMES.find("command-clash").unwrap();
        let finding = Finding::of(entry, &Settings::defaults(entry.options), TURNS).unwrap();
        let facts = finding.facts.clone().unwrap();
        assert!(facts.edge == Some(0.0), "no rounding error is left: {:?}", facts.edge);
        let text = super::text(entry, &[finding], TURNS, 80);
        let mut heads = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let heads = heads.find(|words| words.first() == Some(&"found"));
        let expected = ["found", "start", "won", "lost", "neither", "choices", "edge", "draws"];
        assert_eq!(heads.as_deref(), Some(expected.as_slice()), "{text}");
        for wrong in ["endless", "moving first", "that starts", "plies"] {
            assert!(!text.contains(wrong), "{wrong}: {text}");
        }
    }
}
