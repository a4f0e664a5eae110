//! A short list stored inline.

use std::ops::Deref;
use std::slice;

use arrayvec::ArrayVec;

/// A list of at most `N` items that never allocates. It dereferences to a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlineVec<T, const N: usize>(ArrayVec<T, N>);

impl<T, const N: usize> InlineVec<T, N> {
    /// An empty list.
    #[must_use]
    #[inline]
    pub fn new() -> Self {
        Self(ArrayVec::new())
    }

    /// Adds an item at the end.
    ///
    /// # Panics
    /// If the list is full.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.0.push(item);
    }

    /// Removes all items.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Removes the items for which `keep` returns false.
    #[inline]
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.0.retain(|item| keep(item));
    }
}

impl<T, const N: usize> Deref for InlineVec<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const N: usize> FromIterator<T> for InlineVec<T, N> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(ArrayVec::from_iter(items))
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a InlineVec<T, N> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
