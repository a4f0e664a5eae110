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
    // The standard library has no random numbers, but it gives every hasher a random key.
    let random = RandomState::new().hash_one(0);
    legal[random as usize % legal.len()]
}

/// What stands between the first `key` in the text and the next `end`.
///
/// Skirmish writes its JSON on one line, without spaces, and no name, position or move in it has a quotation
/// mark or a backslash. So everything can be found by searching the text, and a JSON library is not needed.
fn between<'a>(text: &'a str, key: &str, end: char) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    let (found, _) = rest.split_once(end)?;
    Some(found)
}

/// The answer to a line, unless something is missing in it.
fn answer(line: &str) -> Option<&str> {
    let game = between(line, "\"game\":\"", '"')?;
    let position = between(line, "\"position\":\"", '"')?;
    let player = line.split_once("\"player\":")?.1.get(..1)?;
    // In Command Clash both sides choose at once, so "legal" has the moves of both.
    let legal = between(line, "\"legal\":{", '}')?;
    let legal = between(legal, &format!("\"{player}\":["), ']')?;
    let legal: Vec<&str> = legal.split(',').map(|word| word.trim_matches('"')).collect();
    Some(choose(game, position, player, &legal))
}

fn main() -> io::Result<()> {
    // One line of JSON comes in for each move; when there are no more lines, the bot ends.
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some(answer) = answer(&line) else {
            return Err(io::Error::other(format!("this line is not understood: {line}")));
        };
        println!("{answer}");
        // Without this the answer could wait in a buffer, and the game would wait for it.
        io::stdout().flush()?;
    }
    Ok(())
}
