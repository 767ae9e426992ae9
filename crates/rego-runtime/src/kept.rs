//! Values that outlive an evaluation: an inventory, a configuration, the object under review.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use arcstr::ArcStr;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value as Json;

use crate::Value;
use crate::number;

/// An owned JSON value. Cloning shares the contents, and a change of a clone costs only what is on its path. Threads share it;
/// an evaluation reads it in place, and no more of it than the rules ask for. It is 16 bytes, and a field of an object 24: there are
/// millions of them where many objects are in sight.
#[derive(Clone, Debug, Default)]
pub enum Kept {
    /// No value: what indexing gives where there is nothing.
    #[default]
    Undefined,
    Null,
    Bool(bool),
    Int(i64),
    /// A number that is no `i64`, as it is written.
    Number(ArcStr),
    String(ArcStr),
    Array(Arc<Vec<Kept>>),
    Object(Arc<Fields>),
}

const _: () = assert!(size_of::<Kept>() == 16);

/// The value is of another type than was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not {0}")]
pub struct WrongType(&'static str);

static UNDEFINED: Kept = Kept::Undefined;

impl Kept {
    #[must_use]
    pub fn new_object() -> Self {
        Self::Object(Arc::default())
    }

    /// An object of these fields.
    pub fn object<'n>(fields: impl IntoIterator<Item = (&'n str, Self)>) -> Self {
        Self::Object(Arc::new(fields.into_iter().map(|(name, value)| (name.into(), value)).collect()))
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// When the text is none.
    pub fn from_json_str(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// # Errors
    /// When it is no object.
    pub fn as_object(&self) -> Result<&Fields, WrongType> {
        match self {
            Self::Object(fields) => Ok(fields),
            _ => Err(WrongType("an object")),
        }
    }

    /// The same, to change it: what others share of it is copied first.
    ///
    /// # Errors
    /// When it is no object.
    pub fn as_object_mut(&mut self) -> Result<&mut Fields, WrongType> {
        match self {
            Self::Object(fields) => Ok(Arc::make_mut(fields)),
            _ => Err(WrongType("an object")),
        }
    }

    /// # Errors
    /// When it is no array.
    pub fn as_array(&self) -> Result<&Vec<Self>, WrongType> {
        match self {
            Self::Array(elements) => Ok(elements),
            _ => Err(WrongType("an array")),
        }
    }

    /// # Errors
    /// When it is no text.
    pub fn as_string(&self) -> Result<&ArcStr, WrongType> {
        match self {
            Self::String(text) => Ok(text),
            _ => Err(WrongType("a text")),
        }
    }

    pub(crate) const fn kind(&self) -> u8 {
        match self {
            Self::Undefined => 0,
            Self::Null => 1,
            Self::Bool(_) => 2,
            Self::Int(_) | Self::Number(_) => 3,
            Self::String(_) => 4,
            Self::Array(_) => 5,
            Self::Object(_) => 6,
        }
    }

    /// The element at a place; undefined where there is none.
    fn element(&self, index: usize) -> &Self {
        match self {
            Self::Array(elements) => elements.get(index).unwrap_or(&UNDEFINED),
            _ => &UNDEFINED,
        }
    }
}

/// As JSON.
impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Value::Kept(self).to_json())
    }
}

/// The order of two values.
pub fn order(a: &Kept, b: &Kept) -> Ordering {
    match (a, b) {
        (Kept::Bool(a), Kept::Bool(b)) => a.cmp(b),
        (Kept::Int(a), Kept::Int(b)) => a.cmp(b),
        (Kept::Int(_) | Kept::Number(_), Kept::Int(_) | Kept::Number(_)) => number::order_texts(a, b),
        (Kept::String(a), Kept::String(b)) => a.cmp(b),
        (Kept::Array(a), Kept::Array(b)) => {
            let mut pairs = a.iter().zip(b.iter()).map(|(a, b)| order(a, b));
            pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Kept::Object(a), Kept::Object(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
        (Kept::Object(a), Kept::Object(b)) => {
            let mut pairs = a.0.iter().zip(&b.0).map(|(a, b)| a.0.cmp(&b.0).then_with(|| order(&a.1, &b.1)));
            pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        _ => a.kind().cmp(&b.kind()),
    }
}

/// The order of a value to one of an evaluation.
pub fn order_to_value(kept: &Kept, value: Value<'_>) -> Ordering {
    match (kept, value) {
        (_, Value::Kept(other)) => order(kept, other),
        (Kept::Bool(a), Value::False) => a.cmp(&false),
        (Kept::Bool(a), Value::True) => a.cmp(&true),
        (Kept::Int(a), Value::Int(b)) => a.cmp(&b),
        (Kept::Int(a), Value::Number(_)) => number::order(Value::Int(*a), value),
        (Kept::Number(text), Value::Int(_) | Value::Number(_)) => number::order_text(text, value),
        (Kept::String(a), Value::Word(b)) => (**a).cmp(*b),
        (Kept::String(a), Value::Text(b)) => (**a).cmp(*b),
        (Kept::Array(a), Value::Array(b)) => {
            let mut pairs = a.iter().zip(b.iter()).map(|(a, b)| order_to_value(a, *b));
            pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Kept::Object(a), Value::Object(b)) => {
            let of_keys = |a: &str, b: Value<'_>| b.as_text().map_or_else(|| 4.cmp(&b.kind()), |b| a.cmp(b));
            let mut pairs =
                a.0.iter().zip(b.iter()).map(|(a, b)| of_keys(&a.0, b.0).then_with(|| order_to_value(&a.1, b.1)));
            pairs.find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        _ => kept.kind().cmp(&value.kind()),
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        order(self, other).is_eq()
    }
}

/// The fields of an object, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub(crate) Vec<(ArcStr, Kept)>);

/// Fields of this many are looked at one by one.
const FEW: usize = 24;

impl Fields {
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| (**other).cmp(name))
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Kept> {
        // Names lie all over the memory, their lengths do not.
        if self.0.len() <= FEW {
            let mut fields = self.0.iter();
            return fields.find(|(other, _)| other.len() == name.len() && **other == *name).map(|(_, value)| value);
        }
        self.place(name).ok().map(|at| &self.0[at].1)
    }

    #[must_use]
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Kept> {
        self.place(name).ok().map(|at| &mut self.0[at].1)
    }

    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    /// Sets a field and gives what it was before.
    pub fn insert(&mut self, name: ArcStr, value: Kept) -> Option<Kept> {
        match self.place(&name) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (name, value));
                None
            }
        }
    }

    /// The value of a field, made by `new` where there is none.
    pub fn get_or_insert_with(&mut self, name: &str, new: impl FnOnce() -> Kept) -> &mut Kept {
        let at = self.place(name).unwrap_or_else(|at| {
            self.0.insert(at, (name.into(), new()));
            at
        });
        &mut self.0[at].1
    }

    pub fn remove(&mut self, name: &str) -> Option<Kept> {
        self.place(name).ok().map(|at| self.0.remove(at).1)
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&ArcStr, &Kept)> {
        self.0.iter().map(|(name, value)| (name, value))
    }
}

