//! What can be asked of the positions of a game.

use skirmish_rules::{Entry, Scene, Tempo};

/// What can be asked of the positions of a game. The game's scene decides, not its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// The name of the game.
    pub(super) game: &'static str,
    pub(super) tempo: Tempo,
    /// Whether pieces stand on a track.
    pub(super) has_track: bool,
    /// What the gauges measure.
    pub(super) gauge: Option<&'static str>,
}

impl Vocabulary {
    /// The vocabulary of a game, given the scene of any of its positions.
    #[must_use]
    pub fn of(entry: &Entry, scene: &Scene) -> Self {
        Self {
            game: entry.name,
            tempo: entry.tempo(),
            has_track: scene.track.is_some(),
            gauge: scene.gauges.map(|gauges| gauges.one.label),
        }
    }

    /// An example of every fact that can be asked for.
    #[must_use]
    pub fn examples(&self) -> Vec<String> {
        let mut examples: Vec<&str> = match self.tempo {
            Tempo::Alternating => vec![
                "win",
                "loss in 4",
                "draw",
                "endless",
                "over",
                "plies >= 4",
                "one winning move",
                "2 moves",
                "player 1 to move",
            ],
            Tempo::Simultaneous => vec!["value >= 0.3", "over", "player 1 mixes"],
        };
        if self.has_track {
            examples.extend(["player 1 on 3", "player 1 has 2 units", "units >= 3"]);
        }
        let gauge = self.gauge.map(|label| format!("player 1 has 5 {label}"));
        examples.into_iter().map(str::to_owned).chain(gauge).collect()
    }

    /// Whether a word names what the gauges measure, in the singular or the plural.
    pub(super) fn gauge_named(&self, word: &str) -> Option<&'static str> {
        let stem = |word: &str| word.to_lowercase().trim_end_matches('s').to_owned();
        self.gauge.filter(|label| stem(label) == stem(word))
    }
}
