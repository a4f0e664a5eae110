#![doc = include_str!("../README.md")]

mod clock;
mod desk;
mod event;
mod mirror;
mod rejection;
mod room;
mod terms;
pub mod wire;
pub mod words;

pub use clock::{ClockError, FIRST_MOVE, LAG_QUOTA, Millis, TimeControl};
pub use desk::{ConnectionId, Desk, DeskInput, Outgoing, Recipient, Step, Task};
pub use event::{AccountId, Logged, Origin, Person, RoomEvent};
pub use mirror::{Mirror, Notice};
pub use rejection::{Rejection, RejectionCode};
pub use room::{FoldError, Request, Room, SentRequest};
pub use terms::{RuleValue, SideWish, Terms, TermsError};
