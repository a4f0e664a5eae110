//! Tutorials: guided games, written as text in the games' folders.

use crate::printable::quotable;
use crate::settings::alternatives;

/// A guided game under the usual rules: lessons to read and moves to make, one after the other.
///
/// The learner is Player 1. The first lesson begins with the start of the game, Player 1 first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tutorial {
    /// The lessons, in order; there is at least one.
    pub lessons: Vec<Lesson>,
}

/// One step of a tutorial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// What it is about, in a few words.
    pub title: String,
    /// What it teaches: paragraphs without line breaks, separated by empty lines.
    pub text: String,
    /// The position it begins with; without one the board stays as the lesson before left it.
    pub position: Option<String>,
    /// What the learner does.
    pub task: Task,
    /// What is played after the learner's move, in notation. Where both sides choose at once, it is the
    /// one choice that Player 2 makes in the same turn.
    pub replies: Vec<String>,
    /// What is said once the move and its replies have been played; it may be empty.
    pub praise: String,
    /// What is said about any other legal move, which is then not played; it may be empty.
    pub advice: String,
}

/// What a lesson asks of the learner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// To read and go on.
    Read,
    /// To play any one of these, in notation.
    Play(Vec<String>),
    /// To play whatever is legal.
    PlayAny,
}

/// What is wrong with the text of a tutorial, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
#[non_exhaustive]
pub struct TutorialError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub cause: String,
}

impl Tutorial {
    /// Reads a tutorial.
    ///
    /// `## Title` begins a lesson. Its text follows, then its fields, each with its name, a colon and
    /// a value that may go on in indented lines:
    ///
    /// - `position`: the position to begin with, as one token
    /// - `play`: the moves that are right, separated by spaces, or `any`; without this field the lesson
    ///   is only read, and of the other fields it can have no more than a position
    /// - `reply`: what is played next, separated by spaces
    /// - `praise`: what is said after a right move
    /// - `advice`: what is said after another one
    ///
    /// A line that begins with a word in lower case and a colon is always meant as a field.
    ///
    /// Before the first lesson there may be a heading that begins with `# `.
    ///
    /// ```
    /// use skirmish_rules::{Task, Tutorial};
    ///
    /// let tutorial = Tutorial::parse(
    ///     "## Forward\n\
    ///      \n\
    ///      Your unit goes one position or two.\n\
    ///      Go two.\n\
    ///      \n\
    ///      play: 2\n\
    ///      reply: 1\n\
    ///      advice: Legal, but go two\n  \
    ///        this time.\n",
    /// )
    /// .unwrap();
    /// let lesson = &tutorial.lessons[0];
    /// assert_eq!(lesson.text, "Your unit goes one position or two. Go two.");
    /// assert_eq!(lesson.task, Task::Play(vec!["2".to_owned()]));
    /// assert_eq!(lesson.advice, "Legal, but go two this time.");
    /// ```
    ///
    /// # Errors
    /// When the text has not this form. Whether its positions and moves are legal is not looked at.
    pub fn parse(text: &str) -> Result<Self> {
        let mut drafts: Vec<Draft> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(title) = line.strip_prefix("##").filter(|rest| !rest.starts_with('#')) {
                drafts.push(Draft::begin(number, title.trim())?);
            } else if let Some(draft) = drafts.last_mut() {
                draft.add(number, line)?;
            } else if !(line.trim().is_empty() || line.starts_with("# ")) {
                return fault(number, "a lesson begins with ## and a title");
            }
        }
        if drafts.is_empty() {
            return fault(text.lines().count().max(1), "there is no lesson: ## begins one");
        }
        let lessons = drafts.into_iter().map(Draft::finish).collect::<Result<_>>()?;
        Ok(Self { lessons })
    }
}

type Result<T> = std::result::Result<T, TutorialError>;

fn fault<T>(line: usize, cause: impl Into<String>) -> Result<T> {
    Err(TutorialError { line, cause: cause.into() })
}

/// The fields of a lesson.
const FIELDS: [&str; 5] = ["position", "play", "reply", "praise", "advice"];

/// The value of `play` that allows every legal move.
const ANY: &str = "any";

