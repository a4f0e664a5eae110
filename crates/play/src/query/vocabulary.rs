//! The properties that a query can test.

use skirmish_rules::{Entry, Gauge, Scene, Tempo, Track};

/// The properties of a game's positions that a query can test, derived from the game's scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// The name of the game.
    pub(super) game: &'static str,
    pub(super) tempo: Tempo,
    /// The track on which the pieces stand.
    pub(super) track: Option<Track>,
    /// The gauge of each player, if there are gauges.
    pub(super) gauge: Option<Gauge>,
}

impl Vocabulary {
    /// Returns the vocabulary of a game, given the scene of any of its positions.
    #[must_use]
    pub fn of(entry: &Entry, scene: &Scene) -> Self {
        Self {
            game: entry.name,
            tempo: entry.tempo(),
            track: scene.track,
            gauge: scene.gauges.map(|gauges| gauges.one),
        }
    }

    /// Returns an example of every fact that applies to the game.
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
        if self.track.is_some() {
            examples.extend(["player 1 on 1", "player 1 has 1 unit", "units >= 2"]);
        }
        let gauge = self.gauge.map(|gauge| gauge_example(&gauge));
        examples.into_iter().map(str::to_owned).chain(gauge).collect()
    }

    /// Returns the gauge if a word names its unit, in the singular or the plural.
    pub(super) fn gauge_named(&self, word: &str) -> Option<Gauge> {
        let stem = |word: &str| word.to_lowercase().trim_end_matches('s').to_owned();
        self.gauge.filter(|gauge| stem(gauge.label) == stem(word))
    }
}

/// Returns an example of a fact about a gauge.
pub(super) fn gauge_example(gauge: &Gauge) -> String {
    format!("player 1 has {} {}", gauge.max, gauge.label)
}
