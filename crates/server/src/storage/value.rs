//! Column values and parameters, the same for both databases.

use std::error::Error;

use bytes::BytesMut;
use rusqlite::types::{ToSqlOutput, ValueRef};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// The value of a column or parameter. A Boolean is 0 or 1. In JSON, bytes are `{"hex": "00ff"}`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Bytes(#[serde(serialize_with = "write_bytes")] &'a [u8]),
}

/// An owned [`Value`]. In JSON, it looks the same.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum OwnedValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes {
        #[serde(deserialize_with = "read_bytes")]
        hex: Vec<u8>,
    },
}

/// Formats bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

fn write_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map([("hex", hex(bytes))])
}

fn read_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let byte = |digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok();
    let bytes: Option<_> = text.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| D::Error::custom("expected hexadecimal digits"))
}

impl<'a> From<&'a OwnedValue> for Value<'a> {
    fn from(value: &'a OwnedValue) -> Self {
        match value {
            OwnedValue::Null => Self::Null,
            OwnedValue::Integer(integer) => Self::Integer(*integer),
            OwnedValue::Real(real) => Self::Real(*real),
            OwnedValue::Text(text) => Self::Text(text),
            OwnedValue::Bytes { hex } => Self::Bytes(hex),
        }
    }
}

impl From<Value<'_>> for OwnedValue {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(integer) => Self::Integer(integer),
            Value::Real(real) => Self::Real(real),
            Value::Text(text) => Self::Text(text.to_owned()),
            Value::Bytes(bytes) => Self::Bytes { hex: bytes.to_owned() },
        }
    }
}

impl<'a> FromValue<'a> for Value<'a> {
    fn from_value(value: Self) -> Option<Self> {
        Some(value)
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
        $(impl<'a> From<$type> for Value<'a> {
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
    &'a str, text => Self::Text(text);
    &'a String, text => Self::Text(text);
    &'a [u8; 32], bytes => Self::Bytes(bytes);
    &'a Option<String>, text => text.as_ref().into();
}

impl<T: Into<Self>> From<Option<T>> for Value<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A type that a column can be read as.
pub(super) trait FromValue<'a>: Sized {
    /// Converts a value; `None` if it has another type.
    fn from_value(value: Value<'a>) -> Option<Self>;
}

/// Converts values to types, unless the value has another type.
macro_rules! from_value {
    ($($type:ty: $value:pat => $result:expr;)+) => {
        $(impl<'a> FromValue<'a> for $type {
            fn from_value(value: Value<'a>) -> Option<Self> {
                match value {
                    $value => $result,
                    _ => None,
                }
            }
        })+
    };
}

from_value! {
    i64: Value::Integer(integer) => Some(integer);
    u64: Value::Integer(integer) => integer.try_into().ok();
    u32: Value::Integer(integer) => integer.try_into().ok();
    bool: Value::Integer(integer) => Some(integer != 0);
    f64: Value::Real(real) => Some(real);
    &'a str: Value::Text(text) => Some(text);
    String: Value::Text(text) => Some(text.to_owned());
    [u8; 32]: Value::Bytes(bytes) => bytes.try_into().ok();
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    fn from_value(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(integer),
            Self::Real(real) => ValueRef::Real(real),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl<'a> Value<'a> {
    /// Converts a column of `SQLite`; `None` for text that is not UTF-8.
    pub(super) fn of_sqlite(value: ValueRef<'a>) -> Option<Self> {
        Some(match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(integer) => Self::Integer(integer),
            ValueRef::Real(real) => Self::Real(real),
            ValueRef::Text(text) => Self::Text(str::from_utf8(text).ok()?),
            ValueRef::Blob(bytes) => Self::Bytes(bytes),
        })
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match *self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(integer) if *kind == Type::BOOL => (integer != 0).to_sql(kind, out),
            Self::Integer(integer) if *kind == Type::INT4 => {
                i32::try_from(integer)?.to_sql(kind, out)
            }
            Self::Integer(integer) => integer.to_sql_checked(kind, out),
            Self::Real(real) => real.to_sql_checked(kind, out),
            Self::Text(text) => text.to_sql_checked(kind, out),
            Self::Bytes(bytes) => bytes.to_sql_checked(kind, out),
        }
    }

    /// Accepts every type, since `to_sql` checks the value.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value<'a> {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *kind {
            Type::BOOL => Self::Integer(bool::from_sql(kind, raw)?.into()),
            Type::INT4 => Self::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            Type::FLOAT8 => Self::Real(f64::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(<&[u8]>::from_sql(kind, raw)?),
            _ => Self::Text(<&str>::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
