//! The operator's commands, on running and stopped servers.

use super::Served;
use crate::support::{Home, Ran, run};

/// Asserts that a command fails with this exit code and message.
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
        "already has Skirmish data",
    );
    let status = home.run(&["admin", "status", "--data", &data, "--json"], "").exits(0).out;
    assert!(status.contains("\"running\":false") && status.contains("\"open\":1"), "{status}");
    let closing = home.run(&["admin", "close", &code, "--data", &data], "").exits(0).out;
    assert_eq!(closing, format!("Game {code} is closed when a server starts.\n"));
}

#[test]
fn an_export_of_a_running_server_is_imported_elsewhere() {
    let ann = Home::new();
    let server = Served::new();
    let (_talk, code) = server.creator(&ann, "capture-the-line");
    let home = &server.home;
    let file = home.file("club.jsonl").to_string_lossy().into_owned();
    let said = home.run(&["admin", "export", &file], "").exits(0).out;
    assert!(said.contains(" holds 1 game with 1 event in "), "{said}");
    refused(home.run(&["admin", "export", &file], ""), 1, "exists already");
    refused(home.run(&["admin", "import", &file], ""), 1, "in use by another server");
    let lines = home.run(&["admin", "export", "--json"], "").exits(0).out;
    assert!(lines.starts_with("{\"type\":\"header\",\"format\":\"skirmish-export\","), "{lines}");

    let data = home.file("imported").to_string_lossy().into_owned();
    let import = ["admin", "import", &file, "--data", &data];
    let json = home.run(&[&import[..], &["--json"]].concat(), "").exits(0).out;
    assert!(json.contains("\"games\":1,\"events\":1}"), "{json}");
    refused(home.run(&import, ""), 1, "already has Skirmish data: choose an empty data folder");
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
    refused(home.run(&["admin", "rename", &who, "#5"], ""), 1, "it looks like the number");
    for reason in ["\u{1b}[31menough", "one\ntwo", &"x".repeat(201)] {
        let ran = home.run(&["admin", "ban", &who, "--reason", reason], "");
        refused(ran, 1, "at most 200 characters");
    }
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
    refused(home.run(&["admin", "revoke"], ""), 2, "<WHO|--token>");
    home.run(&["admin", "revoke", "Ann", "--token"], "").exits(2);
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
    // This fails before the database is opened, whatever it is.
    for options in [["--data", "nowhere"], ["--database", database]] {
        let mut command = home.command(&["admin", "revoke", "--token"]);
        command.args(options);
        refused(run(command, "abc\0def\n"), 1, "is not a token");
    }
    refused(server.home.run(&["admin", "close", "ABC234"], ""), 1, "no such game");
}

#[test]
fn an_address_with_a_mistake_is_neither_taken_for_a_folder_nor_repeated() {
    let home = Home::new();
    for place in [
        "postgress://club:secret@db/club",
        "postgres:/club:secret@db/club",
        "postgres//club:secret@db/club",
        "POSTGRES://club:secret@db/club",
        "mysql://club:secret@db/club",
        "postgres://club:secret@db:port/club",
        "postgresql://club:secret@",
    ] {
        for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["admin", "export"]] {
            let ran = home.run(&[command, &["--database", place]].concat(), "").exits(2);
            assert!(ran.err.contains("the address of the database cannot be used"), "{}", ran.err);
            assert!(!ran.err.contains("secret"), "{}", ran.err);
        }
    }
    let ran = home.run(&["serve", "--data", "postgres://club:secret@db/club"], "").exits(2);
    assert!(ran.err.contains("--data: expected a folder"), "{}", ran.err);
    assert!(!ran.err.contains("secret"), "{}", ran.err);
    let database = "postgres://club:secret@127.0.0.1:1/club";
    for nats in ["nats//club:secret@host", "nats://", "http://club:secret@host:4222", "host"] {
        let ran = home
            .run(&["serve", "--listen", "127.0.0.1:0", "--database", database, "--nats", nats], "")
            .exits(2);
        assert!(ran.err.contains("--nats: it is not the address of a NATS server"), "{}", ran.err);
        assert!(!ran.err.contains("secret"), "{}", ran.err);
    }
}

#[test]
fn no_part_of_a_password_is_taken_for_the_host() {
    let home = Home::new();
    let fine = "postgres://club:s%40cret@127.0.0.1:1/club";
    for password in
        ["s3@cret", "s3/x@cret", "s3@cret/x", "s3/cret", "s3@cret?x=1", "1?sslrootcert=cret"]
    {
        let place = format!("postgres://club:{password}@127.0.0.1:1/club");
        let nats = format!("nats://club:{password}@127.0.0.1:1");
        for arguments in [
            ["admin", "status", "--database", &place].as_slice(),
            &["serve", "--listen", "127.0.0.1:0", "--database", &place],
            &["admin", "export", "--database", &place],
            &["serve", "--listen", "127.0.0.1:0", "--database", fine, "--nats", &nats],
        ] {
            let ran = home.run(arguments, "").exits(2);
            assert!(ran.err.contains("are written %40, %2F and %3F"), "{}", ran.err);
            assert!(!ran.err.contains("cret"), "{}", ran.err);
        }
    }
    let hidden = "postgres://club@a%40cret/club";
    refused(home.run(&["admin", "status", "--database", hidden], ""), 2, "are written %40");
    refused(home.run(&["admin", "status", "--database", fine], ""), 1, "to 127.0.0.1:1:");
}

#[test]
fn the_command_line_wins_over_the_environment() {
    let server = Served::new();
    let home = &server.home;
    let data = home.file("data/skirmish/server").to_string_lossy().into_owned();
    let with = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = home.command(arguments);
        command.envs(variables.iter().copied());
        run(command, "")
    };
    let database = ("SKIRMISH_DATABASE", "postgres://club:secret@127.0.0.1:1/club");
    let nats = ("SKIRMISH_NATS", "nats://127.0.0.1:1");
    with(&["admin", "status", "--data", &data], &[database, nats]).exits(0);
    with(&["admin", "status"], &[("SKIRMISH_DATABASE", "")]).exits(0);
    refused(with(&["admin", "status"], &[database]), 1, "database");
    // A bus is for servers that share a database.
    let other = home.file("other").to_string_lossy().into_owned();
    let why = "a server with a data folder is alone";
    let given = ["serve", "--data", &other, "--nats", nats.1];
    refused(with(&given, &[]), 2, why);
    refused(with(&given, &[database]), 2, why);
    refused(with(&["serve"], &[nats]), 2, "SKIRMISH_NATS: a server with a data folder is alone");
    // The environment is no problem here: the server fails because its data folder is in use.
    refused(with(&["serve", "--data", &data], &[database, nats]), 1, "in use by another server");
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
