//! The page's JSON API: questions about games, boards and turns.

mod solo;
mod study;

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, FromRequestParts, Query};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::{Deserialize, Serialize};
use skirmish_play::player::Level;
use skirmish_present::json::{
    self, LevelObject, ListedGameObject, PageBoardObject, PageGameObject, PlayedObject,
    RulesObject, TurnEventObject, TutorialObject,
};
use skirmish_room::TimeControl;
use skirmish_room::wire::Phrase;
use skirmish_rules::{
    Both, Entry, Settings, Setup, Side, Table, conjunction, default_names, printable, quotable,
};

use crate::http;
use crate::hub::Hub;
use crate::limits::{Reached, Use};
use crate::listener::ClientInfo;

/// Extra cost of a question that may need a solved board.
const DEAR: u32 = 9;

/// A question costs one more credit for each group of this many turns that it contains.
const TURNS_PER_CREDIT: usize = 100;

/// How long a browser may cache an answer. The same question has the same answer until the server is updated.
const KEPT: &str = "public, max-age=600";

pub(crate) fn router() -> Router<Arc<Hub>> {
    Router::new()
        .route("/api/games", get(games))
        .route("/api/game", get(game))
        .route("/api/phrases", get(phrases))
        .route("/api/board", get(board))
        .route("/api/turn", get(turn))
        .route("/api/rules", get(rules))
        .route("/api/tutorial", get(tutorial))
        .route("/api/map", get(study::map))
        .route("/api/picture", get(study::picture))
        .route("/api/review", get(study::review))
        .route("/api/demos", get(solo::demos))
        .route("/api/puzzle", get(solo::puzzle))
        .route("/api/", get(unknown))
        .route("/api/{*question}", get(unknown))
}

/// The query parameters of all questions, as text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Asked {
    game: String,
    rules: String,
    first: String,
    position: Option<String>,
    p1: Option<String>,
    p2: Option<String>,
    turns: String,
    values: String,
    code: String,
    date: String,
    seed: String,
    level: String,
    number: String,
}

/// A question, and the client that asks it.
struct Question {
    hub: Arc<Hub>,
    address: IpAddr,
    asked: Asked,
}

impl FromRequestParts<Arc<Hub>> for Question {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, hub: &Arc<Hub>) -> Result<Self, Refused> {
        let Extension(ClientInfo { address, .. }) = Extension::from_request_parts(parts, hub)
            .await
            .map_err(|error| Refused::new(StatusCode::INTERNAL_SERVER_ERROR, error.body_text()))?;
        let Query(asked) = Query::from_request_parts(parts, hub)
            .await
            .map_err(|error: QueryRejection| Refused::bad(&error.body_text()))?;
        Ok(Self { hub: Arc::clone(hub), address, asked })
    }
}

/// Why a question is refused: an HTTP status and a sentence.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    why: String,
    /// Seconds until the question may be asked again, if known.
    seconds: Option<u32>,
}

impl From<Reached> for Refused {
    fn from(reached: Reached) -> Self {
        let seconds = Some(reached.seconds);
        Self { seconds, ..Self::new(StatusCode::TOO_MANY_REQUESTS, reached.text()) }
    }
}

impl Refused {
    pub(crate) fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self { status, why: why.into(), seconds: None }
    }

    /// Responds with the sentence alone, for requests that are not answered in JSON.
    pub(crate) fn into_text(self) -> Response {
        (self.retry_after(), http::text(self.status, format!("{}\n", self.why))).into_response()
    }

    fn retry_after(&self) -> Option<[(HeaderName, String); 1]> {
        self.seconds.map(|seconds| [(RETRY_AFTER, seconds.to_string())])
    }

    /// Refuses a malformed question, with this explanation.
    fn bad(why: &dyn std::fmt::Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, sentence(&why.to_string()))
    }
}

