//! Scrolling of long texts.

use std::cell::Cell;

use ratatui::crossterm::event::KeyCode;

use super::screen::{Press, Way};

/// The scroll position of a text. [`Scroll::show`] sets the number of rows when the text is drawn.
#[derive(Debug, Default)]
pub(super) struct Scroll {
    top: Cell<usize>,
    /// Number of rows in the window.
    window: Cell<usize>,
    /// Number of rows in the text.
    rows: Cell<usize>,
}

impl Scroll {
    /// Handles a key. Returns whether the key scrolls.
    pub(super) fn press(&self, press: Press) -> bool {
        // Paging keeps one row of the previous page, if there is room.
        let page = self.window.get().saturating_sub(1).max(1);
        let top = self.top.get();
        let top = match press {
            Press::Key(KeyCode::PageDown | KeyCode::Char(' ')) => top + page,
            Press::Key(KeyCode::PageUp) => top.saturating_sub(page),
            Press::Key(KeyCode::Home | KeyCode::Char('g')) => 0,
            Press::Key(KeyCode::End | KeyCode::Char('G')) => self.rows.get(),
            _ => match press.way() {
                Some(Way::Down) => top + 1,
                Some(Way::Up) => top.saturating_sub(1),
                Some(Way::Left | Way::Right) | None => return false,
            },
        };
        self.top.set(top.min(self.last()));
        true
    }

    /// The first visible row of a text of `rows` rows in a window of `window` rows.
    pub(super) fn show(&self, rows: usize, window: usize) -> usize {
        // Keep the relative position if the text was laid out again in another width.
        let before = self.rows.replace(rows);
        self.top.update(|top| (top * rows).checked_div(before).unwrap_or(top));
        self.window.set(window);
        self.top.set(self.top.get().min(self.last()));
        self.top.get()
    }

    /// The range of visible rows: `12–34 of 80`; `None` if all rows are visible.
    pub(super) fn place(&self) -> Option<String> {
        let (first, rows) = (self.top.get(), self.rows.get());
        let last = (first + self.window.get()).min(rows);
        (self.last() > 0).then(|| format!("{}–{last} of {rows}", first + 1))
    }

    fn last(&self) -> usize {
        self.rows.get().saturating_sub(self.window.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(scroll: &Scroll, code: KeyCode) -> Option<String> {
        assert!(scroll.press(Press::Key(code)));
        scroll.place()
    }

    #[test]
    fn a_page_is_as_long_as_the_window() {
        let scroll = Scroll::default();
        assert_eq!(scroll.show(80, 23), 0);
        assert_eq!(scroll.place().as_deref(), Some("1–23 of 80"));
        assert_eq!(after(&scroll, KeyCode::PageDown).as_deref(), Some("23–45 of 80"));
        assert_eq!(after(&scroll, KeyCode::Down).as_deref(), Some("24–46 of 80"));
        assert_eq!(after(&scroll, KeyCode::End).as_deref(), Some("58–80 of 80"));
        assert_eq!(after(&scroll, KeyCode::PageDown).as_deref(), Some("58–80 of 80"));
        assert_eq!(after(&scroll, KeyCode::PageUp).as_deref(), Some("36–58 of 80"));
        assert_eq!(after(&scroll, KeyCode::Home).as_deref(), Some("1–23 of 80"));
        assert!(!scroll.press(Press::Key(KeyCode::Left)));
    }

    #[test]
    fn what_fits_does_not_scroll() {
        let scroll = Scroll::default();
        scroll.show(5, 5);
        assert_eq!(after(&scroll, KeyCode::End), None);
        assert_eq!(scroll.show(5, 5), 0);
        scroll.show(9, 5);
        scroll.press(Press::Key(KeyCode::End));
        assert_eq!(scroll.show(9, 7), 2, "a larger window shows more");
    }

    #[test]
    fn a_text_in_another_width_stays_about_where_it_was() {
        let scroll = Scroll::default();
        scroll.show(100, 10);
        (0..30).for_each(|_| assert!(scroll.press(Press::Key(KeyCode::Down))));
        assert_eq!(scroll.show(100, 10), 30);
        assert_eq!(scroll.show(200, 10), 60);
    }
}
