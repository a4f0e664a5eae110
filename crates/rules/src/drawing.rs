//! Drawings: small pictures of pieces, bases and effects, written as text files in the games' folders.

use crate::printable::quotable;
use crate::settings::alternatives;

/// A game's drawings and their uses. A game without drawings is drawn with plain tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gallery {
    /// The drawing of a piece or, in a game without a track, of a player's figure.
    pub piece: Option<String>,
    /// The drawing of a side's base, which is the other side's goal.
    pub base: Option<String>,
    /// The drawing of a goal that belongs to neither side.
    pub goal: Option<String>,
    /// The kinds of events that have an effect, each with the name of the effect's drawing.
    pub effects: Vec<(String, String)>,
    /// The drawings, in order.
    pub drawings: Vec<Drawing>,
}

/// A drawing in two sizes, as used for Player 1; Player 2 gets the mirror image.
/// In a row, `#` is a pixel in the side's colour, `o` a pixel in a neutral colour, and `.` an empty pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The name of the drawing.
    pub name: String,
    /// The rows of the large drawing.
    pub large: Vec<String>,
    /// The rows of the small drawing.
    pub small: Vec<String>,
}

/// An error in the text of drawings, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
#[non_exhaustive]
pub struct GalleryError {
    /// The line, counted from 1.
    pub line: usize,
    /// The cause of the error.
    pub cause: String,
}

/// The maximum number of columns and rows of a large drawing.
const LARGE: (usize, usize) = (16, 12);
/// The maximum number of columns and rows of a small drawing.
const SMALL: (usize, usize) = (8, 8);

/// The uses of drawings, apart from effects.
const ROLES: [&str; 3] = ["piece", "base", "goal"];

impl Gallery {
    /// Parses drawings.
    ///
    /// The text first lists the uses of the drawings: `piece: NAME`, `base: NAME`, `goal: NAME`, and `on KIND: NAME`
    /// for the effect of a kind of event. The drawings follow: `## NAME` and the rows of the large drawing, `## NAME
    /// small` and the rows of the small drawing. A heading that begins with `# ` may precede everything.
    ///
    /// ```
    /// use skirmish_rules::Gallery;
    ///
    /// let gallery = Gallery::parse("piece: dot\n\n## dot\n.##.\n####\n.##.\n\n## dot small\n##\n").unwrap();
    /// assert_eq!(gallery.piece.as_deref(), Some("dot"));
    /// assert_eq!(gallery.drawings[0].large.len(), 3);
    /// ```
    ///
    /// # Errors
    /// If `text` is malformed, a drawing lacks a size, or a drawing in use does not exist.
    pub fn parse(text: &str) -> Result<Self, GalleryError> {
        let mut gallery = Self::default();
        let mut uses = Vec::new();
        // The drawing whose rows are being read, and whether they are for the small size.
        let mut open: Option<(usize, bool)> = None;
        for (index, line) in text.lines().enumerate() {
            let (number, line) = (index + 1, line.trim_end());
            if let Some(title) = line.strip_prefix("## ") {
                open = Some(gallery.begin(number, title.trim())?);
            } else if line.is_empty() || (line.starts_with("# ") && open.is_none()) {
            } else if let Some((drawing, is_small)) = open {
                gallery.drawings[drawing].add(number, line, is_small)?;
            } else {
                let (role, name) = gallery.assign(number, line)?;
                uses.push((number, role, name));
            }
        }
        for (line, role, name) in uses {
            if !gallery.drawings.iter().any(|drawing| drawing.name == name) {
                return fault(line, format!("{role} is drawn as \"{name}\", which does not exist"));
            }
        }
        let unfinished =
            gallery.drawings.iter().find(|it| it.large.is_empty() || it.small.is_empty());
        if let Some(Drawing { name, large, .. }) = unfinished {
            let size = if large.is_empty() { "large" } else { "small" };
            return fault(text.lines().count(), format!("\"{name}\" has no {size} drawing"));
        }
        Ok(gallery)
    }

    /// Starts a drawing in its large or small size.
    fn begin(&mut self, line: usize, title: &str) -> Result<(usize, bool), GalleryError> {
        let (name, is_small) = match title.strip_suffix(" small") {
            Some(name) => (name, true),
            None => (title, false),
        };
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
        if name.is_empty() || !name.bytes().all(is_name) {
            let wrong = quotable(name);
            return fault(line, format!("\"{wrong}\" is not a name: use lower-case letters and -"));
        }
        let known = self.drawings.iter().position(|drawing| drawing.name == name);
        let index = known.unwrap_or(self.drawings.len());
        if known.is_none() {
            let (large, small) = (Vec::new(), Vec::new());
            self.drawings.push(Drawing { name: name.to_owned(), large, small });
        }
        if !self.drawings[index].rows(is_small).is_empty() {
            return fault(line, format!("\"{title}\" is drawn twice"));
        }
        Ok((index, is_small))
    }

