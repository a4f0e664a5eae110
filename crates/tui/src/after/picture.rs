//! Draws the screen after a game.

use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_play::library::Knowledge;
use skirmish_play::{Review, fault_of};
use skirmish_present::review::{gist, no_accuracy};
use skirmish_present::{glyphs, words, you};
use skirmish_rules::{Side, Termination};

use super::super::analysis;
use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::look::Ink;
use super::super::parts::{Canvas, below, extent, inset, rows_of, split};
use super::super::play::result;
use super::super::stage::{Stage, glyph};
use super::{After, UNDECIDED, WAYS};

/// The maximum height of the graph of who was ahead.
const MOST_GRAPH: u16 = 14;

impl After {
    pub(in super::super) fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        if !is_roomy(area) {
            self.compact(canvas, inset(area), context);
            return;
        }
        let headline = self.headline(canvas, true);
        let mut left = area;
        if let Ok(table) = self.record.replay() {
            let scene = table.scene();
            let (beside, _) = halves(area);
            let panel = self.list_rows() + self.answer_rows(inset(inset(beside)).width) + 2;
            let text = lines_rows(&headline, inset(area).width);
            let most = (area.height / 2).saturating_sub(2);
            let most = most.min(area.height.saturating_sub(panel + text));
            let rows = Stage::rows(self.record.entry, &scene, left.width, most);
            let stage = Stage {
                winner: self.winner(),
                ..Stage::still(self.record.entry, &scene, &self.record.names)
            };
            stage.draw(canvas, Rect { height: rows, ..left });
            left = below(left, rows);
        }
        let result = lines_rows(&headline[..1], inset(left).width);
        let rows = write(canvas, inset(left), headline, left.height);
        canvas.fill(Rect { height: result, ..inset(left) }, self.winner().as_slice());
        left = below(left, rows);
        let (beside, right) = halves(left);
        let inside = inset(canvas.panel(beside, "What next?"));
        self.ways_on(canvas, inside);
        let inside = inset(canvas.panel(right, "The game"));
        let rows = write(canvas, inside, self.facts(canvas, context), inside.height);
        let rest = below(inside, rows + 1);
        if rest.height > 3
            && let Some(known) = context.known(&self.plan)
        {
            let place = Rect { height: rest.height.min(MOST_GRAPH), ..rest };
            let standings = analysis::standings(&known.solved, &self.record);
            let end = self.record.turns.len();
            analysis::graph(canvas, place, &standings, end, &self.record.names);
        }
    }

    /// Draws the list of actions, with gaps if there is room, and the message below it.
    fn ways_on(&self, canvas: &mut Canvas, area: Rect) {
        let gaps = self.list_rows() + self.answer_rows(area.width) + 2;
        let is_airy = area.height >= gaps;
        let first = if is_airy { WAYS.min(self.items.len()) } else { self.items.len() };
        let used = self.list(canvas, area, first);
        self.answers(canvas, below(area, used + u16::from(is_airy)));
    }

    fn list_rows(&self) -> u16 {
        extent(self.items.len())
    }

    /// The height of the message or of the question about a file, but at least that of [`UNDECIDED`].
    fn answer_rows(&self, width: u16) -> u16 {
        let said = self.said().filter(|_| self.file.is_none());
        rows_of(UNDECIDED, width).max(said.map_or(1, |said| rows_of(&said, width)))
    }

    /// The winner, if there is one.
    fn winner(&self) -> Option<Side> {
        self.record.ending.and_then(|ending| ending.outcome.winner())
    }

    /// Who won and how, and the score of the match. In a small window, the game's last sentence replaces both.
    fn headline(&self, canvas: &Canvas, roomy: bool) -> Vec<Line<'static>> {
        let closed = self.closed.map(Line::raw);
        let Some(ending) = self.record.ending else {
            return std::iter::once(Line::raw(self.unfinished)).chain(closed).collect();
        };
        let result = result(self.viewer, &self.record.names, ending, fault_of(&self.record));
        let told = if ending.termination == Termination::Rules { self.told() } else { Vec::new() };
        let (title, more) = match told.last() {
            Some(last) if !roomy => (last.clone(), None),
            Some(_) => (result, Some(told.join(" "))),
            None => (result, None),
        };
        let ink = self.winner().map_or(Ink::Title, Ink::Side);
        let sign = self.winner().map_or(String::new(), |side| format!("{} ", glyph(side)));
        let mut lines = vec![canvas.led(ink, sign, "")];
        lines[0].push_span(canvas.span(Ink::Title, title));
        lines.extend(more.map(Line::raw));
        if let Some(state) = self.plan.after(ending.outcome) {
            let text = words::standing(&state);
            let text = if canvas.look.ascii { glyphs::ascii(&text).into_owned() } else { text };
            lines.push(Line::styled(text, canvas.look.ink(Ink::Key)));
        }
        lines.extend(closed);
        lines
    }

    /// The review of the game, in lines.
    fn facts(&self, canvas: &Canvas, context: &Context) -> Vec<Line<'static>> {
        match (&self.review, context.knowledge(&self.plan)) {
            (Some(review), _) => self.judged(review, canvas),
            (None, Knowledge::Working(_)) => vec![Line::raw("The game is being reviewed…")],
            (None, _) => vec![Line::raw("This board is too large for an automatic review.")],
        }
    }

    fn judged(&self, review: &Review, canvas: &Canvas) -> Vec<Line<'static>> {
        let names = &self.record.names;
        let accuracy = |side: Side| {
            let none = || format!("- ({})", no_accuracy(review, side));
            let text = review.accuracy[side].map_or_else(none, |it| format!("{it:.0}%"));
            let name = format!("{} {}", glyph(side), names[side]);
            canvas.led(Ink::Side(side), name, format!("  accuracy {text}"))
        };
        let mut lines = Side::ALL.map(accuracy).to_vec();
        lines.push(Line::raw(gist(&self.record, review)));
        lines
    }

    /// The last turn in sentences.
    fn told(&self) -> Vec<String> {
        let table = self.record.replay();
        let tellings = table.map(|table| you::last_turn(&*table, self.viewer)).unwrap_or_default();
        tellings.into_iter().map(|telling| telling.sentence.replace('\n', " ")).collect()
    }

    /// Draws the screen in a small window: as much as fits above the list.
    fn compact(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        // If not everything fits, the message takes precedence, then the list.
        let is_saying = self.file.is_some() || self.said().is_some();
        let said = if is_saying { self.answer_rows(area.width).min(area.height) } else { 0 };
        let most = area.height.saturating_sub(said).saturating_sub(self.list_rows());
        let mut text = self.headline(canvas, false);
        text.extend(self.facts(canvas, context));
        let left = below(area, write(canvas, area, text, most));
        let used = self.list(canvas, Rect { height: left.height - said, ..left }, self.items.len());
        self.answers(canvas, below(left, used));
    }

    /// Draws the actions, with a gap after the first `first`. Returns the number of rows.
    fn list(&self, canvas: &mut Canvas, area: Rect, first: usize) -> u16 {
        let mut row = 0;
        for (number, item) in self.items.iter().enumerate() {
            if number == first && first < self.items.len() {
                row += 1;
            }
            let mark = if self.chosen == Some(number) { "▶" } else { " " };
            let [key, words, _] = item.texts();
            let line = canvas.led(Ink::Key, format!("{mark} {key:<3} "), words);
            let place = Rect { height: 1, ..below(area, row) }.intersection(area);
            if place.height > 0 {
                canvas.item(place, &line, number, self.chosen == Some(number));
            }
            row += 1;
        }
        row.min(area.height)
    }

    /// Draws the open question about a file, or a message.
    fn answers(&self, canvas: &mut Canvas, area: Rect) {
        if let Some(file) = &self.file {
            canvas.field(area, "File: ", file);
        } else if let Some(said) = self.said() {
            canvas.prose(area, &said, canvas.look.ink(Ink::Good));
        }
    }

    /// The reason why the server cannot continue, followed by the message.
    fn said(&self) -> Option<String> {
        let said: Vec<&str> = self.outage.iter().chain(&self.message).map(String::as_str).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// The areas for the list and for the review.
fn halves(area: Rect) -> (Rect, Rect) {
    let width = (area.width / 2).clamp(34, 80).min(area.width);
    split(area, width)
}

/// The height of wrapped lines.
fn lines_rows(lines: &[Line], width: u16) -> u16 {
    let rows = |line: &Line| match line.width() {
        fitting if fitting <= width.into() => 1,
        _ => rows_of(&line.to_string(), width),
    };
    lines.iter().map(rows).sum()
}

/// Draws wrapped lines in at most `most` rows. Returns their number.
fn write(canvas: &mut Canvas, area: Rect, lines: Vec<Line<'static>>, most: u16) -> u16 {
    let width = usize::from(area.width);
    let mut row = 0;
    for line in lines {
        if line.width() <= width {
            canvas.line(area, row, &line);
            row += 1;
        } else {
            let style = line.spans.last().map_or(line.style, |span| line.style.patch(span.style));
            let place = Rect { height: most.saturating_sub(row), ..below(area, row) };
            row += canvas.prose(place, &line.to_string(), style);
        }
        if row >= most {
            break;
        }
    }
    row.min(most)
}
