//! The program on a real terminal of its own, as its screen shows it.

use std::io::Write;
use std::num::NonZeroU16;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::support::{Home, SKIRMISH, Watched, environment};

/// Runs the program as a shell would, then tells its exit code and what state the terminal is in.
const SHELL: &str = r#"
trap : INT TERM HUP
sh -c 'echo "pid=$$"; exec "$0" "$@"' "$@"
echo "exit=$?"
stty -a | tr ' ;' '\n\n' | grep -E '^-?(echo|icanon|isig)$' | tr '\n' ' '
echo "done"
"#;

/// What the shell says of a terminal that is as it was.
pub(crate) const CLEAN: &str = "isig icanon echo done";

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
pub(crate) const UP: &str = "\u{1b}[A";

/// A terminal on which the program runs.
pub(crate) struct Terminal {
    output: Watched,
    keys: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    columns: u16,
}

const ROWS: u16 = 60;

const fn size(columns: u16) -> PtySize {
    PtySize { rows: ROWS, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    /// A usual terminal.
    pub(crate) fn open(home: &Home, arguments: &[&str]) -> Self {
        Self::with(home, arguments, 100, &[("TERM", "xterm-256color")])
    }

    /// A terminal of some width, with these variables.
    pub(crate) fn with(
        home: &Home,
        arguments: &[&str],
        columns: u16,
        variables: &[(&str, &str)],
    ) -> Self {
        let pair = native_pty_system().openpty(size(columns)).expect("a terminal can be had");
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", SHELL, "sh", SKIRMISH]);
        command.args(arguments);
        command.env_clear();
        for (name, value) in environment(home.path()) {
            command.env(name, value);
        }
        for (name, value) in variables {
            command.env(name, value);
        }
        command.cwd(home.path());
        let child = pair.slave.spawn_command(command).expect("the shell starts");
        drop(pair.slave);
        let output = Watched::default();
        output.collect(pair.master.try_clone_reader().expect("the terminal can be read"));
        let keys = pair.master.take_writer().expect("the terminal can be written");
        Self { output, keys, master: pair.master, child, columns }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keys.flush().expect("the terminal takes keys");
    }

    /// Types a line and presses Enter.
    pub(crate) fn enter(&mut self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// Changes the window's width.
    pub(crate) fn resize(&mut self, columns: u16) {
        self.columns = columns;
        self.master.resize(size(columns)).expect("the window can be resized");
    }

    /// Everything the program wrote, from its first byte on.
    pub(crate) fn raw(&self) -> String {
        let all = String::from_utf8_lossy(&self.output.bytes()).into_owned();
        all.split_once('\n').map_or(String::new(), |(_pid, rest)| rest.to_owned())
    }

    /// The screen as text.
    pub(crate) fn screen(&self) -> String {
        draw(&self.output.bytes(), self.columns)
    }

    /// Waits until the screen is as it should be.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, enough: impl Fn(&str) -> bool) -> String {
        let seen = self.output.wait(|bytes| enough(&draw(bytes, self.columns)));
        let screen = self.screen();
        assert!(seen, "never seen: {what}\n--- screen\n{screen}\n--- raw\n{:?}", self.raw());
        screen
    }

    /// Waits until the screen contains a text.
    #[track_caller]
    pub(crate) fn see(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits until the last line of the screen, where the cursor is, begins so.
    #[track_caller]
    pub(crate) fn see_prompt(&self, text: &str) -> String {
        self.wait(text, |screen| {
            screen.lines().last().is_some_and(|line| line.trim_end().ends_with(text.trim_end()))
        })
    }

    /// The program's process.
    pub(crate) fn process(&self) -> u32 {
        self.see("pid=");
        let raw = String::from_utf8_lossy(&self.output.bytes()).into_owned();
        let number = raw.trim_start_matches("pid=").lines().next().map(str::trim);
        number.and_then(|it| it.parse().ok()).expect("the shell tells the process")
    }

    /// Waits for the end and asserts the exit code, and that the terminal is as it was.
    #[track_caller]
    pub(crate) fn ends(mut self, code: i32) -> String {
        let screen = self.see("done");
        self.child.wait().expect("it is our child");
        assert!(screen.contains(&format!("exit={code}\n")), "exit code {code}\n{screen}");
        assert!(screen.contains(CLEAN), "the terminal is restored\n{screen}");
        screen
    }
}

fn draw(bytes: &[u8], columns: u16) -> String {
    let sized = |number| NonZeroU16::new(number).expect("no window is empty");
    let mut parser = vt100::Parser::new(sized(ROWS), sized(columns), 0);
    parser.process(bytes);
    parser.screen().contents()
}
