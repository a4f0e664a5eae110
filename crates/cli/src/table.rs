//! Positions as CSV, for `solve --table` and `find --csv`.

use std::io::{self, Write};

use skirmish_play::{Answer, Judgement, RatedMove, Solved};
use skirmish_present::words;

/// Writes a heading, and a line for each of these positions. Other programs rely on the columns and their order.
pub(crate) fn write(
    solved: &Solved,
    nodes: impl Iterator<Item = u32>,
    file: &mut impl Write,
) -> io::Result<()> {
    let head = match solved.answer() {
        Answer::Alternating(_) => "position,value,plies,best,winning",
        Answer::Simultaneous { .. } => "position,value,p1,p2",
    };
    writeln!(file, "{head}")?;
    for node in nodes {
        let position = solved.graph().position(node);
        let position = skirmish_store::csv_field(&position);
        match solved.judge(node) {
            Judgement::Alternating { value, moves, .. } => {
                let plies = value.plies().map_or(String::new(), |plies| plies.to_string());
                let best = notations(&words::best(&moves), ";");
                let winning = notations(&words::winning(&moves), ";");
                writeln!(file, "{position},{},{plies},{best},{winning}", value.word())?;
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

/// The notations of `moves`, separated by `between`.
pub(crate) fn notations(moves: &[&RatedMove], between: &str) -> String {
    let moves: Vec<&str> = moves.iter().map(|option| option.notation.as_str()).collect();
    moves.join(between)
}
