//! Questions that need solved boards: values of positions, maps and reviews.

use axum::http::StatusCode;
use axum::response::Response;
use skirmish_play::library::{Subject, Wish};
use skirmish_play::{Plan, SolveError, review as judge};
use skirmish_present::json::{AnalysisObject, Optional, PageBoardObject, PageReviewObject};
use skirmish_present::map::{Atlas, MapError};
use skirmish_present::words;
use skirmish_rules::Table;

use super::{DEAR, Question, Refused, answer, sentence};
use crate::codes;
use crate::records;

/// Maximum number of rows or columns in a map. Larger ones cannot be drawn by the page, and exceed half a megabyte of JSON.
const MOST_LINES: usize = 100;

impl From<SolveError> for Refused {
    fn from(error: SolveError) -> Self {
        let why = sentence(&error.to_string());
        match error {
            SolveError::TooLarge { .. } | SolveError::Unsolved(_) => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, format!("{why} Choose a smaller one."))
            }
            SolveError::Position(_) => Self::new(StatusCode::BAD_REQUEST, why),
            _ => Self::new(StatusCode::SERVICE_UNAVAILABLE, why),
        }
    }
}

/// Returns the position on a table, with its values.
pub(super) async fn board(question: &Question, table: Box<dyn Table>) -> Result<Response, Refused> {
    let board = question.hub.computers.study(question.address, move |shelf| {
        let analysis = shelf.analyse(&*table)?;
        let remarks = words::remarks(&analysis, table.turn().first().copied(), table.names());
        let analysis = Optional(Some(AnalysisObject::of(&*table, analysis)));
        Ok::<_, SolveError>(PageBoardObject { analysis, remarks, ..PageBoardObject::of(&*table) })
    });
    Ok(answer(&board.await??))
}

#[expect(clippy::redundant_closure_for_method_calls)] // a method path is not general enough over lifetimes
pub(super) async fn map(question: Question) -> Result<Response, Refused> {
    question.pay(DEAR)?;
    Ok(answer(&atlas(&question, |atlas| atlas.facts()).await?))
}

/// Returns the map as a drawing, like the one that `skirmish map` prints.
#[expect(clippy::redundant_closure_for_method_calls)] // a method path is not general enough over lifetimes
pub(super) async fn picture(question: Question) -> Result<Response, Refused> {
    question.pay(DEAR)?;
    Ok(answer(&atlas(&question, |atlas| atlas.drawn()).await?))
}

async fn atlas<T: Send + 'static>(
    question: &Question,
    draw: impl FnOnce(&Atlas) -> T + Send + 'static,
) -> Result<T, Refused> {
    let (table, position) = (question.table()?, question.position());
    let drawn = question.hub.computers.study(question.address, move |shelf| {
        let subject = Subject::start(table.entry(), table.settings().clone(), table.first());
        let solved = shelf.with_pressures(subject, Atlas::shows_pressures)?;
        // A map of position counts cannot show a single position: draw it without one.
        let atlas = match Atlas::of(&solved, position.as_deref()) {
            Err(MapError::Counted) => Atlas::of(&solved, None),
            atlas => atlas,
        };
        let atlas = atlas.and_then(|atlas| match atlas.grid() {
            Some((rows, columns)) if rows.max(columns) > MOST_LINES => {
                Err(MapError::TooLarge { rows, columns })
            }
            _ => Ok(atlas),
        });
        Ok::<_, SolveError>(atlas.map(|atlas| draw(&atlas)))
    });
    drawn.await??.map_err(|error| match error {
        MapError::Unreachable(position) => {
            Refused::bad(&format!("{position} cannot arise in play and is not on the map"))
        }
        MapError::TooLarge { rows, columns } => Refused::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "A map of {rows} by {columns} is too large for the page, which draws up to {MOST_LINES} by \
                 {MOST_LINES}. Choose a smaller board, or draw it in a terminal with skirmish map --svg FILE."
            ),
        ),
        MapError::NoMap(game) => {
            Refused::new(StatusCode::NOT_FOUND, format!("There is no map for {game}."))
        }
        error => Refused::bad(&error),
    })
}

/// Reviews a finished game of a room. During play, nobody may learn the values of its choices.
pub(super) async fn review(question: Question) -> Result<Response, Refused> {
    let has_values = question.asked.values != "0";
    if has_values {
        question.pay(DEAR)?;
    }
    let Question { hub, address, asked } = question;
    let Some(code) = codes::read_code(&asked.code) else {
        return Err(Refused::new(StatusCode::NOT_FOUND, records::MISSING));
    };
    let number = records::read_number(&asked.game)?;
    let (record, is_over) = records::find(&hub, address, &code, number).await?;
    let replay = PageReviewObject::replay(&record);
    let replay = replay.map_err(|_| {
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "The server cannot read this game.")
    })?;
    if !has_values {
        return Ok(super::fresh(&replay));
    }
    if !is_over {
        let why = "This game is not over. Its review can be read afterwards.";
        return Err(Refused::new(StatusCode::FORBIDDEN, why));
    }
    let judged = hub.computers.study(address, move |shelf| {
        let solved = shelf.obtain(Wish::values(Subject::of(&Plan::of(&record))))?;
        Ok::<_, SolveError>(replay.judged(&record, &judge(&record, &solved)))
    });
    Ok(super::fresh(&judged.await??))
}
