use std::fs;

use super::*;

fn file() -> (tempfile::TempDir, PreferencesFile) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = PreferencesFile::at(&folder.path().join("not").join("there"));
    (folder, file)
}

fn file_with(content: impl AsRef<[u8]>) -> (tempfile::TempDir, PreferencesFile) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = PreferencesFile::at(folder.path());
    fs::write(file.path(), content).expect("the folder can be written");
    (folder, file)
}

fn content(file: &PreferencesFile) -> Vec<u8> {
    fs::read(file.path()).expect("the file is there")
}

fn named(one: Option<&str>, two: Option<&str>) -> Preferences {
    let names = Both::new(one, two).map(|name| name.map(str::to_owned));
    Preferences { names, ..Preferences::default() }
}

/// The error message with `FILE` for the path.
fn fault(file: &PreferencesFile, error: Option<StoreError>) -> String {
    let message = error.expect("something is wrong").to_string();
    message.replace(&file.path().display().to_string(), "FILE")
}

#[test]
fn without_a_file_everything_is_the_default() {
    let (_folder, file) = file();
    let (read, wrong) = file.read();
    assert_eq!(read, Preferences::default());
    assert!(wrong.is_none());
}

#[test]
fn preferences_are_read_as_they_were_written() {
    let (_folder, file) = file();
    for theme in Theme::ALL {
        let written = Preferences {
            theme,
            ascii: true,
            motion: false,
            curtain: true,
            notify: Notify::Desktop,
            ..named(Some("Ann"), None)
        };
        file.write(&written).expect("the folder can be made");
        let (read, wrong) = file.read();
        assert_eq!(read, written);
        assert!(wrong.is_none());
    }
    let odd = named(Some("A \"b\" \\ #c"), Some("Zoë = 1"));
    file.write(&odd).expect("the file can be written");
    assert_eq!(file.read().0, odd);
    file.write(&Preferences::default()).expect("the file can be written");
    assert_eq!(file.read().0, Preferences::default(), "names can be given up again");
}

#[test]
fn the_file_is_readable() {
    let (_folder, file) = file();
    file.write(&named(Some("Ann"), Some("Bob"))).expect("the folder can be made");
    let expected = format!(
        "{HEAD}ascii = false\ncurtain = false\nmotion = true\nnotify = \"bell\"\nplayer1 = \"Ann\"\nplayer2 = \"Bob\"\n\
         theme = \"default\"\n"
    );
    assert_eq!(String::from_utf8_lossy(&content(&file)), expected);
}

#[test]
fn invalid_settings_become_defaults_with_an_error() {
    let (_folder, file) =
        file_with("theme = \"pink\"\nascii = true\nmotion = \"no\"\nplayer1 = 7\nplayer2 = \"\"\n");
    let (read, wrong) = file.read();
    assert_eq!(read, Preferences { ascii: true, ..Preferences::default() });
    assert_eq!(
        fault(&file, wrong),
        "FILE: theme: expected default, dark, light, high-contrast, terminal or monochrome, not \"pink\"; \
         motion: expected true or false, not \"no\"; \
         player1: expected a name in quotation marks, not 7; \
         player2 cannot be used: a name has 1 to 24 characters; ideographs and emoji count twice"
    );
}

#[test]
fn names_must_differ_also_from_the_default_ones() {
    for content in ["player1 = \"Ann\"\nplayer2 = \"ANN\"", "player1 = \"Player 2\""] {
        let (_folder, file) = file_with(content);
        let (read, wrong) = file.read();
        assert_eq!(read, Preferences::default());
        let expected = "FILE: player1 and player2 cannot be used: they must differ";
        assert_eq!(fault(&file, wrong), expected);
    }
}

#[test]
fn a_malformed_file_is_reported_and_never_overwritten() {
    let large = "#".repeat(100_000);
    for (broken, said) in [
        (&b"ascii = true\ntheme = = 1\n"[..], "FILE, line 2: "),
        (b"ascii = true\nascii = true\n", "FILE, line 2: "),
        (b"\xff\xfe", "cannot read FILE: "),
        (large.as_bytes(), "cannot read FILE: "),
    ] {
        let (_folder, file) = file_with(broken);
        let (read, wrong) = file.read();
        assert_eq!(read, Preferences::default());
        let wrong = fault(&file, wrong);
        assert!(wrong.starts_with(said) && wrong.len() > said.len(), "{wrong}");
        assert!(!wrong.contains(char::is_control), "{wrong:?}");

        let refused = file.write(&Preferences::default()).expect_err("it is not overwritten");
        assert!(matches!(refused, StoreError::WouldDestroy(..)), "{refused}");
        assert_eq!(content(&file), broken);
    }
}

#[test]
fn unknown_settings_are_ignored_and_kept() {
    let (_folder, file) = file_with("sound = \"loud\"\nascii = true\n\n[keys]\nleft = \"h\"\n");
    let (read, wrong) = file.read();
    assert_eq!(read, Preferences { ascii: true, ..Preferences::default() });
    assert!(wrong.is_none());
    file.write(&Preferences::default()).expect("the file can be written");
    let table: Table = String::from_utf8_lossy(&content(&file)).parse().expect("this is TOML");
    assert_eq!(table["sound"].as_str(), Some("loud"));
    assert_eq!(table["keys"]["left"].as_str(), Some("h"));
    assert_eq!(table["ascii"].as_bool(), Some(false));
}

#[test]
fn invalid_names_are_not_written() {
    let (_folder, file) = file();
    for (names, why) in [
        (named(Some("Ann"), Some("ann")), NameError::Alike),
        (named(None, Some("player 1")), NameError::Alike),
        (named(Some(" "), None), NameError::Length),
        (named(Some("A\u{7}nn"), None), NameError::Unshowable),
    ] {
        let error = file.write(&names).expect_err("the name is invalid");
        assert!(matches!(error, StoreError::Names(cause) if cause == why), "{error}");
    }
    assert!(!file.path().exists());
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_to_the_file_is_kept() {
    let (_elsewhere, real) = file_with("ascii = true\n");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = PreferencesFile::at(folder.path());
    std::os::unix::fs::symlink(real.path(), file.path()).expect("a link can be made");
    file.write(&named(Some("Ann"), None)).expect("the file can be written");
    assert_eq!(real.read().0, named(Some("Ann"), None));
    assert!(file.path().is_symlink());
}

#[test]
fn a_write_error_names_the_file() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    fs::write(folder.path().join("file"), "in the way").expect("the folder can be written");
    let file = PreferencesFile::at(&folder.path().join("file"));
    let error = file.write(&Preferences::default()).expect_err("there is no folder");
    assert!(error.to_string().contains("settings.toml"), "{error}");
}

#[test]
fn themes_are_found_by_their_names() {
    for theme in Theme::ALL {
        assert_eq!(Theme::named(theme.name()), Some(theme));
    }
    assert_eq!(Theme::named("pink"), None);
}
