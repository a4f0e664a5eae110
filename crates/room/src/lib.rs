#![doc = include_str!("../README.md")]

mod audience;
mod clock;
mod desk;
mod elsewhere;
mod event;
mod lease;
mod mirror;
mod node;
mod rejection;
mod replica;
mod room;
mod terms;
pub mod wire;
pub mod words;

pub use clock::{ClockError, FIRST_MOVE, LAG_QUOTA, Millis, RETURN, TimeControl};
pub use desk::{ConnectionId, Desk, DeskInput, Outgoing, Recipient, Step, Task};
pub use event::{AccountId, Logged, Origin, Person, RoomEvent};
pub use lease::{
    Acquired, BEAT, Held, LEASE, Lease, NodeId, Outage, Served, Stopped, acquire, released,
};
pub use mirror::{Mirror, Notice};
pub use node::{Attendance, Attending, Bell, Forward, Reply, Report, connection_of, node_of};
pub use rejection::{Rejection, RejectionCode};
pub use replica::{Handled, Heard, Replica};
pub use room::{FoldError, Request, Room};
pub use terms::{RuleValue, SideWish, Terms, TermsError};
