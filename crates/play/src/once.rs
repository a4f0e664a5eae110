//! A value made when it is first needed, whose making can be cancelled.

use std::sync::{Mutex, OnceLock, PoisonError};

/// A value made once. If making it fails it is made again next time; nothing half-made is kept.
pub(crate) struct Once<T> {
    value: OnceLock<T>,
    /// Held by whoever makes it, so that no two do so at once.
    making: Mutex<()>,
}

impl<T> Once<T> {
    pub(crate) const fn new() -> Self {
        Self { value: OnceLock::new(), making: Mutex::new(()) }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// The value, made now if there is none.
    pub(crate) fn get_or_try<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.get() {
            return Ok(value);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.get() {
            return Ok(value);
        }
        let value = make()?;
        Ok(self.value.get_or_init(|| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_tried_again_and_what_is_made_is_kept() {
        let once = Once::new();
        assert_eq!(once.get_or_try(|| Err("cancelled")), Err("cancelled"));
        assert_eq!(once.get(), None);
        assert_eq!(once.get_or_try(|| Ok::<_, &str>(7)), Ok(&7));
        assert_eq!(once.get_or_try(|| Err("not asked")), Ok(&7));
    }
}
