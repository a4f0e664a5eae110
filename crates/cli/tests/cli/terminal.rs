//! The program on a real terminal, and the contents of its screen.

use std::io::Write;
use std::num::NonZeroU16;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use vt100::{MouseProtocolMode, Screen};

use crate::support::{Home, PATIENCE, SKIRMISH, STARTING, Watched, environment, send};

/// Runs the program as a shell would, then prints its exit code and the state of the terminal.
const SHELL: &str = r#"
trap : INT TERM HUP
sh -c 'echo "pid=$$"; exec "$0" "$@"' "$@"
code=$?
test -n "$EXIT_FILE" && echo "$code" >"$EXIT_FILE"
echo "exit=$code"
stty -a | tr ' ;' '\n\n' | grep -E '^-?(echo|icanon|isig)$' | tr '\n' ' '
echo "done"
read -r line
"#;

/// Runs the program as an interactive shell does; when it is suspended, a line of input resumes it.
const JOBS: &str = r#"
trap : INT TERM HUP
set -m
state() { stty -a | tr ' ;' '\n\n' | grep -E '^-?(echo|icanon|isig)$' | tr '\n' ' '; }
sh -c 'echo "pid=$$"; exec "$0" "$@"' "$@"
code=$?
# Above the signals that end a program are those that suspend it.
while test $code -ge 145 && test $code -le 150; do
    echo "suspended: $(state)"
    read -r line
    fg >/dev/null
    code=$?
done
echo "exit=$code"
state
echo "done"
read -r line
"#;

/// The shell's output if the terminal is unchanged.
pub(crate) const CLEAN: &str = "isig icanon echo done";

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
pub(crate) const CTRL_Z: &str = "\u{1a}";
const CTRL_L: &str = "\u{c}";
const ESCAPE: &str = "\u{1b}";
pub(crate) const UP: &str = "\u{1b}[A";
pub(crate) const DOWN: &str = "\u{1b}[B";
pub(crate) const RIGHT: &str = "\u{1b}[C";
pub(crate) const LEFT: &str = "\u{1b}[D";

/// The sequence that clears the screen.
const CLEAR: &str = "\u{1b}[2J";
/// The sequences that begin and end full-screen mode.
const FULL_SCREEN: [&[u8]; 2] = [b"\x1b[?1049h", b"\x1b[?1049l"];
/// The sequence that ends a frame of the arcade, which is a synchronized update.
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// A terminal on which the program runs.
pub(crate) struct Terminal {
    output: Watched,
    keys: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    reader: JoinHandle<()>,
    size: Size,
}

/// Columns and rows.
pub(crate) type Size = (u16, u16);

const ROWS: u16 = 60;

