//! The Markdown of rules and lessons as blocks, which every front end renders in its own way.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::Serialize;

use super::object::objects;
use super::types::{Optional, typed};

objects! {
    /// A block of Markdown.
    #[serde(tag = "block", rename_all = "lowercase")]
    pub enum BlockObject {
        /// a heading
        Heading { level: u8 = "1 for the title of the text", text: Vec<SpanObject> = "its spans" },
        /// a paragraph
        Paragraph { text: Vec<SpanObject> = "its spans" },
        /// code, such as a board
        Code { lines: Vec<String> = "its lines, which are not wrapped" },
        /// a table
        Table { rows: Vec<Vec<Vec<SpanObject>>> = "its rows, the header first; a cell is an array of spans" },
        /// a list
        List {
            start: Option<u64> = "the first item's number, or null if the items are not numbered",
            items: Vec<Vec<BlockObject>> = "the blocks of each item",
        },
    }
}

objects! {
    /// Part of a text, in one style.
    pub struct SpanObject {
        text: String = "the words",
        marks: Vec<SpanMark> = "any of `strong`, `em` and `code`, the outermost first",
        link: Optional<String> = "the address; only in links",
    }
}

/// A style of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SpanMark {
    /// Bold.
    Strong,
    /// Emphasised.
    Em,
    /// Code.
    Code,
}

typed!("string": SpanMark);

/// Parses Markdown. HTML stays text.
#[must_use]
pub fn blocks(text: &str) -> Vec<BlockObject> {
    Reader(Parser::new_ext(text, Options::ENABLE_TABLES).peekable()).blocks()
}

/// Reads the parser's events. Each method also consumes the end of the element whose content it reads.
struct Reader<'a>(std::iter::Peekable<Parser<'a>>);

impl Reader<'_> {
    fn blocks(&mut self) -> Vec<BlockObject> {
        let mut blocks = Vec::new();
        loop {
            // The items of a tight list contain text without a paragraph around it.
            if self.0.peek().is_some_and(is_inline) {
                blocks.push(BlockObject::Paragraph { text: self.spans() });
            }
            match self.0.next() {
                None | Some(Event::End(_)) => return blocks,
                Some(Event::Start(Tag::Heading { level, .. })) => {
                    blocks.push(BlockObject::Heading { level: level as u8, text: self.text() });
                }
                Some(Event::Start(Tag::CodeBlock(_))) => {
                    let code: String = self.text().into_iter().map(|span| span.text).collect();
                    blocks.push(BlockObject::Code {
                        lines: code.lines().map(str::to_owned).collect(),
                    });
                }
                Some(Event::Start(Tag::Table(_))) => {
                    let rows = self.each(|reader| reader.each(Self::text));
                    blocks.push(BlockObject::Table { rows });
                }
                Some(Event::Start(Tag::List(start))) => {
                    blocks.push(BlockObject::List { start, items: self.each(Self::blocks) });
                }
                Some(Event::Start(_)) => blocks.extend(self.blocks()),
                Some(_) => {}
            }
        }
    }

    /// Reads the elements up to the end of their container.
    fn each<T>(&mut self, read: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut all = Vec::new();
        while let Some(Event::Start(_)) = self.0.next() {
            all.push(read(self));
        }
        all
    }

    fn text(&mut self) -> Vec<SpanObject> {
        let spans = self.spans();
        self.0.next();
        spans
    }

    /// Reads spans up to the next block, or the end of the present one.
    fn spans(&mut self) -> Vec<SpanObject> {
        let mut spans = Vec::new();
        let (mut marks, mut link) = (Vec::new(), None);
        while let Some(event) = self.0.next_if(is_inline) {
            match event {
                Event::Start(Tag::Strong) => marks.push(SpanMark::Strong),
                Event::Start(Tag::Emphasis) => marks.push(SpanMark::Em),
                Event::Start(Tag::Link { dest_url, .. }) => link = Some(dest_url.into_string()),
                Event::End(TagEnd::Link) => link = None,
                Event::End(_) => drop(marks.pop()),
                Event::Code(text) => {
                    let marks = [&marks[..], &[SpanMark::Code]].concat();
                    push(&mut spans, &text, &marks, link.as_ref());
                }
                Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                    push(&mut spans, &text, &marks, link.as_ref());
                }
                _ => push(&mut spans, " ", &marks, link.as_ref()),
            }
        }
        spans
    }
}

/// Appends a text to the last span if it has the same style, or as a new span.
fn push(spans: &mut Vec<SpanObject>, text: &str, marks: &[SpanMark], link: Option<&String>) {
    match spans.last_mut() {
        Some(last) if last.marks == marks && last.link.0.as_ref() == link => last.text += text,
        _ => spans.push(SpanObject {
            text: text.to_owned(),
            marks: marks.to_vec(),
            link: Optional(link.cloned()),
        }),
    }
}

fn is_inline(event: &Event) -> bool {
    match event {
        Event::Start(tag) => matches!(tag, Tag::Strong | Tag::Emphasis | Tag::Link { .. }),
        Event::End(end) => matches!(end, TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link),
        Event::Rule => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn assert_blocks(text: &str, expected: &Value) {
        assert_eq!(&serde_json::to_value(blocks(text)).expect("blocks are JSON"), expected);
    }

    fn plain(text: &str) -> Value {
        json!([{ "text": text, "marks": [] }])
    }

    #[test]
    fn a_text_becomes_blocks() {
        assert_blocks(
            "# Title #\nOne\ntwo <b>\n\n    a\n\n     b\n\n> Quoted",
            &json!([
                { "block": "heading", "level": 1, "text": plain("Title") },
                { "block": "paragraph", "text": plain("One two <b>") },
                { "block": "code", "lines": ["a", "", " b"] },
                { "block": "paragraph", "text": plain("Quoted") },
            ]),
        );
        assert_blocks(
            "| a | b |\n|---|---|\n| c | |",
            &json!([{ "block": "table", "rows": [[plain("a"), plain("b")], [plain("c"), []]] }]),
        );
    }

    #[test]
    fn lists_contain_blocks_whether_they_are_tight_or_not() {
        let item = |text: &str| json!({ "block": "paragraph", "text": plain(text) });
        let inner = json!({ "block": "list", "start": null, "items": [[item("in")]] });
        let expected = json!([
            { "block": "list", "start": 9, "items": [[item("one"), inner], [item("two")]] },
        ]);
        assert_blocks("9. one\n   - in\n10. two", &expected);
        assert_blocks("9. one\n\n   - in\n\n10. two", &expected);
    }

    #[test]
    fn spans_have_marks() {
        assert_blocks(
            "a **b `c`** _d_ [e](/f)",
            &json!([{ "block": "paragraph", "text": [
                { "text": "a ", "marks": [] },
                { "text": "b ", "marks": ["strong"] },
                { "text": "c", "marks": ["strong", "code"] },
                { "text": " ", "marks": [] },
                { "text": "d", "marks": ["em"] },
                { "text": " ", "marks": [] },
                { "text": "e", "marks": [], "link": "/f" },
            ] }]),
        );
    }
}
