//! Drawings: small pictures of pieces, bases and effects, written as text files in the games' folders.

use crate::pose::Pose;
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

/// The size of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// About 8 pixels high.
    Small,
    /// About 16 pixels high.
    Medium,
    /// About 32 pixels high.
    Large,
}

impl Size {
    /// All sizes, from the smallest to the largest.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// The word for the size in a file of drawings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }

    /// The maximum height in pixels, which is also the maximum width of a figure.
    const fn high(self) -> usize {
        match self {
            Self::Small => 8,
            Self::Medium => 16,
            Self::Large => 32,
        }
    }
}

/// A drawing in up to three sizes and several poses, as used for Player 1; Player 2 gets the mirror image.
///
/// In a row, `#` is a pixel in the side's colour, `+` a highlight, `%` a shade, `@` an outline, `o` a neutral pixel such as
/// metal or wood, and `.` an empty pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The name of the drawing.
    pub name: String,
    views: Vec<View>,
}

/// A drawing in one pose and size.
#[derive(Clone, Debug, PartialEq, Eq)]
struct View {
    pose: Pose,
    size: Size,
    rows: Vec<String>,
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

/// The pixels of a row.
const PIXELS: &str = "#+%@o.";

/// The uses of drawings, apart from effects.
const ROLES: [&str; 3] = ["piece", "base", "goal"];

impl Gallery {
    /// Parses drawings.
    ///
    /// The text first lists the uses of the drawings: `piece: NAME`, `base: NAME`, `goal: NAME`, and `on KIND: NAME`
    /// for the effect of a kind of event. The drawings follow, each as a heading and its rows. A heading is `## NAME SIZE`
    /// or `## NAME POSE SIZE`; without a pose, the drawing stands. Every drawing needs the small size; a missing size is the
    /// next smaller one, enlarged twofold. A pose must have all sizes in which the drawing stands. A heading that begins
    /// with `# ` may precede everything.
    ///
    /// ```
    /// use skirmish_rules::{Gallery, Pose, Size};
    ///
    /// let gallery = Gallery::parse("piece: dot\n\n## dot small\n.#\n\n## dot medium\n.##.\n#++#\n").unwrap();
    /// assert_eq!(gallery.piece.as_deref(), Some("dot"));
    /// let dot = gallery.named("dot").unwrap();
    /// assert_eq!(dot.rows(Pose::Walk, Size::Medium), [".##.", "#++#"]);
    /// ```
    ///
    /// # Errors
    /// If `text` is malformed, a drawing lacks a size, or a drawing in use does not exist.
    pub fn parse(text: &str) -> Result<Self, GalleryError> {
        let mut gallery = Self::default();
        let mut uses = Vec::new();
        // The drawing whose rows are being read.
        let mut open: Option<usize> = None;
        for (index, line) in text.lines().enumerate() {
            let (number, line) = (index + 1, line.trim_end());
            if let Some(title) = line.strip_prefix("## ") {
                open = Some(gallery.begin(number, title.trim())?);
            } else if line.is_empty() || (line.starts_with("# ") && open.is_none()) {
            } else if let Some(drawing) = open {
                let is_figure = gallery.piece.as_ref() == Some(&gallery.drawings[drawing].name);
                gallery.drawings[drawing].add(number, line, is_figure)?;
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
        for drawing in &gallery.drawings {
            if let Some(lacking) = drawing.lacking() {
                return fault(text.lines().count(), lacking);
            }
        }
        Ok(gallery)
    }

    /// The drawing with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Drawing> {
        self.drawings.iter().find(|drawing| drawing.name == name)
    }

    /// Starts a drawing in a pose and size. Returns its index.
    fn begin(&mut self, line: usize, title: &str) -> Result<usize, GalleryError> {
        let words: Vec<&str> = title.split_whitespace().collect();
        let (name, pose, size) = match words[..] {
            [name, size] => (name, Pose::Stand.name(), size),
            [name, pose, size] => (name, pose, size),
            _ => return fault(line, "expected ## NAME SIZE or ## NAME POSE SIZE"),
        };
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
        if !name.bytes().all(is_name) {
            let wrong = quotable(name);
            return fault(line, format!("\"{wrong}\" is not a name: use lower-case letters and -"));
        }
        let Some(pose) = Pose::ALL.into_iter().find(|it| it.name() == pose) else {
            let (wrong, expected) = (quotable(pose), alternatives(Pose::ALL.map(Pose::name)));
            return fault(line, format!("\"{wrong}\" is not a pose: expected {expected}"));
        };
        let Some(size) = Size::ALL.into_iter().find(|it| it.name() == size) else {
            let (wrong, expected) = (quotable(size), alternatives(Size::ALL.map(Size::name)));
            return fault(line, format!("\"{wrong}\" is not a size: expected {expected}"));
        };
        let known = self.drawings.iter().position(|drawing| drawing.name == name);
        let index = known.unwrap_or(self.drawings.len());
        if known.is_none() {
            self.drawings.push(Drawing { name: name.to_owned(), views: Vec::new() });
        }
        let drawing = &mut self.drawings[index];
        if drawing.view(pose, size).is_some() {
            return fault(line, format!("\"{title}\" is drawn twice"));
        }
        drawing.views.push(View { pose, size, rows: Vec::new() });
        Ok(index)
    }

    /// Parses a line that states the use of a drawing.
    fn assign(&mut self, line: usize, text: &str) -> Result<(String, String), GalleryError> {
        let expected = || {
            format!(
                "expected {} and a name, or ## NAME SIZE",
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
    /// The rows in a pose and size. A missing pose is replaced by `stand`, and a missing size by the nearest smaller one,
    /// enlarged twofold.
    #[must_use]
    pub fn rows(&self, pose: Pose, size: Size) -> Vec<String> {
        let pose = if self.has(pose, Size::Small) { pose } else { Pose::Stand };
        let sizes = Size::ALL.into_iter().rev().filter(|it| *it <= size);
        match sizes.into_iter().find_map(|size| self.view(pose, size)) {
            Some(view) if view.size == size => view.rows.clone(),
            Some(view) => doubled(&view.rows),
            None => Vec::new(),
        }
    }

    /// Whether the drawing exists in this pose and size.
    #[must_use]
    pub fn has(&self, pose: Pose, size: Size) -> bool {
        self.view(pose, size).is_some()
    }

    fn view(&self, pose: Pose, size: Size) -> Option<&View> {
        self.views.iter().find(|view| (view.pose, view.size) == (pose, size))
    }

    /// Adds a row to the latest view.
    fn add(&mut self, line: usize, row: &str, is_figure: bool) -> Result<(), GalleryError> {
        let View { size, rows, .. } = self.views.last_mut().expect("the heading comes first");
        let high = size.high();
        let wide = if is_figure { high } else { high * 3 / 2 };
        if let Some(wrong) = row.chars().find(|pixel| !PIXELS.contains(*pixel)) {
            let wrong = quotable(&wrong.to_string());
            return fault(line, format!("\"{wrong}\" is not a pixel: expected one of {PIXELS}"));
        }
        if rows.first().is_some_and(|first| first.len() != row.len()) {
            return fault(line, "all rows of a drawing have the same length");
        }
        if row.len() > wide || rows.len() == high {
            return fault(line, format!("the drawing is larger than {wide} by {high}"));
        }
        rows.push(row.to_owned());
        Ok(())
    }

    /// What the drawing lacks: rows, the small size, or a size in one of its poses.
    fn lacking(&self) -> Option<String> {
        let name = &self.name;
        if let Some(View { pose, size, .. }) = self.views.iter().find(|view| view.rows.is_empty()) {
            return Some(format!("\"{name} {} {}\" has no rows", pose.name(), size.name()));
        }
        let is_drawn = |pose| self.views.iter().any(|view| view.pose == pose);
        let is_needed =
            |size| size == Size::Small || self.views.iter().any(|view| view.size == size);
        let poses = Pose::ALL.into_iter().filter(|pose| *pose == Pose::Stand || is_drawn(*pose));
        let mut needed = poses.flat_map(|pose| {
            Size::ALL.into_iter().filter(|size| is_needed(*size)).map(move |size| (pose, size))
        });
        let (pose, size) = needed.find(|(pose, size)| !self.has(*pose, *size))?;
        Some(format!("\"{name}\" has no {} drawing in the pose {}", size.name(), pose.name()))
    }
}

/// Rows enlarged twofold.
fn doubled(rows: &[String]) -> Vec<String> {
    let wide = |row: &String| row.chars().flat_map(|pixel| [pixel; 2]).collect::<String>();
    rows.iter().flat_map(|row| [wide(row), wide(row)]).collect()
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
    fn drawings_have_uses_sizes_and_poses() {
        let text = "# Game\n\npiece: man\non battle: flash\n\n## man small\n#\n## man medium\n.+\n%o\n\
                    ## man walk small\n@\n## man walk medium\n@@\n\n## flash small\n#.\n";
        let gallery = Gallery::parse(text).unwrap();
        assert_eq!(gallery.piece.as_deref(), Some("man"));
        assert_eq!((&gallery.base, &gallery.goal), (&None, &None));
        assert_eq!(gallery.effects, [("battle".to_owned(), "flash".to_owned())]);
        let rows = |name, pose, size| gallery.named(name).unwrap().rows(pose, size);
        assert_eq!(rows("man", Pose::Stand, Size::Small), ["#"]);
        assert_eq!(rows("man", Pose::Stand, Size::Medium), [".+", "%o"]);
        assert_eq!(rows("man", Pose::Walk, Size::Medium), ["@@"]);
        assert_eq!(rows("man", Pose::Fall, Size::Small), ["#"], "it stands instead");
        assert_eq!(rows("man", Pose::Stand, Size::Large), ["..++", "..++", "%%oo", "%%oo"]);
        assert_eq!(rows("flash", Pose::Stand, Size::Large), ["##..", "##.."], "only twofold");
        assert_eq!(Gallery::parse(""), Ok(Gallery::default()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wide = "#".repeat(13);
        for (text, expected) in [
            ("pieces: man", "line 1: expected piece:, base: or goal: and a name, or ## NAME SIZE"),
            ("piece: man", "line 1: piece is drawn as \"man\", which does not exist"),
            ("piece: a\npiece: b", "line 2: piece is given twice"),
            ("on hit: a\non hit: b", "line 2: on hit is given twice"),
            ("## a", "line 1: expected ## NAME SIZE or ## NAME POSE SIZE"),
            ("## A small", "line 1: \"A\" is not a name: use lower-case letters and -"),
            ("## a big", "line 1: \"big\" is not a size: expected small, medium or large"),
            (
                "## a run small",
                "line 1: \"run\" is not a pose: expected stand, walk, strike, fall or cheer",
            ),
            ("## a small\n#x", "line 2: \"x\" is not a pixel: expected one of #+%@o."),
            ("## a small\n##\n#", "line 3: all rows of a drawing have the same length"),
            ("## a small\n#\n## a stand small", "line 3: \"a stand small\" is drawn twice"),
            ("## a small", "line 1: \"a stand small\" has no rows"),
            ("## a medium\n#", "line 2: \"a\" has no small drawing in the pose stand"),
            (
                "## a small\n#\n## a medium\n#\n## a walk small\n#",
                "line 6: \"a\" has no medium drawing in the pose walk",
            ),
            (
                "## a small\n#\n## a walk small\n#\n## a walk large\n#",
                "line 6: \"a\" has no large drawing in the pose stand",
            ),
            ("piece: a\n## a small\n#########", "line 3: the drawing is larger than 8 by 8"),
            (&format!("## a small\n{wide}"), "line 2: the drawing is larger than 12 by 8"),
            (
                &format!("## a small{}", "\n#".repeat(9)),
                "line 10: the drawing is larger than 12 by 8",
            ),
        ] {
            assert_eq!(message(text), expected, "{text}");
        }
    }
}
