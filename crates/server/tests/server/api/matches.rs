//! Tests of the page's requests about games on the server: reviews and invitations.

use serde_json::{Value, json};

use super::{answer, ask, is_refused, server};

#[test]
fn a_review_is_for_those_who_may_see_the_game_and_not_before_its_end() {
    let server = server();
    is_refused(&server, "review", 404, "There is no such game here. Check the code.");
    is_refused(&server, "review?code=ABC234", 404, "There is no such game here. Check the code.");
    let mut pair =
        server.pair(&json!({"game": "capture-the-line", "rules": {"positions": 7}, "seat": "p1"}));
    pair.act(1, "2");
    let code = pair.code.to_lowercase();
    is_refused(
        &server,
        &format!("review?code={code}"),
        403,
        "This game is not over. Its review can be read afterwards.",
    );
    let replay = answer(&server, &format!("review?code={code}&values=0"));
    assert_eq!((&replay["review"], &replay["boards"]), (&Value::Null, &json!(["1/7/1", "3/7/2"])));
    pair.act(2, "2");
    pair.act(1, "1");
    let judged = answer(&server, &format!("review?code={code}"));
    assert_eq!(judged["boards"], json!(["1/7/1", "3/7/2", "3/5/1", "4/5/2"]));
    assert_eq!(
        judged["told"][0],
        json!([{"event": "move", "turn": 1, "text": "Ann moves to Point 3.", "changes": [{"moves": {"player": 1, "at": 1, "strength": null}, "to": 3}]}])
    );
    assert_eq!(judged["review"]["choices"].as_array().map(Vec::len), Some(3));
    assert_eq!(judged["verdicts"].as_array().map(Vec::len), Some(3));
    let sentences = judged["sentences"].as_array().expect("sentences");
    assert_eq!(
        sentences.last(),
        Some(&json!("Ann has reached the center point! Ann wins the game!"))
    );
    for (query, status) in
        [("game=1", 200), ("game=2", 404), ("game=0", 404), ("game=x", 400), ("game=-1", 400)]
    {
        assert_eq!(ask(&server, &format!("review?code={code}&{query}")).0, status, "{query}");
    }

    let mut private =
        server.pair(&json!({"game": "base-battle", "first": "p1", "spectators": false}));
    private.act(1, "1");
    let question = format!("review?code={}&values=0", private.code);
    is_refused(&server, &question, 403, "Only its players may see this game until it is over.");
    private.does(2, "resign", &json!({}));
    answer(&server, &question);
}

#[test]
fn no_answer_reveals_a_choice_that_is_still_secret() {
    let server = server();
    let mut pair = server.pair(&json!({"game": "command-clash"}));
    pair.act(1, "special");
    let secret = |question: &str| {
        let (_, response) = server.get(question);
        assert!(!response.contains("special"), "{response}");
    };
    secret(&format!("/api/review?code={}", pair.code));
    secret(&format!("/api/review?code={}&values=0", pair.code));
    secret(&format!("/g/{}.skr", pair.code));
    secret(&format!("/g/{}.svg", pair.code));
}

/// What a chat program asks for: it accepts anything, but is named.
const CRAWLER: &str = "Accept: */*\r\nUser-Agent: WhatsApp/2.23\r\n";

#[test]
fn a_chat_program_gets_a_description_and_a_picture_of_a_game() {
    let server = server();
    let preview = |code: &str| server.get_with(&format!("/g/{code}"), CRAWLER).1;
    let picture = |code: &str| {
        let target = format!("/g/{code}.png");
        let (status, response) = server.get(&target);
        assert_eq!(status, 200, "{target}");
        assert!(response.contains("content-type: image/png"), "{target}");
        response.split_once("\r\n\r\n").expect("a body").1.to_owned()
    };
    let mut ann = server.guest("Ann");
    let made = ann.ask(&json!({"type": "create", "game": "capture-the-line", "seat": "p1"}));
    let code = made["code"].as_str().expect("a code");
    assert!(preview(code).contains("\"og:title\" content=\"Ann invites you to Capture the Line\""));
    let mut pair = server.pair(&json!({"game": "capture-the-line", "seat": "p1"}));
    let code = pair.code.clone();
    let before = picture(&code);
    pair.act(1, "2");
    let text = preview(&code);
    assert!(text.contains("\"og:title\" content=\"Capture the Line: Ann against Bob\""), "{text}");
    let address = format!("\"og:image\" content=\"{}/g/{code}.png\"", server.url());
    assert!(text.contains(&address), "{text}");
    assert_ne!(before, picture(&code), "the piece has moved");
    // People who only have the link learn no more than the page shows them.
    let terms = json!({"game": "base-battle", "first": "p1", "spectators": false});
    let mut private = server.pair(&terms);
    let (code, start) = (private.code.clone(), picture(&private.code));
    private.act(1, "1");
    assert!(preview(&code).contains("\"og:title\" content=\"A game of Base Battle\""));
    assert_eq!(picture(&code), start);
    // Other programs still get text.
    assert!(server.get_with(&format!("/g/{code}"), "Accept: */*\r\n").1.contains("skirmish join"));
    assert_eq!(server.get_with("/g/ABC234", CRAWLER).0, 404);
}

#[test]
fn an_invitation_is_drawn_for_a_camera() {
    let server = server();
    let (status, response) = server.get("/g/abc234.svg");
    assert_eq!(status, 200);
    assert!(response.contains("content-type: image/svg+xml"), "{response}");
    for part in ["<svg xmlns=\"http://www.w3.org/2000/svg\"", " viewBox=\"0 0 ", " d=\"M"] {
        assert!(response.contains(part), "{response}");
    }
    for target in ["/g/nonsense.svg", "/g/.svg", "/g/ABC234.png", "/g/ABC234.svg.skr"] {
        assert_eq!(server.get(target).0, 404, "{target}");
    }
}
