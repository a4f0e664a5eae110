//! User and password in an address.

/// What is wrong with an address whose password ends too early.
pub(crate) const UNCLEAR: &str =
    "@, / and ? in a user name, a password or a parameter are written %40, %2F and %3F";

/// Whether it is clear where user and password end. If one of them contains what ends it, the rest would be taken for the
/// host, and shown.
pub(crate) fn are_clear(url: &str) -> bool {
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    match address.split_once('@') {
        Some((credentials, rest)) => !credentials.contains(['/', '?']) && !rest.contains('@'),
        None => true,
    }
}
