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
