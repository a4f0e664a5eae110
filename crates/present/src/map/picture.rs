//! The model of a map that the renderers share: panels of tiles and bars with tones, independent of any game.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Serialize, Serializer};

/// A whole map.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Picture {
    pub(super) title: String,
    /// A one-line description of the picture.
    pub(super) subtitle: String,
    /// Columns of panels, which renderers place side by side if they fit.
    pub(super) columns: Vec<Vec<Panel>>,
    pub(super) legend: Vec<Key>,
    /// Sentences at the bottom.
    pub(super) notes: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Panel {
    Sheet(Sheet),
    Bars(Bars),
}

/// A grid of tiles, row by row.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub(super) title: String,
    pub(super) down: Axis,
    pub(super) across: Axis,
    pub(super) tiles: Vec<Vec<Tile>>,
}

/// The rows or columns of a sheet.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Axis {
    pub(super) label: String,
    /// A short label.
    pub(super) short: Cow<'static, str>,
    pub(super) ticks: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) text: String,
    /// The tile in words; `None` if there is no position.
    pub(super) spoken: Option<String>,
    pub(super) fill: Fill,
    /// Whether this is the marked position.
    pub(super) is_marked: bool,
    /// The position, if the tile represents a single position.
    pub(super) position: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Fill {
    /// One tone for the whole tile.
    Whole(Tone),
    /// A bar of shares that add up to 1.
    Shares(Vec<(Tone, f64)>),
}

/// Horizontal bars, one per line.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Bars {
    pub(super) title: String,
    pub(super) rows: Vec<Bar>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Bar {
    pub(super) label: String,
    /// The parts of the bar, as shares of the full length.
    pub(super) parts: Vec<(Tone, f64)>,
    pub(super) note: String,
}

/// The meaning of a colour. The strength of a win or loss ranges from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// A win of this strength.
    Win(f64),
    /// A loss of this strength.
    Loss(f64),
    /// Neither a win nor a loss.
    Even,
    /// A finished game.
    Over,
    /// A position that a query did not find.
    Other,
    /// No position.
    Nothing,
    /// A neutral amount, neither good nor bad.
    Plain,
}

/// An entry of the legend.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Key {
    pub(super) sample: &'static str,
    pub(super) tone: Tone,
    pub(super) is_marked: bool,
    pub(super) meaning: &'static str,
    /// The meaning in one word, for small windows.
    #[serde(skip)]
    pub(super) word: &'static str,
}

impl Tile {
    /// The tile of an unreachable position.
    pub(super) fn nothing() -> Self {
        let fill = Fill::Whole(Tone::Nothing);
        Self { text: ".".to_owned(), spoken: None, fill, is_marked: false, position: None }
    }
}

/// An index into `looks`, and the position; `None` for an empty tile.
type SentTile<'a> = Option<(usize, Option<&'a str>)>;

/// The serialised form of a sheet. Looks are stored once, because a map has thousands of tiles but few different looks.
#[derive(Serialize)]
struct SentSheet<'a> {
    title: &'a str,
    down: &'a Axis,
    across: &'a Axis,
    /// The text, words and fill of each distinct tile.
    looks: Vec<(&'a str, &'a str, &'a Fill)>,
    tiles: Vec<Vec<SentTile<'a>>>,
}

impl Serialize for Sheet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SentSheet::from(self).serialize(serializer)
    }
}

impl<'a> From<&'a Sheet> for SentSheet<'a> {
    fn from(Sheet { title, down, across, tiles }: &'a Sheet) -> Self {
        let mut looks = Vec::new();
        let mut known = HashMap::new();
        let mut send = |tile: &'a Tile| {
            let Tile { text, spoken, fill, position, .. } = tile;
            let spoken = spoken.as_deref()?;
            let look = known.entry((text, spoken, format!("{fill:?}"))).or_insert_with(|| {
                looks.push((text.as_str(), spoken, fill));
                looks.len() - 1
            });
            Some((*look, position.as_deref()))
        };
        let tiles = tiles.iter().map(|row| row.iter().map(&mut send).collect()).collect();
        Self { title, down, across, looks, tiles }
    }
}

impl Key {
    pub(super) const fn new(
        sample: &'static str,
        tone: Tone,
        meaning: &'static str,
        word: &'static str,
    ) -> Self {
        Self { sample, tone, is_marked: false, meaning, word }
    }

    /// The legend entry of the marked tile.
    pub(super) const fn mark(meaning: &'static str) -> Self {
        Self { sample: "", tone: Tone::Nothing, is_marked: true, meaning, word: meaning }
    }
}

impl Tone {
    /// The tone of a number between −1 and +1.
    pub(super) fn of(number: f64) -> Self {
        if number > 0.0 {
            Self::Win(number)
        } else if number < 0.0 {
            Self::Loss(-number)
        } else {
            Self::Even
        }
    }

    /// The letter that replaces the colour in plain text.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Win(_) => 'W',
            Self::Loss(_) => 'L',
            Self::Even => '=',
            Self::Over | Self::Plain => '#',
            Self::Other => '-',
            Self::Nothing => '.',
        }
    }
}

impl Picture {
    /// The rows and columns of the largest sheet.
    pub(super) fn largest(&self) -> Option<(usize, usize)> {
        let sizes = self.columns.iter().flatten().filter_map(|panel| match panel {
            Panel::Sheet(sheet) => Some((sheet.down.ticks.len(), sheet.across.ticks.len())),
            Panel::Bars(_) => None,
        });
        sizes.max_by_key(|(rows, columns)| *rows.max(columns))
    }
}
