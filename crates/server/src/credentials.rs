//! User names and passwords in URLs.

/// Error text for an address whose password ends too early.
pub(crate) const UNCLEAR: &str =
    "@, / and ? in a user name, a password or a parameter are written %40, %2F and %3F";

/// Whether it is clear where the user name and password end. After an unescaped delimiter, the rest would be taken for the
/// host, and be shown.
pub(crate) fn are_clear(url: &str) -> bool {
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    match address.split_once('@') {
        Some((credentials, rest)) => !credentials.contains(['/', '?']) && !rest.contains('@'),
        None => true,
    }
}
