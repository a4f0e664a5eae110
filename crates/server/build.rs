//! Writes the table of the page's files, from the folder `page`.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=page");
    let names = fs::read_dir("page")?.map(|entry| Ok(entry?.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.sort();
    let names = names.iter().filter_map(|name| name.to_str()).filter(|name| !name.starts_with('.'));
    let files = names.map(|name| {
        let path = format!(r#"concat!(env!("CARGO_MANIFEST_DIR"), "/page/", {name:?})"#);
        format!("({name:?}, include_str!({path})),\n")
    });
    let table = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join("page.rs");
    fs::write(table, format!("&[{}]", files.collect::<String>()))
}
