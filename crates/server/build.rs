//! Writes the table of the page's files, from the folder `page`, without their comments: browsers need not load those.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=page");
    let names = fs::read_dir("page")?.map(|entry| Ok(entry?.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.sort();
    let names = names.iter().filter_map(|name| name.to_str()).filter(|name| !name.starts_with('.'));
    let files = names.map(|name| {
        let text = fs::read_to_string(Path::new("page").join(name))?;
        Ok(format!("({name:?}, {:?}),\n", without_comments(&text)))
    });
    let files = files.collect::<io::Result<String>>()?;
    let table = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join("page.rs");
    fs::write(table, format!("&[{files}]"))
}

/// Drops all lines that contain nothing but a comment, such as `// …` and `/** … */`.
fn without_comments(text: &str) -> String {
    let mut is_comment = false;
    let mut kept = String::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if is_comment || trimmed.starts_with("/*") {
            is_comment = !trimmed.contains("*/");
        } else if !trimmed.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}