/// Formats an error as a sentence. A leading rule option such as `units=9` is not capitalised.
fn sentence(text: &str) -> String {
    let mut text = printable(text);
    let word = text.split(' ').next().unwrap_or_default();
    if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        text[..1].make_ascii_uppercase();
    }
    if text.ends_with(['.', '!', '?']) { text } else { text + "." }
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    error: &'a str,
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let text = json::text(&ErrorObject { error: &self.why });
        (self.status, self.retry_after(), head("no-store"), text).into_response()
    }
}

const fn head(cache: &'static str) -> [(HeaderName, &'static str); 3] {
    [
        (CONTENT_TYPE, "application/json"),
        (CACHE_CONTROL, cache),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ]
}

fn answer(object: &impl Serialize) -> Response {
    (head(KEPT), json::text(object)).into_response()
}

/// Responds with JSON that must not be cached, because the answer may change.
fn fresh(object: &impl Serialize) -> Response {
    (head("no-store"), json::text(object)).into_response()
}

async fn unknown() -> Refused {
    let known = "games, game, phrases, board, turn, map, picture, rules, tutorial, review, demos and puzzle";
    Refused::new(
        StatusCode::NOT_FOUND,
        format!("There is no such question here. There are {known}."),
    )
}

/// Response body of `/api/games`.
#[derive(Serialize)]
struct GamesObject {
    games: Vec<ListedGameObject>,
    levels: Vec<LevelObject>,
    clocks: Vec<ClockChoice>,
}

/// Response body of `/api/phrases`.
#[derive(Serialize)]
struct PhrasesObject {
    phrases: Vec<PhraseChoice>,
}

#[derive(Serialize)]
struct ClockChoice {
    clock: String,
    name: String,
}

#[derive(Serialize)]
struct PhraseChoice {
    phrase: &'static str,
    text: &'static str,
}

async fn games(question: Question) -> Response {
    let clock = |control: TimeControl| ClockChoice { clock: control.into(), name: control.words() };
    answer(&GamesObject {
        games: question.hub.games.iter().map(ListedGameObject::from).collect(),
        levels: Level::ALL.map(LevelObject::from).to_vec(),
        clocks: TimeControl::USUAL.into_iter().map(clock).collect(),
    })
}

async fn phrases() -> Response {
    let phrase = |(_, phrase, text)| PhraseChoice { phrase, text };
    answer(&PhrasesObject { phrases: Phrase::ALL.into_iter().map(phrase).collect() })
}

async fn game(question: Question) -> Result<Response, Refused> {
    let entry = question.entry()?;
    Ok(answer(&PageGameObject::from(entry)))
}

impl Question {
    /// Charges the extra cost of an expensive answer.
    fn pay(&self, cost: u32) -> Result<(), Refused> {
        Ok(self.hub.ledger.charge(self.address, Use::Requests, cost, self.hub.now())?)
    }

    fn entry(&self) -> Result<&'static Entry, Refused> {
        let (games, game) = (&self.hub.games, &self.asked.game);
        let known = || conjunction(games.iter().map(|entry| entry.id));
        if game.is_empty() {
            return Err(Refused::bad(&format!("name a game: there are {}", known())));
        }
        // URLs are canonical: abbreviated names are not accepted here.
        games.iter().find(|entry| entry.id == *game).ok_or_else(|| {
            let why = format!("There is no game \"{}\". There are {}.", quotable(game), known());
            Refused::new(StatusCode::NOT_FOUND, why)
        })
    }

    fn settings(&self, entry: &Entry) -> Result<Settings, Refused> {
        let rules = self.asked.rules.split(',').filter(|rule| !rule.is_empty());
        Settings::parse(entry.options, rules).map_err(|error| Refused::bad(&error))
    }

    fn first(&self, entry: &Entry) -> Result<Side, Refused> {
        let first = match self.asked.first.as_str() {
            "" | "1" => Side::One,
            "2" => Side::Two,
            _ => return Err(Refused::bad(&"the parameter first must be 1 or 2")),
        };
        skirmish_play::starter(entry, first).map_err(|error| Refused::bad(&error))
    }

    fn table(&self) -> Result<Box<dyn Table>, Refused> {
        let entry = self.entry()?;
        let (settings, first) = (self.settings(entry)?, self.first(entry)?);
        let position = self.position();
        let setup = Setup { settings, first, names: default_names(), position };
        entry.open(setup).map_err(|error| Refused::bad(&error))
    }

    fn position(&self) -> Option<String> {
        self.asked.position.clone().filter(|position| !position.is_empty())
    }
}