/// A lesson while its lines are being read.
struct Draft {
    line: usize,
    title: String,
    text: String,
    /// Whether the last line was empty.
    gap: bool,
    fields: Vec<TutorialField>,
}

struct TutorialField {
    line: usize,
    name: &'static str,
    value: String,
}

impl Draft {
    fn begin(line: usize, title: &str) -> Result<Self> {
        if title.is_empty() {
            return fault(line, "a lesson needs a title");
        }
        let (title, text, fields) = (title.to_owned(), String::new(), Vec::new());
        Ok(Self { line, title, text, gap: false, fields })
    }

    fn add(&mut self, number: usize, line: &str) -> Result<()> {
        let content = line.trim();
        if content.is_empty() {
            self.gap = true;
            return Ok(());
        }
        let gap = std::mem::replace(&mut self.gap, false);
        let indented = line.starts_with(char::is_whitespace);
        if indented && let Some(field) = self.fields.last_mut() {
            join(&mut field.value, " ", content);
            return Ok(());
        }
        if let Some((name, value)) = named(line) {
            return self.add_field(number, name, value);
        }
        if !self.fields.is_empty() {
            return fault(
                number,
                "text stands before the fields of its lesson; to continue a field, indent the line",
            );
        }
        if content.starts_with('#') {
            return fault(number, "the headings of lessons begin with ##");
        }
        join(&mut self.text, if gap { "\n\n" } else { " " }, content);
        Ok(())
    }

    fn add_field(&mut self, line: usize, name: &str, value: &str) -> Result<()> {
        let Some(name) = FIELDS.into_iter().find(|&known| known == name) else {
            let known = alternatives(FIELDS);
            let name = quotable(name);
            return fault(
                line,
                format!(
                    "\"{name}\" is not a field: use {known}; if it is text, break the line elsewhere"
                ),
            );
        };
        if self.fields.iter().any(|field| field.name == name) {
            return fault(line, format!("{name} stands here a second time"));
        }
        self.fields.push(TutorialField { line, name, value: value.trim().to_owned() });
        Ok(())
    }

    fn finish(mut self) -> Result<Lesson> {
        if self.text.is_empty() {
            return fault(self.line, "a lesson needs a text");
        }
        let empty = self.fields.iter().find(|field| field.value.is_empty());
        if let Some(TutorialField { line, name, .. }) = empty {
            return fault(*line, format!("{name} needs a value"));
        }
        let position = self.take("position").map(one_token).transpose()?;
        let task = match self.take("play") {
            None => Task::Read,
            Some(field) => task(&field)?,
        };
        let useless = match task {
            Task::Read => self.fields.first().map(|field| (field, "play")),
            Task::PlayAny => self.find("advice").map(|field| (field, "certain moves to play")),
            Task::Play(_) => None,
        };
        if let Some((field, missing)) = useless {
            return fault(field.line, format!("{} is of use only with {missing}", field.name));
        }
        let replies = self.take("reply").map_or_else(Vec::new, |field| tokens(&field.value));
        let mut said = |name| self.take(name).map_or_else(String::new, |field| field.value);
        let (praise, advice) = (said("praise"), said("advice"));
        Ok(Lesson { title: self.title, text: self.text, position, task, replies, praise, advice })
    }

    fn find(&self, name: &str) -> Option<&TutorialField> {
        self.fields.iter().find(|field| field.name == name)
    }

    fn take(&mut self, name: &str) -> Option<TutorialField> {
        let index = self.fields.iter().position(|field| field.name == name)?;
        Some(self.fields.remove(index))
    }
}

/// A name in lower case and what follows its colon.
fn named(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let lower = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
    lower.then_some((name, value))
}

fn join(text: &mut String, separator: &str, more: &str) {
    if !text.is_empty() {
        text.push_str(separator);
    }
    text.push_str(more);
}

fn tokens(value: &str) -> Vec<String> {
    value.split_whitespace().map(str::to_owned).collect()
}

fn one_token(field: TutorialField) -> Result<String> {
    if field.value.contains(char::is_whitespace) {
        return fault(field.line, "a position is one token");
    }
    Ok(field.value)
}

