//! Work shared between threads: by rayon with the feature `rayon`, and without it one item after the other.

/// What `work` makes of each item, in their order. After an error no more items are begun.
///
/// # Errors
/// The error of one of the items.
#[cfg(feature = "rayon")]
pub fn try_map<T: Send, R: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<R, E> + Send + Sync,
) -> Result<Vec<R>, E> {
    use rayon::prelude::*;
    let items: Vec<T> = items.into_iter().collect();
    items.into_par_iter().map(work).collect()
}

/// What `work` makes of each item, in their order. After an error no more items are begun.
///
/// # Errors
/// The error of the first item that has one.
#[cfg(not(feature = "rayon"))]
pub fn try_map<T: Send, R: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<R, E> + Send + Sync,
) -> Result<Vec<R>, E> {
    items.into_iter().map(work).collect()
}

/// How many threads share the work.
#[must_use]
pub fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}
