// SPDX-License-Identifier: MIT OR Apache-2.0
//! The only module that knows the `bitfield` crate: one definition of a register value gives its accessors, its
//! documentation and its entry in [`crate::facts`].

/// Defines a register value: a transparent word with named fields.
///
/// Each field is `bit(N)` (a `bool`) or `bits(MSB, LSB, type)`, a getter, a setter (`_` for none), the source of the
/// knowledge in brackets and the published values in braces; a value that somebody else tells names its own source.
macro_rules! register_value {
    (
        $(#[$meta:meta])*
        pub struct $name:ident($word:ident) {
            $(
                $(#[doc = $doc:literal])*
                $kind:ident($($range:tt)*) $get:ident, $set:tt [$source:ident] { $($value:literal $([$says:ident])? => $meaning:literal),* $(,)? };
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $word);

        bitfield::bitfield_bitrange! { struct $name($word) }

        impl $name {
            /// The raw word.
            #[inline]
            pub const fn bits(self) -> $word {
                self.0
            }

            $( field_accessors! {
                [
                    $(#[doc = $doc])*
                    #[doc = concat!(
                        "\n\nSource: ", stringify!($source), ".",
                        $("\n* ", stringify!($value), ": ", $meaning, $(" (source: ", stringify!($says), ")",)?)*
                    )]
                ]
                $kind($($range)*) $get, $set
            } )*
        }

        impl From<$word> for $name {
            #[inline]
            fn from(word: $word) -> Self {
                Self(word)
            }
        }

        impl From<$name> for $word {
            #[inline]
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("bits", &format_args!("{:#x}", self.0))
                    $( .field(stringify!($get), &self.$get()) )*
                    .finish()
            }
        }

        impl crate::facts::Described for $name {
            const WIDTH: u8 = (core::mem::size_of::<$word>() * 8) as u8;
            const FIELDS: &'static [crate::facts::Field] = &[$(
                crate::facts::Field {
                    name: stringify!($get),
                    msb: field_bit!(msb $kind($($range)*)),
                    lsb: field_bit!(lsb $kind($($range)*)),
                    about: concat!($($doc),*).trim_ascii(),
                    source: crate::facts::Source::$source,
                    values: &[$(
                        crate::facts::KnownValue {
                            value: $value,
                            meaning: $meaning,
                            source: value_source!($source $($says)?),
                        }
                    ),*],
                },
            )*];
        }
    };
}

/// The accessors of one field of [`register_value!`].
macro_rules! field_accessors {
    ([$($doc:tt)*] bit($bit:literal) $get:ident, $set:tt) => {
        bitfield::bitfield_fields! { $($doc)* #[inline] pub $get, $set: $bit; }
    };
    ([$($doc:tt)*] bits($msb:literal, $lsb:literal, $ty:ident) $get:ident, $set:tt) => {
        bitfield::bitfield_fields! { $($doc)* #[inline] pub $ty, $get, $set: $msb, $lsb; }
    };
}

/// The highest or lowest bit of one field of [`register_value!`].
macro_rules! field_bit {
    ($end:ident bit($bit:literal)) => {
        $bit
    };
    (msb bits($msb:literal, $lsb:literal, $ty:ident)) => {
        $msb
    };
    (lsb bits($msb:literal, $lsb:literal, $ty:ident)) => {
        $lsb
    };
}

/// The source of one value of [`register_value!`]: its own, or the field's.
macro_rules! value_source {
    ($field:ident) => {
        crate::facts::Source::$field
    };
    ($field:ident $own:ident) => {
        crate::facts::Source::$own
    };
}
