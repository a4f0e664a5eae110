//! Text measured in terminal columns: an ideograph or an emoji takes two columns, a combining mark none.
//!
//! All padding, cutting and wrapping goes through this module, so that all layouts agree with the terminal.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The width of `text` in columns.
///
/// ```
/// use skirmish_rules::columns::width;
///
/// assert_eq!(width("Zoë"), 3);
/// assert_eq!(width("李雷"), 4);
/// assert_eq!(width("👨\u{200d}👩\u{200d}👧\u{200d}👦"), 2);
/// ```
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// The width of `text` in columns, as the `u16` that terminal libraries use.
#[must_use]
pub fn cells(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}

/// `text`, padded with trailing spaces to `columns`.
#[must_use]
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", gap(text, columns))
}

/// `text`, padded with leading spaces to `columns`.
#[must_use]
pub fn pad_start(text: &str, columns: usize) -> String {
    format!("{}{text}", gap(text, columns))
}

fn gap(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width(text)))
}

/// The longest prefix of `text` that fits into `columns`. Grapheme clusters are not split.
#[must_use]
pub fn cut(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (index, grapheme) in text.grapheme_indices(true) {
        used += width(grapheme);
        if used > columns {
            return &text[..index];
        }
    }
    text
}

/// The longest suffix of `text` that fits into `columns`. Grapheme clusters are not split.
#[must_use]
pub fn tail(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (index, grapheme) in text.grapheme_indices(true).rev() {
        used += width(grapheme);
        if used > columns {
            return &text[index + grapheme.len()..];
        }
    }
    text
}

/// `text`, cut to `columns` and ending in `…` if it is too long.
#[must_use]
pub fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    format!("{}…", cut(text, columns.saturating_sub(1)))
}

/// `text` without its last grapheme cluster.
#[must_use]
pub fn without_last(text: &str) -> &str {
    text.grapheme_indices(true).next_back().map_or("", |(index, _)| &text[..index])
}

/// Wraps `text` to `columns`, at spaces where possible. Preserves line breaks and the indentation of each paragraph.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let indent = &paragraph[..paragraph.len() - paragraph.trim_start_matches(' ').len()];
        let mut line = indent.to_owned();
        let mut is_empty = true;
        for mut word in paragraph.split_whitespace() {
            if !is_empty && width(&line) + 1 + width(word) > columns {
                lines.push(std::mem::replace(&mut line, indent.to_owned()));
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            // Break a word that is wider than the page.
            while width(&line) + width(word) > columns {
                let fits = cut(word, columns.saturating_sub(width(&line)));
                let part = if fits.is_empty() && line.is_empty() { first(word) } else { fits };
                line.push_str(part);
                word = &word[part.len()..];
                if word.is_empty() {
                    break;
                }
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(word);
            is_empty = line.trim().is_empty();
        }
        lines.push(line);
    }
    lines
}

/// The first grapheme cluster, however wide, so that every line makes progress even on the narrowest page.
fn first(word: &str) -> &str {
    word.graphemes(true).next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &str = "👨\u{200d}👩\u{200d}👧\u{200d}👦";

    #[test]
    fn width_is_measured_as_terminals_do() {
        for (text, columns) in
            [("", 0), ("Zoë", 3), ("Zoe\u{308}", 3), ("李雷", 4), (FAMILY, 2), ("½–…", 3)]
        {
            assert_eq!(width(text), columns, "{text}");
            assert_eq!(width(&pad(text, 9)), 9, "{text}");
            assert_eq!(width(&pad_start(text, 9)), 9, "{text}");
        }
        assert_eq!(pad("李雷", 3), "李雷", "wider text stays as it is");
    }

    #[test]
    fn grapheme_clusters_are_never_split() {
        assert_eq!(cut("李雷", 3), "李");
        assert_eq!(cut("李雷", 4), "李雷");
        assert_eq!(cut(FAMILY, 1), "");
        assert_eq!(cut("Zoe\u{308}", 3), "Zoe\u{308}");
        assert_eq!((tail("李雷", 3), tail("李雷", 4), tail(FAMILY, 1)), ("雷", "李雷", ""));
        assert_eq!(shorten("李雷和韩梅梅", 6), "李雷…");
        assert_eq!(shorten("Ann", 3), "Ann");
        assert_eq!(without_last(&format!("A{FAMILY}")), "A");
        assert_eq!(without_last(""), "");
    }

    #[test]
    fn text_wraps_at_spaces() {
        assert_eq!(wrap("a march to the base", 8), ["a march", "to the", "base"]);
        assert_eq!(wrap("one\n\ntwo", 9), ["one", "", "two"]);
        assert_eq!(wrap("  an item that is long", 12), ["  an item", "  that is", "  long"]);
        assert_eq!(wrap("李雷 wins", 8), ["李雷", "wins"]);
        assert_eq!(wrap("李雷 wins", 9), ["李雷 wins"]);
    }

    #[test]
    fn a_word_wider_than_the_page_is_broken() {
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("ab cdefgh", 1).concat(), "abcdefgh");
        assert_eq!(wrap("李雷和韩", 5), ["李雷", "和韩"]);
        assert_eq!(wrap("李雷", 1), ["李", "雷"], "wider than the page, but still shown");
        assert!(wrap("x", 0).iter().all(|line| line.len() <= 1));
    }

    #[test]
    fn no_line_is_wider_than_the_page() {
        let text = format!("  李雷 and {FAMILY}{FAMILY} moves 3 positions to 渡辺さん’s base.");
        for columns in 2..40 {
            let lines = wrap(&text, columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{columns}: {lines:?}");
            let all = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(all(&lines.concat()), all(&text), "{columns}");
        }
    }
}
