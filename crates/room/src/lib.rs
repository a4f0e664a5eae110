#![doc = include_str!("../README.md")]

mod clock;
mod cluster;
mod event;
mod host;
mod mirror;
mod rejection;
mod room;
mod terms;
pub mod wire;
pub mod words;

pub use clock::{ClockError, FIRST_MOVE, LAG_QUOTA, Millis, RETURN, TimeControl};
pub use cluster::{
    Alive, Announcement, BEAT, Beat, Cluster, Followers, GAP, GRACE, NodeId, Others, Outage,
    Silence,
};
pub use event::{AccountId, FinishedGame, Logged, Origin, Person, RoomEvent};
pub use host::{
    Append, AppendError, ConnectionId, Effect, Host, HostEvent, HostInput, Outgoing, Recipient,
    Task, Unavailable,
};
pub use mirror::{Mirror, Notice};
pub use rejection::{Rejection, RejectionCode};
pub use room::{FoldError, Request, Room};
pub use terms::{RuleValue, SideWish, Terms, TermsError};
