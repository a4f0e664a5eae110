//! Rules that the simulated server breaks on purpose, to show that the checks notice.

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sabotage {
    /// Events are applied and sent out while they are being appended.
    BroadcastBeforeAppend,
    /// A message is acknowledged while its events are being appended.
    AcknowledgeBeforeAppend,
    /// What was appended last is gone after a kill.
    LoseAppend,
    /// A resent message is carried out again.
    ApplyAgain,
    /// After a restart nobody remembers which messages were carried out.
    ForgetMessages,
    /// A resent message gets another answer.
    AnswerDifferently,
    /// An event tells something about a choice that waits.
    TellChoiceInEvent,
    /// A snapshot tells something about a choice that waits.
    TellChoiceInSnapshot,
    /// The other player's clock is charged.
    ChargeWrongClock,
    /// The time between a stop and the restart is charged.
    ChargeWhilePaused,
    /// After a restart the game just goes on, and the clocks have run.
    ForgetToResume,
    /// A player gets the increment of a turn twice.
    IncrementTwice,
    /// A choice counts, whatever position it was made for.
    ForgetVersionCheck,
    /// A snapshot contains the last turn twice.
    RepeatLastTurn,
    /// A snapshot lacks the last turn.
    LackLastTurn,
    /// Offers are missing in snapshots.
    HideOffers,
    /// Flags do not fall.
    IgnoreFlags,
    /// A message that was refused is acknowledged.
    AcknowledgeRefused,
    /// Some messages are never answered.
    NeverAnswer,
    /// A player can claim the game as soon as the opponent is gone.
    ClaimAtOnce,
}

impl Sabotage {
    pub(super) const ALL: [Self; 20] = [
        Self::BroadcastBeforeAppend,
        Self::AcknowledgeBeforeAppend,
        Self::LoseAppend,
        Self::ApplyAgain,
        Self::ForgetMessages,
        Self::AnswerDifferently,
        Self::TellChoiceInEvent,
        Self::TellChoiceInSnapshot,
        Self::ChargeWrongClock,
        Self::ChargeWhilePaused,
        Self::ForgetToResume,
        Self::IncrementTwice,
        Self::ForgetVersionCheck,
        Self::RepeatLastTurn,
        Self::LackLastTurn,
        Self::HideOffers,
        Self::IgnoreFlags,
        Self::AcknowledgeRefused,
        Self::NeverAnswer,
        Self::ClaimAtOnce,
    ];
}