const fn sized((columns, rows): Size) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    /// A terminal with the usual width and variables.
    pub(crate) fn open(home: &Home, arguments: &[&str]) -> Self {
        Self::with(home, arguments, 100, &[("TERM", "xterm-256color")])
    }

    /// A terminal of this width, with these variables.
    pub(crate) fn with(
        home: &Home,
        arguments: &[&str],
        columns: u16,
        variables: &[(&str, &str)],
    ) -> Self {
        Self::sized(home, arguments, (columns, ROWS), variables)
    }

    /// A terminal of this size, with these variables.
    pub(crate) fn sized(
        home: &Home,
        arguments: &[&str],
        size: Size,
        variables: &[(&str, &str)],
    ) -> Self {
        Self::run(SHELL, home, arguments, size, variables)
    }

    /// A terminal with a shell that reports when the program is suspended, and can resume it.
    pub(crate) fn with_jobs(
        home: &Home,
        arguments: &[&str],
        size: Size,
        variables: &[(&str, &str)],
    ) -> Self {
        Self::run(JOBS, home, arguments, size, variables)
    }

    /// A terminal with an interactive bash in which completion is installed.
    pub(crate) fn bash(home: &Home) -> Self {
        const BASH: &str = "exec bash --norc --noprofile -i";
        let variables = [("TERM", "dumb"), ("PS1", "> ")];
        let mut terminal = Self::run(BASH, home, &[], (160, ROWS), &variables);
        terminal.see_prompt(">");
        terminal
            .enter("bind 'set bell-style none'; source <(skirmish completions bash); echo ready");
        terminal.wait("the prompt", |screen| {
            screen.ends_with("\nready\n> ") || screen.ends_with("\nready\n>")
        });
        terminal
    }

    fn run(
        script: &str,
        home: &Home,
        arguments: &[&str],
        size: Size,
        variables: &[(&str, &str)],
    ) -> Self {
        let opening = STARTING.write();
        let pair = native_pty_system().openpty(sized(size)).expect("a terminal can be had");
        drop(opening);
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", script, "sh", SKIRMISH]);
        command.args(arguments);
        command.env_clear();
        for (name, value) in environment(home.path()) {
            command.env(name, value);
        }
        for (name, value) in variables {
            command.env(name, value);
        }
        command.cwd(home.path());
        let starting = STARTING.read();
        let child = pair.slave.spawn_command(command).expect("the shell starts");
        drop(starting);
        drop(pair.slave);
        let output = Watched::default();
        let reader = pair.master.try_clone_reader().expect("the terminal can be read");
        let reader = output.collect(reader);
        let keys = pair.master.take_writer().expect("the terminal can be written");
        Self { output, keys, master: pair.master, child, reader, size }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keys.flush().expect("the terminal takes keys");
    }

    /// Presses Escape once everything is drawn, and waits for the change: a key right after Escape would be read as part of
    /// an escape sequence.
    #[track_caller]
    pub(crate) fn escape(&mut self) {
        let before = self.settle();
        self.press(ESCAPE);
        self.wait("what Escape changes", |screen| screen != before);
        self.settle();
    }

    /// Makes the arcade redraw everything.
    #[track_caller]
    pub(crate) fn redraw(&mut self) {
        let before = self.written();
        self.press(CTRL_L);
        // A frame that was already being drawn may arrive first.
        let redrawn = self.output.wait(|bytes| {
            String::from_utf8_lossy(&bytes[before..whole(bytes).max(before)]).contains(CLEAR)
        });
        assert!(redrawn, "nothing is drawn again\n--- screen\n{}", self.screen());
    }

    /// Types a line and presses Enter.
    pub(crate) fn enter(&mut self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// Clicks the first occurrence of a text on the screen.
    #[track_caller]
    pub(crate) fn click(&mut self, text: &str) {
        let picture = self.wait_picture(text, |picture| picture.contents().contains(text));
        let (row, column) = find(&picture, text).expect("it is there");
        // A press and a release, counted from 1.
        let (row, column) = (row + 1, column + 1);
        self.press(&format!("\u{1b}[<0;{column};{row}M\u{1b}[<0;{column};{row}m"));
    }

    /// Changes the window's width.
    pub(crate) fn resize(&mut self, columns: u16) {
        self.resize_to((columns, self.size.1));
    }

    /// Changes the window's size.
    pub(crate) fn resize_to(&mut self, size: Size) {
        self.size = size;
        self.master.resize(sized(size)).expect("the window can be resized");
    }

    /// The program's entire raw output.
    pub(crate) fn raw(&self) -> String {
        let all = String::from_utf8_lossy(&self.output.bytes()).into_owned();
        all.split_once('\n').map_or(String::new(), |(_pid, rest)| rest.to_owned())
    }

    /// The number of bytes that the program has written so far.
    pub(crate) fn written(&self) -> usize {
        self.output.bytes().len()
    }

    /// Waits until the arcade has drawn a complete frame.
    #[track_caller]
    pub(crate) fn settle(&self) -> String {
        let settled = self.output.wait(|bytes| whole(bytes) == bytes.len());
        let screen = self.screen();
        assert!(settled, "no picture is drawn to its end\n--- screen\n{screen}");
        screen
    }

    /// The program's output after its first `written` bytes.
    pub(crate) fn raw_since(&self, written: usize) -> String {
        String::from_utf8_lossy(&self.output.bytes()[written..]).into_owned()
    }

    /// Waits until the program's output after its first `written` bytes contains a sequence.
    #[track_caller]
    pub(crate) fn see_raw(&self, written: usize, sequence: &str) {
        let seen =
            self.output.wait(|bytes| String::from_utf8_lossy(&bytes[written..]).contains(sequence));
        assert!(seen, "never written: {sequence:?}\n{:?}", self.raw_since(written));
    }

    /// The screen as text; in full-screen mode, the last complete frame.
    pub(crate) fn screen(&self) -> String {
        self.picture().contents()
    }

    /// The screen with its attributes and modes.
    pub(crate) fn picture(&self) -> Screen {
        draw(&self.output.bytes(), self.size)
    }

    /// Waits until a text is shown in reverse, which marks the selection.
    #[track_caller]
    pub(crate) fn see_chosen(&self, text: &str) {
        self.wait_picture(&format!("{text} in reverse"), |picture| {
            picture.rows(0, self.size.0).zip(0..).any(|(line, row)| {
                let column = line.find(text).map(|at| line[..at].chars().count());
                let column = column.and_then(|column| u16::try_from(column).ok());
                let cell = column.and_then(|column| picture.cell(row, column));
                cell.is_some_and(vt100::Cell::inverse)
            })
        });
    }

    /// Waits until the text of the screen satisfies a condition.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, enough: impl Fn(&str) -> bool) -> String {
        self.wait_picture(what, |picture| enough(&picture.contents())).contents()
    }

    /// Waits until the screen, with its attributes and modes, satisfies a condition.
    #[track_caller]
    pub(crate) fn wait_picture(&self, what: &str, enough: impl Fn(&Screen) -> bool) -> Screen {
        // Keep the screen that matched: the next frame may differ.
        let mut seen = None;
        self.output.wait(|bytes| {
            seen = Some(draw(bytes, self.size)).filter(&enough);
            seen.is_some()
        });
        seen.unwrap_or_else(|| {
            let (screen, raw) = (self.screen(), self.raw());
            panic!("never seen: {what}\n--- screen\n{screen}\n--- raw\n{raw:?}")
        })
    }

    /// Waits until the screen contains a text.
    #[track_caller]
    pub(crate) fn see(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits until the last line of the screen, where the cursor is, ends with this text.
    #[track_caller]
    pub(crate) fn see_prompt(&self, text: &str) -> String {
        self.wait(text, |screen| {
            screen.lines().last().is_some_and(|line| line.trim_end().ends_with(text.trim_end()))
        })
    }

    /// The program's process ID.
    pub(crate) fn process(&self) -> u32 {
        // The line may have left the screen already, so read the raw output.
        let told = self.output.wait(|bytes| bytes.contains(&b'\n'));
        assert!(told, "the shell does not begin");
        let raw = String::from_utf8_lossy(&self.output.bytes()).into_owned();
        let number = raw.trim_start_matches("pid=").lines().next().map(str::trim);
        number.and_then(|it| it.parse().ok()).expect("the shell tells the process")
    }

    /// Waits for the end, and asserts the exit code and that the terminal is restored.
    #[track_caller]
    pub(crate) fn ends(mut self, code: i32) -> String {
        let screen = self.wait("the end", |screen| {
            screen.contains("exit=") && screen.trim_end().ends_with("done")
        });
        // The shell waits for a line, so that the terminal stays open until everything is read.
        self.enter("");
        self.child.wait().expect("it is our child");
        assert!(screen.contains(&format!("exit={code}\n")), "exit code {code}\n{screen}");
        assert!(screen.contains(CLEAN), "the terminal is restored\n{screen}");
        self.assert_given_back();
        screen
    }

    /// Asserts that the normal screen and its cursor are shown, and that the mouse and the focus are not reported.
    #[track_caller]
    pub(crate) fn assert_given_back(&self) {
        let picture = self.picture();
        let modes = (picture.alternate_screen(), picture.hide_cursor(), picture.bracketed_paste());
        assert_eq!(modes, (false, false, false), "alternate screen, hidden cursor, pasting");
        assert_eq!(picture.mouse_protocol_mode(), MouseProtocolMode::None, "the mouse");
        let raw = self.raw();
        assert!(raw.rfind("\u{1b}[?1004l") >= raw.rfind("\u{1b}[?1004h"), "the focus");
    }

    /// Closes the window, and waits for the program to end. The key must change something on the screen.
    #[track_caller]
    pub(crate) fn close(mut self, key: &str) {
        // The reader keeps the terminal open, and wakes up only if there is something to read.
        self.output.turn_away();
        self.press(key);
        let program = self.process();
        self.reader.join().expect("no reader panics");
        // Dropping the writer sends end of file first, which must not be read before the window closes.
        send("STOP", program);
        let closing = STARTING.write();
        drop(self.keys);
        drop(self.master);
        drop(closing);
        send("CONT", program);
        let begun = Instant::now();
        while self.child.try_wait().expect("it is our child").is_none() {
            assert!(begun.elapsed() < PATIENCE, "the program outlives its terminal");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The row and the column of a text's first occurrence on a screen.
fn find(picture: &Screen, text: &str) -> Option<(usize, usize)> {
    let mut rows = picture.rows(0, picture.size().1.get()).enumerate();
    rows.find_map(|(row, line)| Some((row, line[..line.find(text)?].chars().count())))
}

fn draw(bytes: &[u8], (columns, rows): Size) -> Screen {
    let sized = |number| NonZeroU16::new(number).expect("no window is empty");
    let mut parser = vt100::Parser::new(sized(rows), sized(columns), 0);
    parser.process(&bytes[..whole(bytes)]);
    parser.screen().clone()
}

/// The length of the part that draws complete frames: the full screen is written in pieces that may arrive separately.
/// In line mode, everything counts.
fn whole(bytes: &[u8]) -> usize {
    let last = |sought: &[u8]| bytes.windows(sought.len()).rposition(|part| part == sought);
    let [begins, ends] = FULL_SCREEN.map(last);
    if begins <= ends {
        return bytes.len();
    }
    last(FRAME_END).map_or(0, |at| at + FRAME_END.len())
}

/// Whether a screen contains a sentence, on one line or on several.
pub(crate) fn tells(screen: &str, sentence: &str) -> bool {
    screen.replace('\n', " ").contains(sentence)
}

#[track_caller]
pub(crate) fn assert_tells(screen: &str, sentence: &str) {
    assert!(tells(screen, sentence), "{screen}");
}