/// Of two fields with the same name the later one counts.
impl FromIterator<(ArcStr, Kept)> for Fields {
    fn from_iter<T: IntoIterator<Item = (ArcStr, Kept)>>(fields: T) -> Self {
        let mut fields: Vec<(ArcStr, Kept)> = fields.into_iter().collect();
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        fields.reverse();
        fields.dedup_by(|a, b| a.0 == b.0);
        fields.reverse();
        fields.shrink_to_fit();
        Self(fields)
    }
}

impl Index<&str> for Kept {
    type Output = Self;

    fn index(&self, name: &str) -> &Self {
        match self {
            Self::Object(fields) => fields.get(name).unwrap_or(&UNDEFINED),
            _ => &UNDEFINED,
        }
    }
}

impl Index<usize> for Kept {
    type Output = Self;

    fn index(&self, index: usize) -> &Self {
        self.element(index)
    }
}

impl From<bool> for Kept {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Kept {
    fn from(int: i64) -> Self {
        Self::Int(int)
    }
}

impl From<&str> for Kept {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Kept {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<ArcStr> for Kept {
    fn from(text: ArcStr) -> Self {
        Self::String(text)
    }
}

impl From<Vec<Self>> for Kept {
    fn from(elements: Vec<Self>) -> Self {
        Self::Array(Arc::new(elements))
    }
}

impl From<Fields> for Kept {
    fn from(fields: Fields) -> Self {
        Self::Object(Arc::new(fields))
    }
}

impl From<Json> for Kept {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(truth) => Self::Bool(truth),
            Json::Number(number) => match number.as_i64() {
                Some(int) => Self::Int(int),
                None => Self::Number(number.to_string().into()),
            },
            Json::String(text) => Self::String(text.into()),
            Json::Array(elements) => Self::Array(Arc::new(elements.into_iter().map(Self::from).collect())),
            Json::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name.into(), Self::from(value)));
                Self::Object(Arc::new(fields.collect()))
            }
        }
    }
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Undefined | Self::Null => serializer.serialize_unit(),
            Self::Bool(truth) => serializer.serialize_bool(*truth),
            Self::Int(int) => serializer.serialize_i64(*int),
            Self::Number(text) => {
                let number: serde_json::Number = text.parse().map_err(serde::ser::Error::custom)?;
                number.serialize(serializer)
            }
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(elements) => {
                let mut list = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements.iter() {
                    list.serialize_element(element)?;
                }
                list.end()
            }
            Self::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields.iter() {
                    map.serialize_entry(&**name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Kept;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Kept, E> {
        Ok(Kept::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Kept, E> {
        Ok(Kept::Bool(truth))
    }

    fn visit_i64<E>(self, int: i64) -> Result<Kept, E> {
        Ok(Kept::Int(int))
    }

    fn visit_u64<E>(self, int: u64) -> Result<Kept, E> {
        Ok(i64::try_from(int).map_or_else(|_| Kept::Number(int.to_string().into()), Kept::Int))
    }

    fn visit_f64<E: serde::de::Error>(self, float: f64) -> Result<Kept, E> {
        let number = serde_json::Number::from_f64(float).ok_or_else(|| E::custom("not a number"))?;
        Ok(Kept::Number(number.to_string().into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Kept, E> {
        Ok(Kept::String(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Kept, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            elements.push(element);
        }
        elements.shrink_to_fit();
        Ok(Kept::Array(Arc::new(elements)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Kept, A::Error> {
        let mut fields: Vec<(ArcStr, Kept)> = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Kept>()? {
            // serde_json hands on a number that is no i64, u64 or f64 in this form where it keeps the digits.
            if name == "$serde_json::private::Number" {
                let Kept::String(text) = value else { return Err(A::Error::custom("not a number")) };
                return Ok(Kept::Number(text));
            }
            fields.push((name.into(), value));
        }
        Ok(Kept::Object(Arc::new(fields.into_iter().collect())))
    }
}
