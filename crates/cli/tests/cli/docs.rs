//! The README and docs/ are correct: links resolve, tables are complete, and examples show the program's real output.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skirmish_rules::{Entry, GAMES};

use crate::support::{Home, SKIRMISH, read, run, skirmish};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README, its companions and every page in docs/.
fn pages() -> Vec<PathBuf> {
    let companions =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "bots/README.md"];
    let folders = ["docs", "docs/rules"];
    let listed = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let listed = listed.map(|file| file.unwrap().path());
    let pages = listed.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    companions.iter().map(|page| root().join(page)).chain(pages).collect()
}

/// The link anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.map(|it| if it == ' ' { '-' } else { it.to_ascii_lowercase() }).collect()
}

fn has_heading(page: &str, wanted: &str) -> bool {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchors: Vec<String> =
        headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect();
    let count = |wanted: &str| anchors.iter().filter(|anchor| *anchor == wanted).count();
    // The second of two equal headings has the suffix -1.
    let numbered = wanted.rsplit_once('-');
    let numbered = numbered.and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    count(wanted) > 0 || numbered.is_some_and(|(name, number)| count(name) > number)
}

/// A build that was never installed led to "command not found" at the README's first command.
#[test]
fn the_readme_says_how_to_install_the_program() {
    assert!(read(&root().join("README.md")).contains("cargo install --path crates/cli"));
}

