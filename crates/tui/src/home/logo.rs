//! The name of the program in large letters.

use ratatui::layout::Rect;
use ratatui::style::Modifier;
use skirmish_rules::Side;

use super::super::look::Ink;
use super::super::parts::{Canvas, centred, extent, split};

/// The letters, as pixels.
const LETTERS: [&str; 6] = [
    " ####  #   #  ###  ####   #   #  ###   ####  #   #",
    "#      #  #    #   #   #  ## ##   #   #      #   #",
    " ###   ###     #   ####   # # #   #    ###   #####",
    "    #  #  #    #   #  #   #   #   #       #  #   #",
    "    #  #   #   #   #   #  #   #   #       #  #   #",
    "####   #   #  ###  #   #  #   #  ###  ####   #   #",
];

/// The column after the first four letters, which have the colour of Player 1; the others have that of Player 2.
const MIDDLE: u16 = 25;

/// Minimum window heights for small and for large letters, without the header and the footer.
const SMALL: u16 = 28;
const LARGE: u16 = 36;

/// Draws the logo at the top of a large window. Returns the number of rows used, with an empty one below.
pub(super) fn draw(canvas: &mut Canvas, area: Rect) -> u16 {
    let width = extent(LETTERS[0].len());
    if area.height < SMALL {
        0
    } else if area.height < LARGE || area.width <= 2 * width {
        let letters: Vec<String> = LETTERS.chunks(2).map(|rows| halves(rows[0], rows[1])).collect();
        if canvas.look.ascii {
            // Half blocks have no equivalent in ASCII.
            paint(canvas, Rect { height: 3, ..area }, &["S  K  I  R    M  I  S  H".to_owned()], 12);
        } else {
            paint(canvas, Rect { height: 3, ..area }, &letters, MIDDLE);
        }
        4
    } else {
        let double = |row: &str| {
            row.chars().map(|pixel| if pixel == ' ' { "  " } else { "██" }).collect::<String>()
        };
        paint(canvas, Rect { height: 6, ..area }, &LETTERS.map(double), 2 * MIDDLE);
        7
    }
}

/// Combines two rows of pixels into one row of characters.
fn halves(upper: &str, lower: &str) -> String {
    let half = |pixels: (char, char)| match pixels {
        (' ', ' ') => ' ',
        (_, ' ') => '▀',
        (' ', _) => '▄',
        _ => '█',
    };
    upper.chars().zip(lower.chars()).map(half).collect()
}

fn paint(canvas: &mut Canvas, area: Rect, letters: &[String], middle: u16) {
    let place = centred(area, extent(letters[0].chars().count()), extent(letters.len()));
    let (left, right) = split(place, middle);
    for (row, line) in (0..).zip(letters) {
        let at = line.char_indices().nth(middle.into()).map_or(line.len(), |(at, _)| at);
        let (one, two) = line.split_at(at);
        for (side, half, text) in [(Side::One, left, one), (Side::Two, right, two)] {
            let style = canvas.look.ink(Ink::Side(side)).remove_modifier(Modifier::UNDERLINED);
            canvas.text(half, row, text, style);
        }
    }
}
