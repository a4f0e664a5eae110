//! The command with which the user can start this program again.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use skirmish_system::{find_program, is_path};

use crate::files::same_file;
use crate::shell::quoted;

/// The program's standard name.
const USUAL: &str = "skirmish";

static PROGRAM: OnceLock<String> = OnceLock::new();

/// A command for the user to type: this program with `arguments`.
#[must_use]
pub fn command(arguments: &str) -> String {
    format!("{} {arguments}", program())
}

/// The words that start this program.
#[must_use]
pub fn program() -> &'static str {
    PROGRAM.get().map_or(USUAL, String::as_str)
}

/// Replaces the program's standard name with [`program`] in the examples of a help text and in the quoted commands of a
/// text in Markdown.
#[must_use]
pub fn as_started(text: &str) -> String {
    with_program(text, program())
}

fn with_program(text: &str, program: &str) -> String {
    // What stands before a command.
    ["  ", "| ", "`"].into_iter().fold(text.to_owned(), |text, before| {
        text.replace(&format!("{before}{USUAL} "), &format!("{before}{program} "))
    })
}

/// Records how this process was started, so that [`command`] can repeat it.
pub fn remember_program() {
    PROGRAM.get_or_init(|| {
        let start = ProgramStart {
            typed: std::env::args_os().next().unwrap_or_default(),
            file: std::env::current_exe().unwrap_or_default(),
            folder: std::env::current_dir().unwrap_or_default(),
            package: std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from),
        };
        start.name(find_program)
    });
}

/// The circumstances in which a process was started.
struct ProgramStart {
    /// The first word of the process's command line.
    typed: OsString,
    /// The path of the program's executable.
    file: PathBuf,
    /// The working directory.
    folder: PathBuf,
    /// The package that Cargo is running or testing, if Cargo started the process.
    package: Option<PathBuf>,
}

impl ProgramStart {
    /// A name for the program that works in the same shell and folder. `find` looks up a name in `PATH`.
    fn name(&self, find: impl Fn(&str) -> Option<PathBuf>) -> String {
        if let Some(cargo) = self.cargo() {
            return cargo;
        }
        let name = self.file.file_stem().unwrap_or_default().to_string_lossy();
        if find(&name).is_some_and(|found| same_file(&found, &self.file)) {
            return quoted(&name);
        }
        let typed = self.typed.to_string_lossy();
        let is_repeatable = is_path(&typed) && same_file(&self.folder.join(&*typed), &self.file);
        if is_repeatable { quoted(&typed) } else { quoted(&self.file.to_string_lossy()) }
    }

    /// The `cargo run` command, if Cargo started the program and would start it again in this folder.
    fn cargo(&self) -> Option<String> {
        let package = self.package.as_ref()?;
        let manifest =
            self.folder.ancestors().find(|folder| folder.join("Cargo.toml").is_file())?;
        let built = self.file.parent()?;
        if !package.starts_with(manifest) || !built.join("deps").is_dir() {
            return None;
        }
        Some(match built.file_name()?.to_str()? {
            "debug" => "cargo run --".to_owned(),
            "release" => "cargo run --release --".to_owned(),
            profile => format!("cargo run --profile {} --", quoted(profile)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// A workspace in a temporary folder, with the program in `target/PROFILE`.
    fn workspace(profile: &str) -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().expect("a folder can be made");
        let built = root.path().join("target").join(profile);
        for folder in [&built.join("deps"), &root.path().join("crates/cli")] {
            fs::create_dir_all(folder).expect("a folder can be made");
        }
        fs::write(root.path().join("Cargo.toml"), "").expect("a file can be written");
        let program = built.join("skirmish");
        fs::write(&program, "").expect("a file can be written");
        (root, program)
    }

    #[test]
    fn commands_in_texts_begin_like_printed_commands() {
        let text = "  skirmish play x    a skirmish here\n  echo | skirmish engine > skirmish\nSee `skirmish games`.";
        let expected =
            "  ./s play x    a skirmish here\n  echo | ./s engine > skirmish\nSee `./s games`.";
        assert_eq!(with_program(text, "./s"), expected);
        assert_eq!(with_program(text, USUAL), text);
    }

    #[test]
    fn printed_commands_repeat_how_the_program_was_started() {
        for (profile, cargo) in [
            ("release", "cargo run --release --"),
            ("debug", "cargo run --"),
            ("bench", "cargo run --profile bench --"),
        ] {
            let (root, program) = workspace(profile);
            let start = |folder: &Path, typed: &str, package: Option<&str>| ProgramStart {
                typed: typed.into(),
                file: program.clone(),
                folder: folder.to_owned(),
                package: package.map(|package| root.path().join(package)),
            };
            let (here, nowhere) = (root.path(), |_: &str| None);
            let relative = format!("target/{profile}/skirmish");
            let by_cargo = start(here, &relative, Some("crates/cli"));
            assert_eq!(by_cargo.name(nowhere), cargo);
            let elsewhere = start(here, &relative, Some("/elsewhere"));
            assert_eq!(elsewhere.name(nowhere), quoted(&relative), "Cargo runs something else");
            let by_path = start(here, &relative, None);
            assert_eq!(by_path.name(nowhere), quoted(&relative));
            let installed = start(here, "skirmish", None);
            assert_eq!(installed.name(|_| Some(program.clone())), "skirmish");
            let hidden = start(here, "skirmish", None);
            assert_eq!(hidden.name(nowhere), quoted(&program.to_string_lossy()));
        }
    }
}
