//! A bot for Skirmish that plays any legal move. Compile it with: `rustc -O bot.rs`

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, BufRead, Write};

/// Your idea goes here: return one of the moves in `legal`.
///
/// - `game`: the game's name, such as `base-battle`
/// - `position`: the position in notation, such as `0/10/1`
/// - `player`: which side you play, `1` or `2`
/// - `legal`: your legal moves in notation, such as `["1", "2", "3"]`
fn choose<'a>(_game: &str, _position: &str, _player: &str, legal: &[&'a str]) -> &'a str {
    // The standard library has no random numbers, but each `RandomState` has random keys.
    let random = RandomState::new().hash_one(0);
    legal[random as usize % legal.len()]
}

/// Returns the text between the first `key` and the next `end`.
///
/// Skirmish writes its JSON on one line, without spaces, and no name, position or move contains a quotation mark or a
/// backslash. So simple text search is enough, and no JSON library is needed.
fn between<'a>(text: &'a str, key: &str, end: char) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    let (found, _) = rest.split_once(end)?;
    Some(found)
}

/// Returns the answer to a question, or `None` if part of the question is missing.
fn answer(line: &str) -> Option<&str> {
    let game = between(line, "\"game\":\"", '"')?;
    let position = between(line, "\"position\":\"", '"')?;
    let player = line.split_once("\"player\":")?.1.get(..1)?;
    // In Command Clash both sides choose simultaneously, so "legal" contains the moves of both.
    let legal = between(line, "\"legal\":{", '}')?;
    let legal = between(legal, &format!("\"{player}\":["), ']')?;
    let legal: Vec<&str> = legal.split(',').map(|word| word.trim_matches('"')).collect();
    Some(choose(game, position, player, &legal))
}

fn main() -> io::Result<()> {
    // Each question is one line of JSON. The bot ends when its input ends.
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some(answer) = answer(&line) else {
            return Err(io::Error::other(format!("cannot parse this line: {line}")));
        };
        println!("{answer}");
        // Without the flush, the answer could wait in a buffer while the game waits for it.
        io::stdout().flush()?;
    }
    Ok(())
}
