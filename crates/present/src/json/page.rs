//! Additional JSON objects for the web page: boards to draw, with all legal choices.

use skirmish_play::Review;
use skirmish_play::player::Level;
use skirmish_rules::{
    Both, Change, Drawing, Entry, Gallery, Gauge, Lesson, Pose, Record, Refusal, Scene, Side, Size,
    Table, Task, Tempo,
};

use super::object::objects;
use super::types::{Named, Optional, PerPlayer};
use super::{
    AnalysisObject, BlockObject, GameObject, PieceObject, PositionObject, PuzzleObject,
    ReviewObject, TurnEventObject, VariantObject, blocks,
};
use crate::choice::{Consequence, consequences};
use crate::review::{accuracy, conclusion, remarks, verdict};
use crate::speech;

objects! {
    /// A game in a list of games.
    pub struct ListedGameObject {
        game: &'static str = "the game's id",
        name: &'static str = "the name for people",
        summary: &'static str = "a description in one sentence",
        sign: Option<Vec<String>> =
            "a medium drawing that represents the game, in the form of `drawings` below; null if there is none",
    }

    /// A game with its drawings, for the page.
    pub struct PageGameObject {
        ..game: GameObject,
        tempo: &'static str = "`turns`, or `simultaneous` if both choose simultaneously",
        drawings: Named<String, Vec<String>> =
            "the game's drawings: `NAME` is the large one, `NAME-medium` and `NAME-small` are the others; \
            `NAME-POSE`, `NAME-POSE-medium` and `NAME-POSE-small` are those in a pose (`walk`, `strike`, `fall`, \
            `cheer`). In a row, `#` is a pixel in the player's colour, `+` a highlight, `%` a shade, `@` an outline, \
            `o` a neutral pixel, `.` an empty one. Player 2's are mirrored",
        effects: Named<String, String> = "for kinds of events, the drawing that shows them",
    }

    /// A computer level.
    pub struct LevelObject {
        level: &'static str = "its name, as in `level` of the terms",
        name: &'static str = "the name for people",
        about: &'static str = "a short description of how it plays",
    }

    /// A position to draw and to play from.
    pub struct PageBoardObject {
        ..position: PositionObject,
        first: Option<u8> = "who starts; null in simultaneous games",
        scene: SceneObject = "the scene to draw",
        choices: Named<u8, Vec<ChoiceObject>> = "for each player in `turn`, the legal choices",
        prompt: Named<u8, String> = "for each player in `turn`, the question",
        text: String = "the board in sentences",
        matrix: Optional<Named<String, String>> =
            "only in simultaneous games: for each pair of choices, as a turn in notation, the position it leads to",
        analysis: Optional<AnalysisObject> = "only with `values=1`: the output of `analyze --json`",
        remarks: Vec<String> = "with `values=1`, the other sentences of `analyze`: who is under pressure",
    }

    /// The drawn parts of a position.
    pub struct SceneObject {
        track: Option<TrackObject> = "the line of places; null in games without one",
        pieces: Vec<PieceObject> = "the pieces on it",
        gauges: Option<PerPlayer<GaugeObject>> = "each player's points; null in games without any",
        drawings: PerPlayer<UseObject> = "for each player, the drawings in use",
    }

    /// A line of numbered places.
    pub struct TrackObject {
        first: u8 = "the leftmost place",
        last: u8 = "the rightmost place",
        goal: Option<PerPlayer<u8>> = "the goal of each player; null in games without one",
    }

    /// A player's points.
    pub struct GaugeObject {
        label: &'static str = "the unit of the points",
        value: u8 = "the number of points",
        max: u8 = "the maximum",
    }

    /// The names of a player's drawings. Null stands for a plain token, or for nothing.
    pub struct UseObject {
        piece: Option<String> = "a piece; without a track the player's figure",
        base: Option<String> = "the player's base, which is the goal of the opponent",
        goal: Option<String> = "a goal that belongs to nobody",
    }

    /// A legal choice.
    pub struct ChoiceObject {
        r#move: String = "in notation",
        words: String = "the move in full words, as a player may type it",
        label: String =
            "where the choice leads and what it costs: `2 steps → 5, pushes Player 2 to 7`; different for each choice",
        fate: Option<String> =
            "how the choice decides the game: `you win`, `you lose`, or `you lose if …`; null if it does not",
        loses: bool = "whether the player has lost after this turn or, in an alternating game, after every reply",
        piece: Option<PieceObject> = "the player's own piece that moves; null if none does",
        to: Option<u8> =
            "the place where that piece arrives, or where a new one appears; null if neither happens, and in \
            simultaneous games",
        position: Option<String> = "the resulting position; null in simultaneous games",
    }

    /// A turn that has been played.
    pub struct PlayedObject {
        told: Vec<TurnEventObject> = "the events of the turn, and of forced passes after it",
        board: PageBoardObject = "the position after the turn",
    }

    /// A game between two computer players, for a small board that plays itself.
    pub struct DemoObject {
        game: &'static str = "the game's id",
        name: &'static str = "the name for people",
        drawings: Named<String, Vec<String>> = "the drawings that the scenes use, in all sizes",
        scenes: Vec<SceneObject> = "the scene at the start and after each turn",
        winner: Option<u8> = "who wins; null if the game is a draw or not over at the last scene",
    }

    /// A puzzle with what the page shows beside it.
    pub struct PagePuzzleObject {
        puzzle: PuzzleObject = "the output of `puzzle --json`",
        task: String = "the task in a sentence",
        number: usize = "the number of the puzzle among those of its seed and level, from 1",
        total: usize = "the number of puzzles of the board, of all levels",
    }

    /// A tutorial.
    pub struct TutorialObject {
        game: &'static str = "the game's id",
        lessons: Vec<LessonObject> = "the lessons, in order; none if the game has no tutorial",
    }

    /// A lesson. The learner is Player 1.
    pub struct LessonObject {
        title: String = "the topic, in a few words",
        text: String = "the text in Markdown; paragraphs are separated by empty lines",
        blocks: Vec<BlockObject> =
            "the same text, parsed into blocks, as in \
            [a rules page](#the-catalogue-skirmish-games---json-skirmish-rules-game---json)",
        position: Option<String> = "the position at the start; null if the lesson continues from the previous one",
        task: TaskObject = "`read`, `any` for any legal move, or the moves one of which is to be played",
        replies: Vec<String> =
            "the moves that are played next; in simultaneous games, Player 2's choice in the same turn",
        praise: String = "the comment after a correct move",
        advice: String = "the comment after any other move, which is not played",
    }

    /// The review of a game in a room.
    pub struct PageReviewObject {
        ..variant: VariantObject,
        first: Option<u8> = "who started; null in simultaneous games",
        names: PerPlayer<String> = "the players' names",
        review: Option<ReviewObject> = "the output of `review --json`; null with `values=0`, for boards that are too large",
        verdicts: Vec<String> = "the verdict in words for each choice of `review`",
        accuracy: Optional<PerPlayer<String>> = "each player's accuracy in words; not with `values=0`",
        sentences: Vec<String> = "the sentences of `review` about the game; the last ones say how it ended",
        boards: Vec<String> = "the position before each turn, and at the end",
        told: Vec<Vec<TurnEventObject>> = "the events of each turn",
    }
}

