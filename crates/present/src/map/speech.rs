//! Describes maps in sentences, for screen readers.

use skirmish_rules::conjunction;

use super::picture::{Axis, Bars, Panel, Picture, Sheet};

/// The tick that stands for a side without a unit.
const NO_UNIT: &str = "-";

/// Describes the whole picture except the legend, because no sentence uses its letters.
pub(super) fn describe(picture: &Picture) -> String {
    let mut lines = vec![format!("{}.", picture.title), format!("{}.", picture.subtitle)];
    lines.extend(picture.notes.iter().cloned());
    for panel in picture.columns.iter().flatten() {
        lines.push(String::new());
        match panel {
            Panel::Sheet(sheet) => rows(sheet, &mut lines),
            Panel::Bars(bars) => list(bars, &mut lines),
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A sentence for each row of a sheet, with equal tiles grouped.
fn rows(sheet: &Sheet, lines: &mut Vec<String>) {
    lines.push(format!("{}.", sheet.title));
    for (down, tiles) in sheet.down.ticks.iter().zip(&sheet.tiles) {
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        for (column, tile) in tiles.iter().enumerate() {
            let Some(spoken) = tile.spoken.as_deref() else { continue };
            match groups.iter_mut().find(|(other, _)| *other == spoken) {
                Some((_, columns)) => columns.push(column),
                None => groups.push((spoken, vec![column])),
            }
        }
        if groups.is_empty() {
            continue;
        }
        let parts = groups.iter().map(|(spoken, columns)| {
            format!("{spoken} at {} {}", noun(&sheet.across), runs(columns, &sheet.across.ticks))
        });
        let parts: Vec<String> = parts.collect();
        lines.push(format!("{} {}: {}.", noun(&sheet.down), number(down), parts.join("; ")));
    }
}

/// An axis's label without the remark in parentheses, which explains a symbol that is never spoken.
fn noun(axis: &Axis) -> &str {
    axis.label.split(" (").next().unwrap_or_default()
}

fn number(tick: &str) -> &str {
    if tick == NO_UNIT { "none" } else { tick }
}

/// The ticks of some columns, with three or more consecutive ones as a range: `1, 3 to 5 and 7`.
fn runs(columns: &[usize], ticks: &[String]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &column in columns {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == column && ticks[column] != NO_UNIT => *last = column,
            _ => runs.push((column, column)),
        }
    }
    let tick = |column: usize| number(&ticks[column]).to_owned();
    conjunction(runs.into_iter().flat_map(|(first, last)| match last - first {
        0 => vec![tick(first)],
        1 => vec![tick(first), tick(last)],
        _ => vec![format!("{} to {}", tick(first), tick(last))],
    }))
}

fn list(bars: &Bars, lines: &mut Vec<String>) {
    lines.push(format!("{}.", bars.title));
    for bar in &bars.rows {
        // Notes are padded for alignment.
        let note: Vec<&str> = bar.note.split_whitespace().collect();
        lines.push(format!("{}: {}.", bar.label, note.join(" ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_ticks_become_a_range() {
        let ticks: Vec<String> = (0..9).map(|tick| tick.to_string()).collect();
        assert_eq!(runs(&[1, 3, 4, 5, 7], &ticks), "1, 3 to 5 and 7");
        assert_eq!(runs(&[0, 1], &ticks), "0 and 1");
    }
}