fn task(field: &TutorialField) -> Result<Task> {
    let moves = tokens(&field.value);
    if moves == [ANY] {
        return Ok(Task::PlayAny);
    }
    if moves.iter().any(|token| token == ANY) {
        return fault(field.line, "any stands alone");
    }
    Ok(Task::Play(moves))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        Tutorial::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn lines_make_paragraphs_and_fields() {
        let text = "# Game\n\n## First\nOne\ntwo.\n\n\nThree: four.\n\n## Second \n\nFive.\n\n\
                    position: 0/1/1\nplay: 1  2\nreply: 2 pass\npraise:\n  Well\n\tdone.\n\n\
                    advice: Not: this.\n## Third\nSix.\nplay: any\n";
        let lesson = |title: &str, text: &str| Lesson {
            title: title.to_owned(),
            text: text.to_owned(),
            position: None,
            task: Task::Read,
            replies: Vec::new(),
            praise: String::new(),
            advice: String::new(),
        };
        let words = |text: &str| tokens(text);
        let lessons = vec![
            lesson("First", "One two.\n\nThree: four."),
            Lesson {
                position: Some("0/1/1".to_owned()),
                task: Task::Play(words("1 2")),
                replies: words("2 pass"),
                praise: "Well done.".to_owned(),
                advice: "Not: this.".to_owned(),
                ..lesson("Second", "Five.")
            },
            Lesson { task: Task::PlayAny, ..lesson("Third", "Six.") },
        ];
        assert_eq!(Tutorial::parse(text), Ok(Tutorial { lessons: lessons.clone() }));
        let elsewhere = text.replace('\n', "\r\n");
        assert_eq!(Tutorial::parse(&elsewhere), Ok(Tutorial { lessons }));
    }

    #[test]
    fn a_tutorial_needs_a_lesson() {
        assert_eq!(message(""), "line 1: there is no lesson: ## begins one");
        assert_eq!(message("# Game\n\n"), "line 2: there is no lesson: ## begins one");
    }

    #[test]
    fn nothing_stands_before_the_first_lesson() {
        for text in ["play: 1", "Text.", "### Deep"] {
            let text = format!("# Game\n\n{text}\n");
            assert_eq!(message(&text), "line 3: a lesson begins with ## and a title");
        }
    }

    #[test]
    fn a_lesson_needs_a_title_and_a_text() {
        assert_eq!(message("\n##\nText."), "line 2: a lesson needs a title");
        assert_eq!(message("## A\nText.\n## B\nplay: 1"), "line 3: a lesson needs a text");
    }

    #[test]
    fn fields_are_known_and_stand_once() {
        assert_eq!(
            message("## A\nText.\nplays: 1"),
            "line 3: \"plays\" is not a field: use position, play, reply, praise or advice; \
             if it is text, break the line elsewhere"
        );
        assert_eq!(
            message("## A\nText.\nplay: 1\nplay: 2"),
            "line 4: play stands here a second time"
        );
    }

    #[test]
    fn fields_have_values() {
        for name in FIELDS {
            let text = format!("## A\nText.\n{name}:\n\n## B\nText.");
            assert_eq!(message(&text), format!("line 3: {name} needs a value"));
        }
        assert_eq!(message("## A\nText.\nposition: 1 2"), "line 3: a position is one token");
        assert_eq!(message("## A\nText.\nplay: any 2"), "line 3: any stands alone");
    }

    #[test]
    fn text_stands_before_the_fields() {
        let cause =
            "text stands before the fields of its lesson; to continue a field, indent the line";
        assert_eq!(message("## A\nText.\npraise: Well\ndone."), format!("line 4: {cause}"));
        assert_eq!(
            message("## A\nText.\n### B\n"),
            "line 3: the headings of lessons begin with ##"
        );
    }

    #[test]
    fn fields_about_a_move_need_one() {
        for name in ["reply", "praise", "advice"] {
            let text = format!("## A\nText.\nposition: 1\n{name}: 2");
            assert_eq!(message(&text), format!("line 4: {name} is of use only with play"));
        }
        assert_eq!(
            message("## A\nText.\nplay: any\nadvice: No."),
            "line 4: advice is of use only with certain moves to play"
        );
    }
}
