//! Generates the tables of `docs/json.md`; `UPDATE_GOLDEN=1 cargo test -p skirmish-present json` rewrites them. Each
//! table follows a line `<!-- fields of NAME -->`.

use std::collections::BTreeMap;
use std::fs;

use super::*;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");

/// The descriptions of all struct objects.
fn objects() -> Vec<Description> {
    [
        admin::OBJECTS,
        analysis::OBJECTS,
        catalogue::OBJECTS,
        check::OBJECTS,
        events::OBJECTS,
        find::OBJECTS,
        lab::OBJECTS,
        map::OBJECTS,
        markdown::OBJECTS,
        page::OBJECTS,
        position::OBJECTS,
        puzzle::OBJECTS,
        replay::OBJECTS,
        review::OBJECTS,
        saves::OBJECTS,
        tournament::OBJECTS,
    ]
    .concat()
}

/// The enums, whose variants have different fields.
const ENUMS: [(&str, &[Description]); 3] = [
    ("BlockObject", BlockObject::KINDS),
    ("EventObject", EventObject::KINDS),
    ("ChangeObject", ChangeObject::KINDS),
];

/// Writes the tables. The fields of an object that is used several times are described only once.
#[derive(Default)]
struct Writer {
    /// A link to the current section of the page.
    section: String,
    /// The objects described so far, each with a link to its section.
    described: BTreeMap<&'static str, String>,
}

impl Writer {
    /// Enters the section that `heading` begins. The section's title is the text before the colon.
    fn enter(&mut self, heading: &str) {
        let text = heading.trim_start_matches('#').trim();
        let title = text.split(':').next().unwrap_or_default();
        let title = title[..1].to_lowercase() + &title[1..];
        let anchor = text.to_lowercase().replace(' ', "-");
        let is_kept = |letter: &char| letter.is_alphanumeric() || "-_".contains(*letter);
        self.section =
            format!("[{title}](#{})", anchor.chars().filter(is_kept).collect::<String>());
    }

    fn rows(&mut self, name: &str) -> Vec<String> {
        if let Some((_, kinds)) = ENUMS.iter().find(|(kind, _)| *kind == name) {
            return kinds.iter().map(kind_row).collect();
        }
        let found = objects().into_iter().find(|object| object.name == name);
        self.fields(&found.unwrap_or_else(|| panic!("there is no object {name}")))
    }

    fn fields(&mut self, object: &Description) -> Vec<String> {
        let seen = self.described.insert(object.name, self.section.clone());
        assert!(seen.is_none(), "{} is described twice", object.name);
        let rows = object.parts.iter().flat_map(|part| match part {
            Part::Field { name, kind, meaning } => {
                vec![format!("| `{name}` | {} | {meaning} |", kind())]
            }
            Part::Fields(others) => match self.described.get(others.name) {
                Some(section) => {
                    vec![format!("| {} | | as in {section} |", quoted(&others.names()))]
                }
                None => self.fields(others),
            },
        });
        rows.collect()
    }
}

/// The row for one kind of event or change: its name, when it occurs, and its fields.
fn kind_row(kind: &Description) -> String {
    let fields = kind.parts.iter().map(|part| match part {
        Part::Field { name, meaning, .. } => format!("`{name}`: {meaning}"),
        Part::Fields(others) => quoted(&others.names()),
    });
    let fields = fields.collect::<Vec<String>>().join("; ");
    format!("| `{}` | {} | {fields} |", kind.name.to_lowercase(), kind.about.trim())
        .replace("|  |", "| |")
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<String>>().join(", ")
}

#[test]
fn the_documented_fields_are_those_of_the_objects() {
    let page = fs::read_to_string(PAGE).unwrap();
    let mut writer = Writer::default();
    let mut written = Vec::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        written.push(line.to_owned());
        if line.starts_with('#') {
            writer.enter(line);
        }
        let marked = line.strip_prefix("<!-- fields of ").and_then(|it| it.strip_suffix(" -->"));
        let Some(name) = marked else { continue };
        // Keep the column headings.
        written.extend(lines.by_ref().take(2).map(str::to_owned));
        while lines.next_if(|line| line.starts_with('|')).is_some() {}
        written.extend(writer.rows(name));
    }
    let written = written.join("\n") + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(PAGE, &written).unwrap();
    } else {
        assert_eq!(page, written, "docs/json.md (UPDATE_GOLDEN=1 rewrites its tables)");
    }
    for object in objects() {
        assert!(writer.described.contains_key(object.name), "{} is not described", object.name);
    }
    for (name, _) in ENUMS {
        assert!(page.contains(&format!("<!-- fields of {name} -->")), "{name} is not described");
    }
}

#[test]
fn no_field_is_there_twice() {
    for object in objects() {
        let mut names = object.names();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}: {names:?}", object.name);
    }
}