#[test]
fn every_link_leads_somewhere() {
    for path in pages() {
        let page = read(&path);
        let links = page.split("](").chain(page.split("src=\"")).skip(1);
        for link in links.filter_map(|rest| rest.split([')', '"']).next()) {
            if link.starts_with("http") || link.contains(char::is_whitespace) {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            assert!(file.exists(), "{}: {link}", path.display());
            assert!(
                heading.is_empty() || has_heading(&read(&file), heading),
                "{}: {link} names no heading",
                path.display()
            );
        }
    }
}

#[test]
fn every_page_is_listed_for_some_audience_and_every_audience_in_the_readme() {
    let readme = read(&root().join("README.md"));
    let (entries, others): (Vec<PathBuf>, Vec<PathBuf>) = pages()
        .into_iter()
        .filter(|path| path.parent().is_some_and(|folder| folder.ends_with("docs")))
        .partition(|path| name(path).starts_with("for-"));
    let listed: String = entries.iter().map(|path| read(path)).collect();
    for entry in &entries {
        assert!(readme.contains(&format!("(docs/{})", name(entry))), "{}", entry.display());
    }
    for page in &others {
        assert!(listed.contains(&format!("]({}", name(page))), "{}", page.display());
    }
}

fn name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

#[test]
#[cfg(unix)]
fn what_the_page_of_commands_shows_is_what_they_print() {
    let page = read(&root().join("docs/commands.md"));
    let blocks = page.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut shown = 0;
    for block in blocks {
        let Some((command, output)) = block.split_once('\n') else { continue };
        if output.is_empty() || output.starts_with("$ ") {
            continue;
        }
        let home = Home::new();
        let command = command.strip_prefix("$ skirmish").expect("a command of ours");
        let script = format!("'{SKIRMISH}'{command}");
        let ran = run(home.command_of("sh", &["-c", &script]), "").exits(0);
        assert_eq!(ran.out, output, "skirmish{command}");
        shown += 1;
    }
    assert_eq!(shown, 3, "the examples of show and analyze");
}

/// The data of a service is not in the data folder of the user who backs it up.
#[test]
fn every_backup_command_names_the_data_folder() {
    let page = read(&root().join("docs/operating.md"));
    let help = skirmish(&["admin", "--help"], "").exits(0).out;
    for text in [&page, &help] {
        let commands = text.lines().filter(|line| line.contains("skirmish admin backup "));
        let commands: Vec<&str> = commands.collect();
        assert!(!commands.is_empty(), "{text}");
        assert!(commands.iter().all(|command| command.contains(" --data ")), "{commands:#?}");
    }
}

/// Whether a query finds a position in this game; `None` if the game does not support it.
fn finds(game: &str, query: &str) -> Option<bool> {
    let ran = skirmish(&["find", game, query, "--count"], "");
    (ran.code == Some(0)).then(|| ran.out != "0\n")
}

#[test]
#[cfg(unix)]
fn every_query_in_the_docs_and_in_the_help_finds_something() {
    let page = read(&root().join("docs/queries.md"));
    let help = skirmish(&["find", "--help"], "").exits(0).out;
    let commands = page.lines().chain(help.lines()).filter_map(|line| {
        line.trim_start().trim_start_matches("$ ").strip_prefix("skirmish find ")
    });
    let mut ran = 0;
    for command in commands {
        let home = Home::new();
        let script =
            format!("'{SKIRMISH}' find {}", command.replace("--map", "").replace("--csv", ""));
        let found = run(home.command_of("sh", &["-c", &script]), "").exits(0);
        assert!(
            found.err.is_empty() && found.out.contains("position "),
            "{command}:\n{}",
            found.out
        );
        ran += 1;
    }
    assert!(ran >= 8, "{ran}");

    let games: Vec<&str> = GAMES.iter().map(|entry| entry.id).collect();
    let (_, facts) = page.split_once("## Facts").expect("a heading");
    let (facts, numbers) = facts.split_once("## Numbers").expect("a heading");
    let cells = facts.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let (_, sentence) = numbers.split_once("wherever a number stands: ").expect("examples");
    let sentence = sentence.split("\n\n").next();
    let mut read = 0;
    for query in cells.chain(sentence).flat_map(|text| text.split('`').skip(1).step_by(2)) {
        let found: Vec<bool> = games.iter().filter_map(|game| finds(game, query)).collect();
        // A game may have draws, but none has to.
        let is_found = found.contains(&true) || (query == "draw" && !found.is_empty());
        assert!(is_found, "{query}: {found:?}");
        read += 1;
    }
    assert!(read >= 20, "{read}");
}

#[test]
fn no_command_option_or_game_is_missing() {
    let commands = read(&root().join("docs/commands.md"));
    let playing = read(&root().join("docs/playing.md"));

    let help = skirmish(&["--help"], "").exits(0).out;
    let (_, listed) = help.split_once("Commands:\n").expect("the help lists commands");
    for line in listed.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().expect("a command has a name");
        assert!(commands.contains(&format!("| `skirmish {name}")), "{name} in docs/commands.md");
    }

    let help = skirmish(&["play", "--help"], "").exits(0).out;
    let words = help.lines().filter_map(|line| line.split_whitespace().next());
    for option in words.filter(|word| word.starts_with("--")) {
        let is_told = playing.contains(&format!("`{option}")) || commands.contains(option);
        assert!(is_told, "{option} in docs/playing.md");
    }

    let games = skirmish(&["games"], "").exits(0).out;
    let ids = fs::read_dir(root().join("docs/rules")).unwrap().map(|it| it.unwrap().path());
    for id in ids.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()) {
        assert!(games.contains(&id), "{id} is a game");
    }
}

/// A whole number with commas, such as `17,764`.
fn with_commas(number: &Value) -> String {
    let digits = number.as_u64().expect("a whole number").to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

#[test]
fn the_readme_lists_every_game_with_its_size_and_its_value() {
    let readme = read(&root().join("README.md"));
    let rows: Vec<&str> = readme.lines().filter(|line| line.contains("](docs/rules/")).collect();
    let expected = GAMES.iter().map(|Entry { id, name, summary, .. }| {
        let solved = skirmish(&["solve", id, "--json"], "").exits(0).out;
        let solved: Value = serde_json::from_str(&solved).expect("it is JSON");
        let best = match (solved["value"].as_str(), &solved["plies"]) {
            (Some("win"), plies) => format!("the first player wins in {plies} plies"),
            (Some("loss"), plies) => format!("the second player wins in {plies} plies"),
            (Some("draw"), _) => "a draw".to_owned(),
            (Some(_), _) => "never ends".to_owned(),
            // In a simultaneous game, both sides have the same choices.
            (None, _) => "never ends; neither side has an advantage".to_owned(),
        };
        let count = with_commas(&solved["states"]);
        format!("| [{name}](docs/rules/{id}.md) | {summary} | {count} | {best} |")
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}
