//! ASCII replacements for the glyphs that Skirmish prints.

use std::borrow::Cow;

/// The one-column ASCII replacement of a glyph.
#[must_use]
pub const fn plain(glyph: char) -> Option<char> {
    Some(match glyph {
        '─' | '━' | '═' | '–' | '—' | '−' => '-',
        '│' | '┃' | '║' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╰' | '╯' => {
            '+'
        }
        '▶' | '→' | '›' => '>',
        '◀' | '←' | '‹' => '<',
        '▲' | '↑' => '^',
        '▼' | '↓' => 'v',
        '█' | '▉' | '▊' | '▋' | '▌' | '▍' | '▎' | '▏' | '■' => '#',
        '▓' | '▒' | '▀' | '▄' => '=',
        '░' | '·' | '…' | '□' | '☆' => '.',
        '●' | '◆' | '★' | '•' => '*',
        '○' | '◇' => 'o',
        '✓' | '×' => 'x',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '\u{a0}' => ' ',
        _ => return None,
    })
}

/// Replaces Skirmish's glyphs with ASCII. Other characters, such as letters in names, stay unchanged.
#[must_use]
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for glyph in text.chars() {
        match glyph {
            '½' if shown.ends_with(|before: char| before.is_ascii_digit()) => shown.push_str(".5"),
            '½' => shown.push_str("0.5"),
            '…' => shown.push_str("..."),
            '±' => shown.push_str("+/-"),
            _ => shown.push(plain(glyph).unwrap_or(glyph)),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_become_ascii_and_letters_stay() {
        assert_eq!(ascii("½ to 1½ – 12½"), "0.5 to 1.5 - 12.5");
        assert_eq!(ascii("3 × ±0.5 … ▶"), "3 x +/-0.5 ... >");
        assert_eq!(ascii("Zoë and 李雷"), "Zoë and 李雷");
    }
}
