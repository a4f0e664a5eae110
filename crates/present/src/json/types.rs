//! Field types and their names in the documentation.

use serde::{Deserialize, Serialize, Serializer};
use skirmish_rules::Both;

/// A field type with its name in the documentation.
pub trait JsonType {
    /// The name of the type: `number`, `array of strings`, `object or null`.
    #[must_use]
    fn kind() -> String;

    /// Whether the field is omitted.
    fn is_missing(&self) -> bool {
        false
    }
}

/// Assigns JSON type names to Rust types.
macro_rules! typed {
    ($kind:literal: $($type:ty),+) => {
        $(impl crate::json::JsonType for $type {
            fn kind() -> String {
                $kind.to_owned()
            }
        })+
    };
}

pub(super) use typed;

typed!("string": String, &'static str);
typed!("number": u8, u16, u32, u64, usize, f64);
typed!("boolean": bool);

impl<T: JsonType> JsonType for Option<T> {
    fn kind() -> String {
        format!("{} or null", T::kind())
    }
}

impl<T: JsonType> JsonType for Vec<T> {
    fn kind() -> String {
        let kind = T::kind();
        // "array of strings" becomes "array of arrays of strings".
        match kind.strip_prefix("array ") {
            Some(rest) => format!("array of arrays {rest}"),
            None => format!("array of {kind}s"),
        }
    }
}

impl<T: JsonType, const N: usize> JsonType for [T; N] {
    fn kind() -> String {
        Vec::<T>::kind()
    }
}

/// A field that is omitted if it has no value.
#[derive(Clone, Debug, Serialize)]
pub struct Optional<T>(pub Option<T>);

impl<T: JsonType> JsonType for Optional<T> {
    fn kind() -> String {
        T::kind()
    }

    fn is_missing(&self) -> bool {
        self.0.is_none()
    }
}

/// One value per player: `{"1":…,"2":…}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerPlayer<T> {
    #[serde(rename = "1")]
    one: T,
    #[serde(rename = "2")]
    two: T,
}

impl<T> From<Both<T>> for PerPlayer<T> {
    fn from(both: Both<T>) -> Self {
        Self { one: both.one, two: both.two }
    }
}

impl<T> From<PerPlayer<T>> for Both<T> {
    fn from(each: PerPlayer<T>) -> Self {
        Self { one: each.one, two: each.two }
    }
}

/// An object whose keys are data; their order is kept.
#[derive(Clone, Debug)]
pub struct Named<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Named<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<K, V> FromIterator<(K, V)> for Named<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<T> JsonType for PerPlayer<T> {
    fn kind() -> String {
        "object".to_owned()
    }
}

impl<K, V> JsonType for Named<K, V> {
    fn kind() -> String {
        "object".to_owned()
    }
}

/// A number or a word.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum WordOr<N> {
    /// A word.
    Word(&'static str),
    /// A number.
    Number(N),
}

impl<N: JsonType> JsonType for WordOr<N> {
    fn kind() -> String {
        format!("string or {}", N::kind())
    }
}
