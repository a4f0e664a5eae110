//! Two clients that play each other.

use serde_json::{Value, json};

use super::{Client, with};

/// A game between two people.
pub(crate) struct Pair {
    pub(crate) code: String,
    pub(crate) one: Client,
    pub(crate) two: Client,
}

impl Pair {
    /// `one` creates a game as Player 1, and `two` joins it.
    pub(crate) fn new(mut one: Client, mut two: Client, terms: &Value) -> Self {
        let created = one.does(&with(&json!({"type": "create", "seat": "p1"}), terms));
        let code = created["code"].as_str().expect("a code").to_owned();
        assert_eq!(one.until("snap")["stage"], "open");
        two.does(&json!({"type": "join", "code": code}));
        for client in [&mut one, &mut two] {
            let snap = client.until("snap");
            assert_eq!(snap["stage"], "playing");
        }
        Self { code, one, two }
    }

    pub(crate) fn player(&mut self, number: u64) -> &mut Client {
        if number == 1 { &mut self.one } else { &mut self.two }
    }

    /// A message about this game.
    pub(crate) fn about(&self, kind: &str, fields: &Value) -> Value {
        with(&json!({"type": kind, "code": self.code}), fields)
    }

    /// The version of the game.
    pub(crate) fn version(&mut self, number: u64) -> u64 {
        let player = self.player(number);
        player.send(&json!({"type": "ping"}));
        let pong = player.until("pong");
        pong["versions"][&self.code].as_u64().expect("the client follows the game")
    }

    /// A choice that is accepted. Returns the acknowledgement.
    pub(crate) fn act(&mut self, number: u64, choice: &str) -> Value {
        let v = self.version(number);
        let act = self.about("act", &json!({"v": v, "move": choice}));
        self.player(number).does(&act)
    }

    /// Waits until everything that follows from the game so far is stored: the room answers one message after another.
    pub(crate) fn settle(&mut self) {
        self.does(1, "say", &json!({"phrase": "thanks"}));
    }

    /// Another message that is accepted.
    pub(crate) fn does(&mut self, number: u64, kind: &str, fields: &Value) -> Value {
        let message = self.about(kind, fields);
        self.player(number).does(&message)
    }

    /// A message that is refused with this code.
    pub(crate) fn is_refused(
        &mut self,
        number: u64,
        kind: &str,
        fields: &Value,
        code: &str,
    ) -> Value {
        let message = self.about(kind, fields);
        self.player(number).is_refused(&message, code)
    }
}
