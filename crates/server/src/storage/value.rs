//! Column values and parameters, the same for both databases.

use std::error::Error;

use bytes::BytesMut;
use rusqlite::types::{ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// The value of a column or parameter. A Boolean is 0 or 1. In JSON, bytes are `{"hex": "00ff"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes {
        #[serde(with = "hexadecimal")]
        hex: Vec<u8>,
    },
}

/// Formats bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

mod hexadecimal {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::hex(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(from)?;
        let byte = |digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok();
        let bytes: Option<_> = text.as_bytes().chunks(2).map(byte).collect();
        bytes.ok_or_else(|| D::Error::custom("expected hexadecimal digits"))
    }
}

/// The parameters of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        vec![$($crate::storage::value::Value::from($value)),*]
    };
}
pub(super) use values;

/// Converts types to values.
macro_rules! from {
    ($($type:ty, $value:ident => $result:expr;)+) => {
        $(impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $result
            }
        })+
    };
}

from! {
    i64, integer => Self::Integer(integer);
    u32, integer => Self::Integer(integer.into());
    // Times and versions never come near the maximum.
    u64, integer => Self::Integer(i64::try_from(integer).unwrap_or(i64::MAX));
    bool, claim => Self::Integer(claim.into());
    f64, real => Self::Real(real);
    &str, text => Self::Text(text.to_owned());
    &String, text => text.as_str().into();
    &[u8; 32], bytes => Self::Bytes { hex: bytes.to_vec() };
    &Option<String>, text => text.as_ref().into();
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Value {
    /// Converts a column of `SQLite`; `None` for text that is not UTF-8.
    pub(super) fn of_sqlite(value: ValueRef<'_>) -> Option<Self> {
        Some(match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(integer) => Self::Integer(integer),
            ValueRef::Real(real) => Self::Real(real),
            ValueRef::Text(text) => str::from_utf8(text).ok()?.into(),
            ValueRef::Blob(bytes) => Self::Bytes { hex: bytes.to_owned() },
        })
    }

    /// Converts the value to the form that `SQLite` uses.
    pub(super) fn as_sqlite(&self) -> ValueRef<'_> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(*integer),
            Self::Real(real) => ValueRef::Real(*real),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes { hex } => ValueRef::Blob(hex),
        }
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.as_sqlite()))
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(integer) if *kind == Type::BOOL => (*integer != 0).to_sql(kind, out),
            Self::Integer(integer) if *kind == Type::INT4 => {
                i32::try_from(*integer)?.to_sql(kind, out)
            }
            Self::Integer(integer) => integer.to_sql_checked(kind, out),
            Self::Real(real) => real.to_sql_checked(kind, out),
            Self::Text(text) => text.to_sql_checked(kind, out),
            Self::Bytes { hex } => hex.to_sql_checked(kind, out),
        }
    }

    /// Accepts every type, since `to_sql` checks the value.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl FromSql<'_> for Value {
    fn from_sql(kind: &Type, raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *kind {
            Type::BOOL => bool::from_sql(kind, raw)?.into(),
            Type::INT4 => i64::from(i32::from_sql(kind, raw)?).into(),
            Type::INT8 => i64::from_sql(kind, raw)?.into(),
            Type::FLOAT8 => f64::from_sql(kind, raw)?.into(),
            Type::BYTEA => Self::Bytes { hex: Vec::from_sql(kind, raw)? },
            _ => Self::Text(String::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