    /// Parses a line that states the use of a drawing.
    fn assign(&mut self, line: usize, text: &str) -> Result<(String, String), GalleryError> {
        let expected = || {
            format!(
                "expected {} and a name, or ## NAME",
                alternatives(ROLES.map(|role| format!("{role}:")))
            )
        };
        let Some((role, name)) = text.split_once(':') else { return fault(line, expected()) };
        let (role, name) = (role.trim(), name.trim().to_owned());
        let place = match role {
            "piece" => &mut self.piece,
            "base" => &mut self.base,
            "goal" => &mut self.goal,
            _ => {
                let Some(kind) = role.strip_prefix("on ") else { return fault(line, expected()) };
                if self.effects.iter().any(|(known, _)| known == kind) {
                    return fault(line, format!("{role} is given twice"));
                }
                self.effects.push((kind.to_owned(), name.clone()));
                return Ok((role.to_owned(), name));
            }
        };
        if place.replace(name.clone()).is_some() {
            return fault(line, format!("{role} is given twice"));
        }
        Ok((role.to_owned(), name))
    }
}

impl Drawing {
    const fn rows(&self, is_small: bool) -> &Vec<String> {
        if is_small { &self.small } else { &self.large }
    }

    fn add(&mut self, line: usize, row: &str, is_small: bool) -> Result<(), GalleryError> {
        let (columns, rows) = if is_small { SMALL } else { LARGE };
        if let Some(wrong) = row.chars().find(|pixel| !"#o.".contains(*pixel)) {
            let wrong = quotable(&wrong.to_string());
            return fault(line, format!("\"{wrong}\" is not a pixel: expected #, o or ."));
        }
        if self.rows(is_small).first().is_some_and(|first| first.len() != row.len()) {
            return fault(line, "all rows of a drawing have the same length");
        }
        if row.len() > columns || self.rows(is_small).len() == rows {
            return fault(line, format!("the drawing is larger than {columns} by {rows}"));
        }
        let place = if is_small { &mut self.small } else { &mut self.large };
        place.push(row.to_owned());
        Ok(())
    }
}

fn fault<T>(line: usize, cause: impl Into<String>) -> Result<T, GalleryError> {
    Err(GalleryError { line, cause: cause.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        Gallery::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn drawings_have_uses_and_two_sizes() {
        let text = "# Game\n\npiece: man\non battle: flash\n\n## man\n.#\n#o\n## man small\n#\n## flash\n##\n\n## flash small\n#\n";
        let gallery = Gallery::parse(text).unwrap();
        assert_eq!(gallery.piece.as_deref(), Some("man"));
        assert_eq!((gallery.base, gallery.goal), (None, None));
        assert_eq!(gallery.effects, [("battle".to_owned(), "flash".to_owned())]);
        let rows = |rows: &[&str]| rows.iter().map(|&row| row.to_owned()).collect::<Vec<_>>();
        let man =
            Drawing { name: "man".to_owned(), large: rows(&[".#", "#o"]), small: rows(&["#"]) };
        assert_eq!(gallery.drawings[0], man);
        assert_eq!(Gallery::parse(""), Ok(Gallery::default()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, expected) in [
            ("pieces: man", "line 1: expected piece:, base: or goal: and a name, or ## NAME"),
            ("piece: man", "line 1: piece is drawn as \"man\", which does not exist"),
            ("piece: a\npiece: b", "line 2: piece is given twice"),
            ("on hit: a\non hit: b", "line 2: on hit is given twice"),
            ("## A", "line 1: \"A\" is not a name: use lower-case letters and -"),
            ("## a\n#x", "line 2: \"x\" is not a pixel: expected #, o or ."),
            ("## a\n##\n#", "line 3: all rows of a drawing have the same length"),
            ("## a\n#\n## a", "line 3: \"a\" is drawn twice"),
            ("## a\n#", "line 2: \"a\" has no small drawing"),
            ("## a small\n#", "line 2: \"a\" has no large drawing"),
            ("## a\n#################", "line 2: the drawing is larger than 16 by 12"),
            ("## a small\n#########", "line 2: the drawing is larger than 8 by 8"),
        ] {
            assert_eq!(message(text), expected, "{text}");
        }
    }
}
