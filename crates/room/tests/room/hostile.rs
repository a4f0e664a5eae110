//! Generated input for the functions that the fuzz targets run.

use crate::conversation::{converse, listen, read_message};
use crate::random::Random;

/// Valid messages in both directions, to be corrupted.
const MESSAGES: [&str; 16] = [
    r#"{"type":"hello","proto":2,"client":"x","token":"0123","name":"Ann"}"#,
    r#"{"type":"create","id":1,"game":"base-battle","clock":"5+3","seat":"p1","match":3,"rules":{"length":12}}"#,
    r#"{"type":"join","code":"ABCDEF","have":3,"watch":true}"#,
    r#"{"type":"act","id":"n-1","code":"ABCDEF","v":3,"move":"charge"}"#,
    r#"{"type":"offer","id":2,"code":"ABCDEF","what":"takeback","v":5}"#,
    r#"{"type":"answer","id":3,"code":"ABCDEF","what":"draw","yes":true}"#,
    r#"{"type":"say","id":4,"code":"ABCDEF","phrase":"luck"}"#,
    r#"{"type":"ping","more":[1,2,{"x":null}]}"#,
    r#"{"type":"ack","id":1,"code":"ABCDEF","v":7}"#,
    r#"{"type":"rej","id":"n-1","code":"illegal","text":"No.","legal":["1","2"]}"#,
    r#"{"type":"pong","versions":{"ABCDEF":9}}"#,
    r#"{"type":"presence","code":"ABCDEF","players":{"1":true,"2":false},"watchers":2}"#,
    r#"{"type":"ev","code":"ABCDEF","v":4,"event":"turn","player":1,"turns":[{"1":"2","2":null}]}"#,
    r#"{"type":"ev","code":"ABCDEF","v":5,"event":"undo","player":2,"left":0}"#,
    r#"{"type":"ev","code":"ABCDEF","v":5,"event":"end","end":{"result":"1-0","termination":"time"}}"#,
    r#"{"type":"snap","code":"ABCDEF","v":3,"stage":"playing","terms":{"game":"base-battle","clock":"none"},"you":1,"players":{"1":{"name":"Ann"},"2":{"name":"Bob"}},"number":1,"first":1,"match":{"game":1,"of":3,"half_points":{"1":0,"2":0}},"date":null,"turns":[],"undone":0,"chosen":[],"offers":{"1":null,"2":null},"claim_after":600,"present":{"1":true,"2":true},"earlier":[],"end":null}"#,
];

/// Corrupts a text: changes, duplicates or removes bytes, or makes numbers large.
fn damage(random: &mut Random, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let place = random.index(bytes.len());
        match random.below(5) {
            0 => bytes[place] = random.pick(b"0123456789\"{}[],:\\ aev"),
            1 => bytes.insert(place, bytes[place]),
            2 => drop(bytes.remove(place)),
            3 if bytes[place].is_ascii_digit() => {
                let large = random.pick(&["18446744073709551615", "4294967295", "255", "-1"]);
                bytes.splice(place..=place, large.bytes());
            }
            _ => {}
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn damaged_messages_are_read_or_refused() {
    let mut random = Random::new(1);
    for _ in 0..4_000 {
        let message = random.pick(&MESSAGES);
        read_message(&damage(&mut random, message));
    }
}

#[test]
fn a_client_survives_any_server() {
    let mut random = Random::new(2);
    for _ in 0..1_500 {
        let mut lines = Vec::new();
        for _ in 0..=random.below(12) {
            let message = random.pick(&MESSAGES[8..]);
            lines.extend(damage(&mut random, message));
            lines.push(b'\n');
        }
        listen(&lines);
    }
}

#[test]
fn a_room_survives_any_conversation() {
    let mut random = Random::new(3);
    let words = [
        "j", "j", "J", "w", "l", "a1", "a2", "a3", "am0", "ar", "acharge", "aattack", "ashield",
        "a", "apass", "=1", "=2", "=charge", "A1", "Acharge", "od", "ot", "or", "yd", "yt", "yr",
        "nd", "nt", "nr", "r", "c", "s", "a9", "axyzzy",
    ];
    let events = ["t1", "t3", "t4", "t5", "t9", "b", "c", "c", "c1", "cxyzzy", "k", "p", "r", "d"];
    for _ in 0..1_500 {
        let [game, terms] = [random.next().to_le_bytes()[0], random.next().to_le_bytes()[0]];
        let mut bytes = vec![game, terms];
        if random.percent(90) {
            bytes.extend(b"1j\n2j\n");
        }
        for _ in 0..random.below(80) {
            let line = match random.below(12) {
                0..9 => format!("{}{}", 1 + random.below(2), random.pick(&words)),
                9 => format!("{}{}", 3 + random.below(2), random.pick(&words)),
                _ => format!("0{}", random.pick(&events)),
            };
            bytes.extend(line.bytes());
            bytes.push(b'\n');
            if random.percent(2) {
                bytes.push(b'1');
                let message = random.pick(&MESSAGES[..8]);
                bytes.extend(damage(&mut random, message));
                bytes.push(b'\n');
            }
        }
        converse(&bytes);
    }
}
