//! Macros that define JSON objects, with a name, a type and a meaning for every field.

use super::types::JsonType;

/// A JSON object with a description of its fields.
pub trait Described: JsonType {
    /// The description of the object.
    const DESCRIPTION: Description;
}

/// The description of an object, from which the tables in `docs/json.md` are generated.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The name of the type or, for an event or a change, of its kind.
    pub name: &'static str,
    /// The purpose of the object, or when it is sent.
    pub about: &'static str,
    /// The parts, in serialisation order.
    pub parts: &'static [Part],
}

/// A part of an object.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// A field.
    Field {
        /// The JSON name.
        name: &'static str,
        /// The type.
        kind: fn() -> String,
        /// The meaning.
        meaning: &'static str,
    },
    /// All fields of another object.
    Fields(&'static Description),
}

impl Description {
    /// The names of all fields, including those of nested parts.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let names = self.parts.iter().flat_map(|part| match part {
            Part::Field { name, .. } => vec![*name],
            Part::Fields(others) => others.names(),
        });
        names.collect()
    }
}

/// Defines objects, or one enum of objects. Fields are written `name: Type = "meaning"`; `..name: Type` includes all
/// fields of another object.
macro_rules! objects {
    ($(
        $(#[doc = $about:literal])+
        pub struct $name:ident {
            $(..$base:ident: $base_type:ty,)?
            $($field:ident: $type:ty = $meaning:literal,)*
            $(; ..$rest:ident: $rest_type:ty,)?
        }
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Clone, Debug, serde::Serialize)]
            pub struct $name {
                $(
                    /// The leading fields.
                    #[serde(flatten)]
                    pub $base: $base_type,
                )?
                $(
                    #[doc = $meaning]
                    #[serde(skip_serializing_if = "crate::json::JsonType::is_missing")]
                    pub $field: $type,
                )*
                $(
                    /// The trailing fields.
                    #[serde(flatten)]
                    pub $rest: $rest_type,
                )?
            }

            crate::json::types::typed!("object": $name);

            impl crate::json::Described for $name {
                const DESCRIPTION: crate::json::Description = crate::json::Description {
                    name: stringify!($name),
                    about: concat!($($about),+),
                    parts: &[
                        $(crate::json::Part::Fields(&<$base_type as crate::json::Described>::DESCRIPTION),)?
                        $(crate::json::object::field!($field, $type, $meaning),)*
                        $(crate::json::Part::Fields(&<$rest_type as crate::json::Described>::DESCRIPTION),)?
                    ],
                };
            }
        )+

        /// The descriptions of all objects defined by this call.
        #[cfg(test)]
        pub(super) const OBJECTS: &[crate::json::Description] =
            &[$(<$name as crate::json::Described>::DESCRIPTION),+];
    };
    (
        $(#[doc = $about:literal])+
        #[serde($($serde:tt)+)]
        pub enum $name:ident {
            $(
                $(#[doc = $when:literal])+
                $variant:ident
                $({ $($field:ident: $type:ty = $meaning:literal),+ $(,)? })?
                $(($inner:ty))?,
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, serde::Serialize)]
        #[serde($($serde)+)]
        pub enum $name {
            $(
                $(#[doc = $when])+
                $variant $({ $(#[doc = $meaning] $field: $type,)+ })? $(($inner))?,
            )+
        }

        crate::json::types::typed!("object": $name);

        impl $name {
            /// The descriptions of all kinds, in order.
            pub const KINDS: &[crate::json::Description] = &[$(
                crate::json::Description {
                    name: stringify!($variant),
                    about: concat!($($when),+),
                    parts: &[
                        $($(crate::json::object::field!($field, $type, $meaning),)+)?
                        $(crate::json::Part::Fields(&<$inner as crate::json::Described>::DESCRIPTION),)?
                    ],
                },
            )+];
        }
    };
}

/// The description of a field.
macro_rules! field {
    ($field:ident, $type:ty, $meaning:literal) => {
        crate::json::Part::Field {
            name: crate::json::object::bare(stringify!($field)),
            kind: <$type as crate::json::JsonType>::kind,
            meaning: $meaning,
        }
    };
}

pub(super) use {field, objects};

/// A field's name without `r#`.
pub(super) const fn bare(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

impl<T: Described> Described for Option<T> {
    const DESCRIPTION: Description = T::DESCRIPTION;
}
