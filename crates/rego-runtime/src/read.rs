//! What rules give, read into the types of a host, without JSON in between.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Error;

use crate::Value;

impl Value<'_> {
    /// The value as a type of the host's, as [`serde_json::from_str`] would read it from [`Value::to_json`].
    ///
    /// # Errors
    /// When it is of another shape.
    pub fn read<T: serde::de::DeserializeOwned>(self) -> Result<T, Error> {
        T::deserialize(self)
    }
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Undefined | Self::Null => visitor.visit_unit(),
            Self::False => visitor.visit_bool(false),
            Self::True => visitor.visit_bool(true),
            // Numbers of JSON without a sign are read as such.
            Self::Int(int) => match u64::try_from(int) {
                Ok(natural) => visitor.visit_u64(natural),
                Err(_) => visitor.visit_i64(int),
            },
            Self::Number(number) => serde_json::from_str::<serde_json::Number>(number.text())?.deserialize_any(visitor),
            Self::Word(text) => visitor.visit_str(text),
            Self::Text(text) => visitor.visit_str(text),
            Self::Array(elements) | Self::Set(elements) => {
                SeqDeserializer::new(elements.iter().copied()).deserialize_any(visitor)
            }
            Self::Object(object) => {
                let entries = object.iter().map(|(key, value)| (*key, *value));
                if object.iter().all(|(key, _)| key.is_text()) {
                    return MapDeserializer::new(entries).deserialize_any(visitor);
                }
                MapDeserializer::new(entries.map(|(key, value)| (name(key), value))).deserialize_any(visitor)
            }
            Self::Kept(kept) => serde_json::to_value(kept)?.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Undefined | Self::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.as_text() {
            // An enumeration of words.
            Some(text) => visitor.visit_enum(text.into_deserializer()),
            None => {
                serde_json::from_str::<serde_json::Value>(&self.to_json())?.deserialize_enum(name, variants, visitor)
            }
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct identifier
    }
}

/// A key as JSON has it.
fn name(key: Value<'_>) -> String {
    key.as_text().map_or_else(|| key.to_json(), str::to_owned)
}

impl<'de> IntoDeserializer<'de, Error> for Value<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::Value as Json;

    use crate::{Arena, Context, Limits, Words};

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        One,
        Two,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Shape {
        word: Word,
        #[serde(default)]
        there: Option<u32>,
        #[serde(default)]
        missing: Option<String>,
        any: Json,
        map: BTreeMap<String, f64>,
    }

    #[test]
    fn the_same_is_read_as_from_json() {
        let arena = Arena::new();
        let context = Context::new(&arena, &Words::NONE, Limits::default());
        let texts = [
            r#"{"word": "two", "there": 3, "missing": null, "map": {"a": 1.50, "b": -2}, "other": [1], "any": {"deep": [1, -1, 0.1, 1e3,
                123456789012345678901234567890, "\u0001é", true, null, {}]}}"#,
            r#"{"word": "one", "any": null, "map": {}}"#,
            r#"{"word": "three", "any": 1, "map": {}}"#,
            r#"{"word": "one", "any": 1, "map": {"a": "b"}}"#,
            r#"{"word": {"one": null}, "any": 1, "map": {}}"#,
            r#"{"word": "one", "there": -1, "any": 1, "map": {}}"#,
            r#"{"map": []}"#,
            "[]",
        ];
        for text in texts {
            let value = context.parse(text.as_bytes()).unwrap();
            let (read, expected) = (value.read::<Shape>().ok(), serde_json::from_str::<Shape>(&value.to_json()).ok());
            assert_eq!(read, expected, "{text}");
            let any: Json = value.read().unwrap();
            assert_eq!(any, serde_json::from_str::<Json>(&value.to_json()).unwrap(), "{text}");
            let kept = arena.alloc(value.keep());
            assert_eq!(context.of_kept(kept).read::<Json>().unwrap(), any, "{text}");
        }
        let entries = [(context.parse(b"[1]").unwrap(), context.text("x"))];
        let odd = context.object(&entries);
        assert_eq!(odd.read::<BTreeMap<String, String>>().unwrap(), [("[1]".to_owned(), "x".to_owned())].into());
    }
}
