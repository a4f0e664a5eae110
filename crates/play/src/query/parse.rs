//! Parses a query. `docs/queries.md` describes the grammar.

mod numbers;

use std::fmt::Display;
use std::ops::Range;

use skirmish_rules::{Gauge, Side, Tempo, alternatives, quotable};

use super::amount::Amount;
use super::error::QueryError;
use super::tokens::{Symbol, Token, TokenKind, tokens};
use super::vocabulary::{Vocabulary, gauge_example};
use super::{Fact, OutcomeKind, Query};

/// The maximum nesting depth, so that no text can exhaust the stack.
const DEEPEST: usize = 50;

impl Query {
    /// Parses a query about a game.
    ///
    /// # Errors
    /// If `text` is not a query, or contains a fact that does not apply to the game.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Self, QueryError> {
        let mut parser = Parser { text, tokens: tokens(text), at: 0, depth: 0, vocabulary };
        let query = parser.any()?;
        match parser.peek() {
            None => Ok(query),
            Some(_) => Err(parser.expected("and, or, or the end of the query")),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// The index of the next token.
    at: usize,
    depth: usize,
    vocabulary: &'a Vocabulary,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Query, QueryError> {
        self.joined("or", Self::all, Query::Any)
    }

    fn all(&mut self) -> Result<Query, QueryError> {
        self.joined("and", Self::each, Query::All)
    }