/// The task of a lesson.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum TaskObject {
    /// The word `read` or `any`.
    Word(&'static str),
    /// Asks for one of these moves.
    Moves(Vec<String>),
}

impl super::JsonType for TaskObject {
    fn kind() -> String {
        "string or array of strings".to_owned()
    }
}

impl From<&Entry> for ListedGameObject {
    fn from(entry: &Entry) -> Self {
        let gallery = entry.gallery();
        let sign = gallery.drawings.first().map(|it| it.rows(Pose::Stand, Size::Medium));
        let GameObject { game, name, summary, .. } = GameObject::from(entry);
        Self { game, name, summary, sign }
    }
}

/// A drawing in these poses and all sizes, with their names.
fn views(drawing: &Drawing, poses: &[Pose]) -> Vec<(String, Vec<String>)> {
    let poses = poses.iter().copied().filter(|pose| drawing.has(*pose, Size::Small));
    let views = poses.flat_map(|pose| Size::ALL.map(|size| (pose, size)));
    let named = views.map(|(pose, size)| {
        let pose_name = if pose == Pose::Stand { "" } else { pose.name() };
        let size_name = if size == Size::Large { "" } else { size.name() };
        let words = [drawing.name.as_str(), pose_name, size_name];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        (words.join("-"), drawing.rows(pose, size))
    });
    named.collect()
}

