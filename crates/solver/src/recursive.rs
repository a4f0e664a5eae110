//! Simultaneous games that may never end.