async fn board(question: Question) -> Result<Response, Refused> {
    let has_values = question.asked.values == "1";
    if has_values {
        question.pay(DEAR)?;
    }
    let table = question.table()?;
    if has_values {
        study::board(&question, table).await
    } else {
        Ok(answer(&PageBoardObject::of(&*table)))
    }
}

async fn rules(question: Question) -> Result<Response, Refused> {
    let entry = question.entry()?;
    Ok(answer(&RulesObject::from(entry)))
}

async fn tutorial(question: Question) -> Result<Response, Refused> {
    let entry = question.entry()?;
    Ok(answer(&TutorialObject::of(entry)))
}

/// Plays one or more turns, and the forced passes that follow.
async fn turn(question: Question) -> Result<Response, Refused> {
    let asked = &question.asked;
    let turns = asked.turns.split(',').filter(|turn| !turn.is_empty());
    let turns: Vec<_> = turns
        .map(|turn| {
            let (one, two) = turn.split_once('/').unwrap_or((turn, ""));
            Both::new(one, two).map(|choice| Some(choice).filter(|choice| !choice.is_empty()))
        })
        .collect();
    let many = u32::try_from(turns.len() / TURNS_PER_CREDIT).unwrap_or(u32::MAX);
    question.pay(many)?;
    let mut table = question.table()?;
    let mut told = Vec::new();
    if turns.is_empty() {
        let moves = Both::new(asked.p1.as_deref(), asked.p2.as_deref());
        told.extend(submit(&mut *table, &moves)?);
    }
    for moves in &turns {
        told.extend(submit(&mut *table, moves)?);
    }
    // Front ends play forced passes without asking (R-ALL-3).
    while let [side] = *table.to_act()
        && table.must_pass(side)
    {
        let pass = table.choices(side).into_iter().next().map(|choice| choice.notation);
        table.play(&pass.unwrap_or_default()).map_err(|error| Refused::bad(&error))?;
        told.extend(TurnEventObject::addressed(&*table));
    }
    let board = PageBoardObject::of(&*table);
    Ok(answer(&PlayedObject { told, board }))
}

/// Plays one turn and describes its events.
fn submit(
    table: &mut dyn Table,
    moves: &Both<Option<&str>>,
) -> Result<Vec<TurnEventObject>, Refused> {
    if table.outcome().is_some() {
        return Err(Refused::bad(&"The game is over."));
    }
    let sides = table.turn();
    for side in Side::ALL {
        match (moves[side], sides.contains(&side)) {
            (Some(choice), true) => {
                table.submit(side, choice).map(|_| ()).map_err(|error| Refused::bad(&error))?;
            }
            (None, true) => {
                let number = side.number();
                let why = format!("it is Player {number}'s turn: add p{number} and the move");
                return Err(Refused::bad(&why));
            }
            (Some(_), false) => return Err(Refused::bad(&format!("it is not {side}'s turn"))),
            (None, false) => {}
        }
    }
    Ok(TurnEventObject::addressed(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sentences() {
        assert_eq!(sentence("name a game"), "Name a game.");
        assert_eq!(sentence("units=9 is not possible"), "units=9 is not possible.");
        assert_eq!(sentence("é is not a move"), "é is not a move.");
        assert_eq!(sentence("The game is over."), "The game is over.");
        assert_eq!(sentence(""), ".");
    }
}