impl From<&Entry> for PageGameObject {
    fn from(entry: &Entry) -> Self {
        let Gallery { effects, drawings, .. } = entry.gallery();
        Self {
            game: GameObject::from(entry),
            tempo: match entry.tempo() {
                Tempo::Alternating => "turns",
                Tempo::Simultaneous => "simultaneous",
            },
            drawings: drawings.iter().flat_map(|drawing| views(drawing, &Pose::ALL)).collect(),
            effects: effects.into_iter().collect(),
        }
    }
}

impl DemoObject {
    /// Describes a game by its scenes.
    #[must_use]
    pub fn of(entry: &Entry, scenes: Vec<Scene>, winner: Option<Side>) -> Self {
        let gallery = entry.gallery();
        let used = [&gallery.piece, &gallery.base, &gallery.goal];
        let is_used = |drawing: &Drawing| used.contains(&&Some(drawing.name.clone()));
        let drawings = gallery.drawings.iter().filter(|drawing| is_used(drawing));
        let GameObject { game, name, .. } = GameObject::from(entry);
        Self {
            game,
            name,
            drawings: drawings.flat_map(|drawing| views(drawing, &[Pose::Stand])).collect(),
            scenes: scenes.into_iter().map(|scene| SceneObject::of(scene, &gallery)).collect(),
            winner: winner.map(Side::number),
        }
    }
}

impl PageBoardObject {
    /// Describes the position on a table.
    #[must_use]
    pub fn of(table: &dyn Table) -> Self {
        let turn = table.turn();
        let starts = table.tempo() == Tempo::Alternating;
        let choices = |side: Side| (side.number(), ChoiceObject::all(table, side));
        let prompt = |side: Side| (side.number(), table.prompt(side).ask.trim_end().to_owned());
        Self {
            position: PositionObject::of(table),
            first: starts.then(|| table.first().number()),
            scene: SceneObject::of(table.scene(), &table.entry().gallery()),
            choices: turn.iter().map(|&side| choices(side)).collect(),
            prompt: turn.iter().map(|&side| prompt(side)).collect(),
            text: speech::describe(table),
            matrix: Optional(matrix(table)),
            analysis: Optional(None),
            remarks: Vec::new(),
        }
    }
}

/// The position after each pair of choices; `None` in an alternating game.
fn matrix(table: &dyn Table) -> Option<Named<String, String>> {
    if table.tempo() != Tempo::Simultaneous || table.outcome().is_some() {
        return None;
    }
    let [one, two] = Side::ALL.map(|side| table.choices(side));
    let pairs = one
        .iter()
        .flat_map(|one| two.iter().map(move |two| format!("{}|{}", one.notation, two.notation)));
    let leads = |pair: String| {
        let mut tried = table.fork();
        tried.play(&pair).is_ok().then(|| (pair, tried.position()))
    };
    Some(pairs.filter_map(leads).collect())
}

impl SceneObject {
    fn of(scene: Scene, gallery: &Gallery) -> Self {
        let Gallery { piece, base, goal, .. } = gallery.clone();
        let uses = UseObject { piece, base, goal };
        let gauge = |Gauge { label, value, max }: Gauge| GaugeObject { label, value, max };
        Self {
            track: scene.track.map(|track| TrackObject {
                first: track.first,
                last: track.last,
                goal: track.goal.map(PerPlayer::from),
            }),
            pieces: scene.pieces.into_iter().map(PieceObject::from).collect(),
            gauges: scene.gauges.map(|gauges| gauges.map(gauge).into()),
            drawings: Both::new(uses.clone(), uses).into(),
        }
    }
}

