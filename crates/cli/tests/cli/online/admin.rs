//! The operator's commands, on a server that is running and on one that is not.

use super::Served;
use crate::support::{Home, Ran};

/// Asserts that a command fails like this, and says this.
#[track_caller]
fn refused(ran: Ran, code: i32, text: &str) {
    let ran = ran.exits(code);
    assert!(ran.err.contains(text), "{}", ran.err);
}

#[test]
fn a_backup_of_a_running_server_is_restored_elsewhere() {
    let ann = Home::new();
    let server = Served::new();
    let (_talk, code) = server.creator(&ann, "capture-the-line");
    let home = &server.home;
    let status = home.run(&["admin", "status"], "").exits(0);
    assert!(status.out.starts_with("A server is running.\n0 registered accounts, 1 guest"));
    let file = home.file("club.backup").to_string_lossy().into_owned();
    let said = home.run(&["admin", "backup", &file], "").exits(0).out;
    assert!(said.contains(" holds 1 game with 1 event in "), "{said}");
    refused(home.run(&["admin", "backup", &file], ""), 1, "exists already");

    let data = home.file("restored").to_string_lossy().into_owned();
    let json = home.run(&["admin", "restore", &file, "--data", &data, "--json"], "").exits(0).out;
    assert!(json.contains("\"games\":1,\"events\":1}"), "{json}");
    refused(
        home.run(&["admin", "restore", &file, "--data", &data], ""),
        1,
        "has a database already",
    );
    let status = home.run(&["admin", "status", "--data", &data, "--json"], "").exits(0).out;
    assert!(status.contains("\"running\":false") && status.contains("\"open\":1"), "{status}");
    let closing = home.run(&["admin", "close", &code, "--data", &data], "").exits(0).out;
    assert_eq!(closing, format!("Game {code} is closed when a server starts.\n"));
}

#[test]
fn the_operator_bans_renames_and_closes_while_the_server_runs() {
    let ann = Home::new();
    let server = Served::new();
    let (talk, code) = server.creator(&ann, "capture-the-line");
    let home = &server.home;
    let who = format!("{code}/1");
    // The toss may have given the creator the other seat.
    let taken = home.run(&["admin", "rename", &who, "Anna"], "");
    let who = if taken.code == Some(0) { who } else { format!("{code}/2") };
    home.run(&["admin", "rename", &who, "Anna"], "").exits(0);
    refused(home.run(&["admin", "rename", &who, "\u{7}"], ""), 1, "the name is not valid");
    home.run(&["admin", "ban", &who, "--reason", "enough"], "").exits(0);
    let ran = talk.wait();
    let said = ran.out + &ran.err;
    assert!(said.contains("This account has been banned from this server: enough"), "{said}");
    let unbanned = home.run(&["admin", "unban", &who, "--json"], "").exits(0).out;
    assert!(unbanned.contains("\"name\":\"Anna\"") && unbanned.contains("\"changed\":true"));
    let closed = home.run(&["admin", "close", &code.to_lowercase(), "--json"], "").exits(0).out;
    assert_eq!(closed, format!("{{\"code\":\"{code}\",\"state\":\"closed\"}}\n"));
}

#[test]
fn what_the_operator_gets_wrong_is_told() {
    let home = Home::new();
    refused(home.run(&["admin", "status"], ""), 1, "skirmish.db");
    home.run(&["admin"], "").exits(2);
    refused(home.run(&["admin", "prune", "--days", "3"], ""), 2, "3 is not in 15..=36500");
    home.run(&["admin", "revoke"], "").exits(2);
    let file = home.file("file").to_string_lossy().into_owned();
    let database = "postgres://club:secret@127.0.0.1:1/club";
    refused(home.run(&["admin", "backup", &file, "--database", database], ""), 1, "use pg_dump");
    let away = home.run(&["admin", "status", "--database", database], "").exits(1);
    assert!(!away.err.contains("secret"), "{}", away.err);
    refused(home.run(&["serve", "--metrics", "0.0.0.0:9777"], ""), 2, "--metrics-public");
    let server = Served::new();
    for who in ["Nobody", "#77", "ABC234/1"] {
        refused(server.home.run(&["admin", "ban", who], ""), 1, "there is no such");
    }
    refused(server.home.run(&["admin", "revoke", "--token"], ""), 1, "no token");
    refused(server.home.run(&["admin", "revoke", "--token"], "abc\n"), 1, "nobody has");
    refused(server.home.run(&["admin", "close", "ABC234"], ""), 1, "no such game");
}

#[test]
#[cfg(unix)]
fn a_log_of_objects_has_nothing_else_in_it() {
    use crate::support::send;
    let home = Home::new();
    let options = ["serve", "--listen", "127.0.0.1:0", "--log", "json", "--log-level", "debug"];
    let talk = home.talk(&options);
    talk.hear("Listening on");
    send("TERM", talk.process());
    let ran = talk.wait().exits(143);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(!lines.is_empty());
    for line in &lines {
        let object: serde_json::Value = serde_json::from_str(line).expect(line);
        for field in ["time", "level", "event", "text"] {
            assert!(object[field].is_string(), "{line}");
        }
    }
    assert!(lines.iter().any(|line| line.contains("\"event\":\"draining\"")), "{}", ran.err);
}
