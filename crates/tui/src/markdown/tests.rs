//! Tests of laid-out pages.

use ratatui::style::Modifier;
use skirmish_present::json::blocks;
use skirmish_rules::GAMES;

use super::*;
use crate::tests::USUAL;

fn rows(text: &str, width: usize) -> Vec<String> {
    lay_out(&blocks(text), width, 0, USUAL).lines.iter().map(ToString::to_string).collect()
}

#[test]
fn paragraphs_are_joined_and_wrapped() {
    assert_eq!(rows("One\ntwo three.\n\nFour.", 9), ["One two", "three.", "", "Four."]);
    assert_eq!(rows("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
    assert_eq!(rows("李雷", 1), ["李", "雷"], "wider than the page, but still shown");
}

#[test]
fn headings_stand_out() {
    assert_eq!(
        rows("# Title #\nText\n## Part\nMore", 20),
        ["Title", "═════", "Text", "", "Part", "More"]
    );
}

#[test]
fn lists_have_a_hanging_indentation() {
    let text = "Do:\n\n1. first thing\n   to do\n2. then\n\n- one\n  - inner item\n- two";
    assert_eq!(
        rows(text, 12),
        [
            "Do:",
            "",
            "1. first",
            "   thing to",
            "   do",
            "2. then",
            "",
            "• one",
            "  • inner",
            "    item",
            "• two"
        ]
    );
    let many = "9. x\n10. x\n";
    assert_eq!(rows(many, 12), [" 9. x", "10. x"]);
}

#[test]
fn code_keeps_its_lines_and_is_cut_with_a_mark() {
    let text = "    [0 P1][1]\n\n      below\n\nText";
    assert_eq!(rows(text, 20), ["│ [0 P1][1]", "│ ", "│   below", "", "Text"]);
    assert_eq!(rows(text, 8)[0], "│ [0 P1…");
    let shifted = lay_out(&blocks(text), 8, 3, USUAL);
    assert_eq!(shifted.hidden, 3);
    assert_eq!(shifted.lines[0].to_string(), "│ …1][1]");
    assert_eq!(rows("```\na  b\n```\nc", 20), ["│ a  b", "", "c"]);
    assert_eq!(rows("```\na", 20), ["│ a"], "the end of the text ends it, too");
}

const TABLE: &str =
    "| act | what it does |\n|---|---|\n| `go` | one step |\n| rest | nothing at all |";

#[test]
fn tables_are_aligned_and_wrap_their_cells() {
    assert_eq!(
        rows(TABLE, 30),
        ["act   what it does", "────  ──────────────", "go    one step", "rest  nothing at all"]
    );
    assert_eq!(
        rows(TABLE, 15),
        [
            "act   what it",
            "      does",
            "────  ─────────",
            "go    one step",
            "rest  nothing",
            "      at all"
        ]
    );
    assert_eq!(
        rows(TABLE, 9),
        [
            "act: go",
            "what it",
            "does: one",
            "step",
            "",
            "act: rest",
            "what it",
            "does:",
            "nothing",
            "at all"
        ]
    );
}

#[test]
fn marks_become_styles() {
    let text = "a **b c** *d* `e_f`, [g](docs/x.md) snake_case 2 * 3";
    let lines = lay_out(&blocks(text), 80, 0, USUAL).lines;
    assert_eq!(lines[0].to_string(), "a b c d e_f, g snake_case 2 * 3");
    let style = |text: &str| {
        let span = lines[0].spans.iter().find(|span| span.content == text);
        span.expect("it is a piece").style.add_modifier
    };
    assert_eq!(style("b"), Modifier::BOLD);
    assert_eq!(style("d"), Modifier::ITALIC);
    assert_eq!(style("e_f"), Modifier::BOLD);
    assert_eq!(style("g"), Modifier::UNDERLINED);
    assert_eq!(style(","), Modifier::empty());
}

#[test]
fn definitions_keep_their_column() {
    let lines = definitions("  save     in a file of your own\n12. charge|attack\n3. x", 22, USUAL);
    let rows: Vec<String> = lines.iter().map(ToString::to_string).collect();
    assert_eq!(
        rows,
        ["  save     in a file", "           of your own", "12. charge|attack", " 3. x"]
    );
}

/// No word of the rules is lost, and no line is wider than the page.
#[test]
fn the_rules_of_every_game_fit_every_width() {
    for entry in GAMES.iter() {
        let text = entry.rules_page();
        for width in (12..=100).chain([200]) {
            let page = lay_out(&blocks(&text), width, 0, USUAL);
            assert!(page.lines.iter().all(|line| line.width() <= width), "{width}");
        }
        let letters = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).count();
        let shown: String = rows(&text, 100).concat();
        assert_eq!(letters(&shown), letters(&text), "{}", entry.id);
    }
}