impl ChoiceObject {
    /// Describes all choices of a side. Finds the position after a move by playing it on a copy of the game.
    fn all(table: &dyn Table, side: Side) -> Vec<Self> {
        let is_alone = table.tempo() == Tempo::Alternating;
        let all = table.choices(side).into_iter().zip(consequences(table, side));
        let choices = all.map(|(choice, Consequence { label, fate, loses, .. })| {
            let mut tried = table.fork();
            let played = is_alone && tried.play(&choice.notation).is_ok();
            let changes = if played { tried.last_turn() } else { Vec::new() };
            let changes = changes.into_iter().flat_map(|telling| telling.changes);
            let (piece, to) = changes.into_iter().find_map(|change| goes(change, side)).unzip();
            Self {
                r#move: choice.notation,
                words: choice.words,
                label,
                fate,
                loses,
                piece: piece.flatten(),
                to,
                position: played.then(|| tried.position()),
            }
        });
        choices.collect()
    }
}

/// If `change` moves or adds a piece of `side`: that piece (`None` if new) and its new place.
fn goes(change: Change, side: Side) -> Option<(Option<PieceObject>, u8)> {
    match change {
        Change::Moves { piece, to } if piece.side == side => Some((Some(piece.into()), to)),
        Change::Appears(piece) if piece.side == side => Some((None, piece.at)),
        Change::Appears(_)
        | Change::Moves { .. }
        | Change::Strengthens { .. }
        | Change::Vanishes(_)
        | Change::Gauge { .. } => None,
    }
}

impl From<Level> for LevelObject {
    fn from(level: Level) -> Self {
        Self { level: level.name(), name: level.name(), about: level.about() }
    }
}

impl TutorialObject {
    /// Describes the tutorial of a game.
    #[must_use]
    pub fn of(entry: &Entry) -> Self {
        let lessons = entry.lessons().map_or_else(Vec::new, |tutorial| tutorial.lessons);
        Self { game: entry.id, lessons: lessons.into_iter().map(LessonObject::from).collect() }
    }
}

impl From<Lesson> for LessonObject {
    fn from(lesson: Lesson) -> Self {
        let Lesson { title, text, position, task, replies, praise, advice } = lesson;
        let task = match task {
            Task::Read => TaskObject::Word("read"),
            Task::PlayAny => TaskObject::Word("any"),
            Task::Play(moves) => TaskObject::Moves(moves),
        };
        Self { title, blocks: blocks(&text), text, position, task, replies, praise, advice }
    }
}

impl PageReviewObject {
    /// Describes the turns of a record, without a review.
    ///
    /// # Errors
    /// If a turn is illegal.
    pub fn replay(record: &Record) -> Result<Self, Refusal> {
        let mut table = record.table();
        let mut boards = vec![table.position()];
        let mut told = Vec::new();
        for turn in &record.turns {
            table.play(&turn.notation)?;
            boards.push(table.position());
            told.push(TurnEventObject::last_turn(&*table));
        }
        let starts = table.tempo() == Tempo::Alternating;
        Ok(Self {
            variant: VariantObject::of(record.entry, &record.settings),
            first: starts.then(|| record.first.number()),
            names: record.names.clone().into(),
            review: None,
            verdicts: Vec::new(),
            accuracy: Optional(None),
            sentences: vec![conclusion(record)],
            boards,
            told,
        })
    }

    /// Adds the review.
    #[must_use]
    pub fn judged(self, record: &Record, review: &Review) -> Self {
        let verdict = |choice| verdict(choice, &record.names);
        let remarks = remarks(record, review).into_iter().flatten();
        Self {
            review: Some(ReviewObject::of(record, review)),
            verdicts: review.choices.iter().map(verdict).collect(),
            accuracy: Optional(Some(Both::from_fn(|side| accuracy(review, side)).into())),
            sentences: remarks.map(|sentence| sentence.replace('\n', " ")).collect(),
            ..self
        }
    }
}