    /// Parses one or more parts joined by a word.
    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Result<Query, QueryError>,
        join: fn(Vec<Query>) -> Query,
    ) -> Result<Query, QueryError> {
        let first = part(self)?;
        let mut parts = vec![first];
        while self.accept(&[word]) {
            parts.push(part(self)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { join(parts) })
    }

    /// Parses a fact, a negation, or a query in parentheses.
    fn each(&mut self) -> Result<Query, QueryError> {
        if self.depth == DEEPEST {
            return Err(self.wrong(self.at, format!("a query has at most {DEEPEST} levels")));
        }
        self.depth += 1;
        let query = if self.accept(&["not"]) {
            Query::Not(Box::new(self.each()?))
        } else if self.accept_symbol(Symbol::Open) {
            let query = self.any()?;
            if !self.accept_symbol(Symbol::Close) {
                return Err(self.expected("and, or, or a closing parenthesis"));
            }
            query
        } else {
            Query::Fact(self.fact()?)
        };
        self.depth -= 1;
        Ok(query)
    }

    fn fact(&mut self) -> Result<Fact, QueryError> {
        let start = self.at;
        if let Some(side) = self.player()? {
            return self.fact_of(side);
        }
        let Some(word) = self.word() else { return self.counted_fact(start) };
        self.at += 1;
        match word.as_str() {
            "win" | "wins" | "won" => self.outcome(OutcomeKind::Win, start),
            "loss" | "losses" | "lost" => self.outcome(OutcomeKind::Loss, start),
            "draw" | "draws" | "drawn" => self.outcome(OutcomeKind::Draw, start),
            "endless" => self.only(Tempo::Alternating, start).map(|()| Fact::Endless),
            "over" | "finished" => Ok(Fact::Over),
            "plies" | "ply" => self.compared(start, Tempo::Alternating).map(Fact::Plies),
            "moves" | "move" => self.compared(start, Tempo::Alternating).map(Fact::Moves),
            "winning" => {
                self.expect(&["moves", "move"])?;
                self.compared(start, Tempo::Alternating).map(Fact::WinningMoves)
            }
            "value" => {
                let value = self.compared(start, Tempo::Simultaneous)?;
                self.within(start + 1..self.at, value, "values", [-1, 1])?;
                Ok(Fact::Value(value))
            }
            "units" | "unit" => {
                self.on_a_track(start)?;
                self.skip_is();
                Ok(Fact::Units(None, self.amount(true)?))
            }
            _ => {
                self.at = start;
                self.counted_fact(start)
            }
        }
    }

    /// Parses `win`, `win in 5` or `win in 3..7 plies`, after its first word.
    fn outcome(&mut self, kind: OutcomeKind, start: usize) -> Result<Fact, QueryError> {
        self.only(Tempo::Alternating, start)?;
        if !self.accept(&["in"]) {
            return Ok(Fact::Outcome(kind, None));
        }
        let plies = self.amount(true)?;
        self.accept(&["plies", "ply"]);
        Ok(Fact::Outcome(kind, Some(plies)))
    }

    /// Parses `at least 2 winning moves` or `3 units`.
    fn counted_fact(&mut self, start: usize) -> Result<Fact, QueryError> {
        if !self.begins_amount() {
            return Err(self.expected(&format!("a fact, such as {}", self.examples())));
        }
        let amount = self.amount(true)?;
        let noun = self.at;
        if self.accept(&["winning"]) {
            self.expect(&["moves", "move"])?;
            return self.only(Tempo::Alternating, noun).map(|()| Fact::WinningMoves(amount));
        }
        if self.accept(&["moves", "move"]) {
            return self.only(Tempo::Alternating, noun).map(|()| Fact::Moves(amount));
        }
        if self.accept(&["plies", "ply"]) {
            return self.only(Tempo::Alternating, noun).map(|()| Fact::Plies(amount));
        }
        if self.accept(&["units", "unit"]) {
            self.on_a_track(noun)?;
            return Ok(Fact::Units(None, amount));
        }
        if self.named_gauge().is_some() {
            let example = self.vocabulary.gauge.as_ref().map(gauge_example);
            return Err(self.wrong(start, format!("say whose: {}", example.unwrap_or_default())));
        }
        if let Some(lead) = self.lead_before(start) {
            let number = quotable(&self.text[self.span(&(start..self.at))]);
            let why = format!("repeat \"{lead}\" before \"{number}\": {lead} {number}");
            return Err(self.wrong_from(start, why));
        }
        let mut nouns = match self.vocabulary.tempo {
            Tempo::Alternating => vec!["winning moves", "moves", "plies"],
            Tempo::Simultaneous => Vec::new(),
        };
        nouns.extend(self.vocabulary.track.map(|_| "units"));
        if nouns.is_empty() {
            let why = format!("expected a fact, such as {}", self.examples());
            return Err(self.wrong(start, why));
        }
        Err(self.expected(&alternatives(nouns)))
    }

    /// Returns the words `win in`, if nothing else is missing before an amount, as in `win in 5 or 7`.
    fn lead_before(&self, amount: usize) -> Option<String> {
        let between = ["or", "and", "plies", "ply"];
        let is_lead = |token: &Token| match &token.kind {
            TokenKind::Word(word) => !between.contains(&word.as_str()),
            TokenKind::Symbol(symbol) => matches!(symbol, Symbol::Open | Symbol::Close),
            TokenKind::Number(_) | TokenKind::Unknown => false,
        };
        let ends = match self.peek() {
            None | Some(TokenKind::Symbol(Symbol::Close)) => true,
            Some(TokenKind::Word(word)) => word == "or" || word == "and",
            Some(_) => false,
        };
        let last = self.tokens[..amount].iter().rposition(is_lead).filter(|_| ends)?;
        let first = last.checked_sub(1).filter(|_| self.is_word(last, "in"))?;
        Some(quotable(&self.text[self.span(&(first..last + 1))]))
    }

    /// Parses a fact about a player.
    fn fact_of(&mut self, side: Side) -> Result<Fact, QueryError> {
        let start = self.at;
        if self.accept(&["to"]) {
            self.expect(&["move"])?;
            return self.only(Tempo::Alternating, start).map(|()| Fact::ToMove(side));
        }
        if self.accept(&["mixes", "mix"]) {
            self.only(Tempo::Simultaneous, start)?;
            return Ok(Fact::Mixes(side));
        }
        if self.accept(&["on"]) {
            self.on_a_track(start)?;
            let places = self.at;
            let amount = self.amount(true)?;
            if let Some(track) = self.vocabulary.track {
                self.within(places..self.at, amount, "positions", [track.first, track.last])?;
            }
            return Ok(Fact::On(side, amount));
        }
        if self.accept(&["has", "have"]) {
            let begin = self.at;
            let amount = self.amount(true)?;
            let noun = self.at;
            if self.accept(&["units", "unit"]) {
                self.on_a_track(noun)?;
                return Ok(Fact::Units(Some(side), amount));
            }
            if let Some(Gauge { label, max, .. }) = self.named_gauge() {
                self.within(begin..noun, amount, label, [0, max])?;
                self.at += 1;
                return Ok(Fact::Gauge(side, label, amount));
            }
            let units = self.vocabulary.track.map(|_| "units");
            let gauge = self.vocabulary.gauge.map(|gauge| gauge.label);
            return Err(self.expected(&alternatives(units.into_iter().chain(gauge))));
        }
        let mut predicates = match self.vocabulary.tempo {
            Tempo::Alternating => vec!["to move"],
            Tempo::Simultaneous => vec!["mixes"],
        };
        predicates.extend(self.vocabulary.track.map(|_| "on"));
        let has = self.vocabulary.track.is_some() || self.vocabulary.gauge.is_some();
        predicates.extend(has.then_some("has"));
        Err(self.expected(&alternatives(predicates)))
    }

    /// Parses `player 1`, `player1` or `p1`, if one comes next.
    fn player(&mut self) -> Result<Option<Side>, QueryError> {
        for side in Side::ALL {
            let number = side.number();
            if self.accept(&[&format!("p{number}"), &format!("player{number}")]) {
                return Ok(Some(side));
            }
        }
        if !self.accept(&["player"]) {
            return Ok(None);
        }
        let number = self.at;
        let found = self.plain_number();
        let side = Side::ALL.into_iter().find(|side| found == Some(f64::from(side.number())));
        side.map(Some).ok_or_else(|| {
            self.at = number;
            self.expected("1 or 2")
        })
    }

    /// Parses the condition after the name of a number: `>= 4`, `is 4`, `between 3 and 5`.
    fn compared(&mut self, start: usize, tempo: Tempo) -> Result<Amount, QueryError> {
        self.only(tempo, start)?;
        self.skip_is();
        self.amount(tempo == Tempo::Alternating)
    }

    fn skip_is(&mut self) {
        self.accept(&["is", "are"]);
    }

    /// Returns the gauge whose name comes next, if any.
    fn named_gauge(&self) -> Option<Gauge> {
        self.word().and_then(|word| self.vocabulary.gauge_named(&word))
    }

    /// Rejects a fact that applies only to games of this tempo.
    fn only(&self, tempo: Tempo, start: usize) -> Result<(), QueryError> {
        match self.vocabulary.tempo {
            actual if actual == tempo => Ok(()),
            Tempo::Alternating => Err(self.missing(start, "the players move in turn")),
            Tempo::Simultaneous => Err(self.missing(start, "both players choose at once")),
        }
    }

    /// Rejects a fact that applies only to games with pieces on a track.
    fn on_a_track(&self, start: usize) -> Result<(), QueryError> {
        if self.vocabulary.track.is_some() {
            return Ok(());
        }
        Err(self.missing(start, "there are no units on a track"))
    }

    /// Rejects an amount that no number from `least` to `most` fulfils.
    fn within<N: Into<f64> + Copy + Display>(
        &self,
        tokens: Range<usize>,
        amount: Amount,
        numbers: &str,
        [least, most]: [N; 2],
    ) -> Result<(), QueryError> {
        if amount.meets(least.into(), most.into()) {
            return Ok(());
        }
        let span = self.span(&tokens);
        let found = quotable(&self.text[span.clone()]);
        let why = format!("\"{found}\" is out of range: {numbers} range from {least} to {most}");
        Err(QueryError { text: self.text.to_owned(), span, why })
    }

    /// Builds the error for a fact that does not apply to this game.
    fn missing(&self, start: usize, because: &str) -> QueryError {
        let word = quotable(&self.text[self.tokens[start].span.clone()]);
        let (game, examples) = (self.vocabulary.game, self.examples());
        let why = format!(
            "\"{word}\" means nothing in {game}, where {because}: expected a fact, such as {examples}"
        );
        self.wrong(start, why)
    }

    fn examples(&self) -> String {
        alternatives(self.vocabulary.examples())
    }

    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    /// Returns the next token if it is a word.
    fn word(&self) -> Option<String> {
        match self.peek()? {
            TokenKind::Word(word) => Some(word.clone()),
            TokenKind::Number(_) | TokenKind::Symbol(_) | TokenKind::Unknown => None,
        }
    }

    /// Whether the token with this index is this word.
    fn is_word(&self, index: usize, wanted: &str) -> bool {
        let token = self.tokens.get(index).map(|token| &token.kind);
        matches!(token, Some(TokenKind::Word(word)) if word == wanted)
    }

    /// Takes the next word if it is one of these.
    fn accept(&mut self, words: &[&str]) -> bool {
        let is_next = self.word().is_some_and(|word| words.contains(&word.as_str()));
        self.at += usize::from(is_next);
        is_next
    }

    fn accept_symbol(&mut self, wanted: Symbol) -> bool {
        let is_next = self.peek() == Some(&TokenKind::Symbol(wanted));
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes the next word, which must be one of these.
    fn expect(&mut self, words: &[&str]) -> Result<String, QueryError> {
        match self.word().filter(|word| words.contains(&word.as_str())) {
            Some(word) => {
                self.at += 1;
                Ok(word)
            }
            None => Err(self.expected(&alternatives(words))),
        }
    }

    /// Builds the error for an unexpected next token.
    fn expected(&self, what: &str) -> QueryError {
        let why = match self.tokens.get(self.at) {
            Some(token) => {
                let found = quotable(&self.text[token.span.clone()]);
                format!("expected {what}, not \"{found}\"")
            }
            None => format!("the query ends too early: expected {what}"),
        };
        self.wrong(self.at, why)
    }

    /// Builds the error at a token, or at the end of the text.
    fn wrong(&self, index: usize, why: String) -> QueryError {
        let end = self.text.trim_end().len();
        let span = self.tokens.get(index).map_or(end..end, |token| token.span.clone());
        QueryError { text: self.text.to_owned(), span, why }
    }

    /// Builds the error that spans from a token to the last token read.
    fn wrong_from(&self, index: usize, why: String) -> QueryError {
        QueryError { text: self.text.to_owned(), span: self.span(&(index..self.at)), why }
    }

    /// Returns the byte range of some tokens.
    fn span(&self, tokens: &Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].span.start..self.tokens[tokens.end - 1].span.end
    }
}
