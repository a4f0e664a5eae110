//! Distributes work over threads with the feature `rayon`; without it, processes one item after another.

/// Applies `work` to each item and returns the results in order. After an error, no further items are started.
///
/// # Errors
/// If `work` fails for an item. With `rayon`, it is not necessarily the first failing item.
pub fn try_map<T: Send, R: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<R, E> + Send + Sync,
) -> Result<Vec<R>, E> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        let items: Vec<T> = items.into_iter().collect();
        items.into_par_iter().map(work).collect()
    }
    #[cfg(not(feature = "rayon"))]
    items.into_iter().map(work).collect()
}

/// The number of threads that share the work.
#[must_use]
pub fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}
