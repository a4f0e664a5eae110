//! Two clients that play each other.

use serde_json::{Value, json};

use super::{Client, with};

/// A game between two clients.
pub(crate) struct Pair {
    pub(crate) code: String,
    pub(crate) one: Client,
    pub(crate) two: Client,
}

impl Pair {
    /// Creates a game with `one` as Player 1, and lets `two` join it.
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

    /// A message of this kind about the game.
    pub(crate) fn about(&self, kind: &str, fields: &Value) -> Value {
        with(&json!({"type": kind, "code": self.code}), fields)
    }

    /// The game's version, according to a player.
    pub(crate) fn version(&mut self, number: u64) -> u64 {
        let player = self.player(number);
        player.send(&json!({"type": "ping"}));
        let pong = player.until("pong");
        pong["versions"][&self.code].as_u64().expect("the client follows the game")
    }

    /// Makes a move that must be accepted. Returns the acknowledgement.
    pub(crate) fn act(&mut self, number: u64, choice: &str) -> Value {
        let v = self.version(number);
        let act = self.about("act", &json!({"v": v, "move": choice}));
        self.player(number).does(&act)
    }

    /// Waits until all consequences of the game so far are stored: the room answers messages one after another.
    pub(crate) fn settle(&mut self) {
        self.does(1, "say", &json!({"phrase": "thanks"}));
    }

    /// Sends another kind of message that must be accepted.
    pub(crate) fn does(&mut self, number: u64, kind: &str, fields: &Value) -> Value {
        let message = self.about(kind, fields);
        self.player(number).does(&message)
    }

    /// Sends a message that must be refused with this code.
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
