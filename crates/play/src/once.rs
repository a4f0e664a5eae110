//! A lazy value whose computation can fail.

use std::sync::{Mutex, OnceLock, PoisonError};

/// A value that is computed on first use. If that fails, the next use tries again.
pub(crate) struct Once<T> {
    value: OnceLock<T>,
    /// Held during the computation, so that only one thread computes it.
    computing: Mutex<()>,
}

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self { value: OnceLock::new(), computing: Mutex::new(()) }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// The value, computed now if there is none.
    pub(crate) fn get_or_try<E>(&self, compute: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.get() {
            return Ok(value);
        }
        let _guard = self.computing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.get() {
            return Ok(value);
        }
        let value = compute()?;
        Ok(self.value.get_or_init(|| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_retried_and_a_value_is_kept() {
        let once = Once::new();
        assert_eq!(once.get_or_try(|| Err("cancelled")), Err("cancelled"));
        assert_eq!(once.get(), None);
        assert_eq!(once.get_or_try(|| Ok::<_, &str>(7)), Ok(&7));
        assert_eq!(once.get_or_try(|| Err("not asked")), Ok(&7));
    }
}
