//! Objects as an API server sends them, read as far as they are of use: whoever may write one object must not decide how much memory
//! its watchers take.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::api::ApiResource;
use kube::core::DynamicResourceScope;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};
use walguard_engine::METADATA;

/// Values that an object may have. Real ones have some hundreds, in great clusters some thousands.
const VALUES_MAX: usize = 20_000;
/// An object of any kind.
#[derive(Clone, Debug, Default)]
pub struct Object {
    pub metadata: ObjectMeta,
    /// Its other fields.
    pub data: Map<String, Json>,
    /// There were more values than are read.
    pub cut: bool,
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let left = Cell::new(VALUES_MAX);
        let whole = Fields { left: &left, of: Part::Whole }.deserialize(deserializer)?;
        let Json::Object(mut data) = whole else { return Err(D::Error::custom("an object is expected")) };
        let metadata = match data.remove("metadata") {
            Some(metadata) => serde_json::from_value(metadata).map_err(D::Error::custom)?,
            None => ObjectMeta::default(),
        };
        Ok(Self { metadata, data, cut: left.get() == 0 })
    }
}

impl Object {
    /// What was read, as JSON, to look for words in.
    pub fn text(&self) -> String {
        let texts = [serde_json::to_string(&self.metadata), serde_json::to_string(&self.data)];
        texts.map(Result::unwrap_or_default).concat()
    }
}

impl Resource for Object {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn group(of: &ApiResource) -> Cow<'_, str> {
        of.group.as_str().into()
    }

    fn version(of: &ApiResource) -> Cow<'_, str> {
        of.version.as_str().into()
    }

    fn kind(of: &ApiResource) -> Cow<'_, str> {
        of.kind.as_str().into()
    }

    fn api_version(of: &ApiResource) -> Cow<'_, str> {
        of.api_version.as_str().into()
    }

    fn plural(of: &ApiResource) -> Cow<'_, str> {
        of.plural.as_str().into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// The fields of an object, all or some; the metadata in its own way.
struct Fields<'a> {
    left: &'a Cell<usize>,
    of: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Metadata,
}

impl Part {
    /// Whether a field is of use: to rules, or to a watch, which goes on from a resourceVersion.
    fn takes(self, field: &str) -> bool {
        self == Self::Whole || field == "resourceVersion" || METADATA.contains(&field)
    }
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Object(Map::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if self.of == Part::Whole && key == "metadata" {
                fields.insert(key, map.next_value_seed(Fields { left: self.left, of: Part::Metadata })?);
            } else if self.of.takes(&key) {
                fields.insert(key, map.next_value_seed(Bounded { left: self.left })?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Json::Object(fields))
    }
}

/// Any value, of which lists and objects end where no more values are read.
struct Bounded<'a> {
    left: &'a Cell<usize>,
}

impl Bounded<'_> {
    /// Whether there is room for one more value.
    fn room(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.left.get() > 0
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        loop {
            if !self.room() {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(Json::Array(list));
            }
            match items.next_element_seed(Bounded { left: self.left })? {
                Some(item) => list.push(item),
                None => return Ok(Json::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields = Map::new();
        loop {
            if !self.room() {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return Ok(Json::Object(fields));
            }
            match map.next_key::<String>()? {
                Some(key) => fields.insert(key, map.next_value_seed(Bounded { left: self.left })?),
                None => return Ok(Json::Object(fields)),
            };
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(object: &Json) -> Object {
        serde_json::from_str(&object.to_string()).unwrap()
    }

    #[test]
    fn what_is_of_use_is_read_as_it_is() {
        let object = json!({
            "apiVersion": "g/v1",
            "kind": "K",
            "metadata": {
                "name": "a", "namespace": "n", "uid": "1", "generation": 3, "resourceVersion": "7",
                "labels": {"a": "b"}, "managedFields": [{"manager": "m"}],
            },
            "spec": {"all": [null, true, -1, 1, 1.5, "text", {"at": []}]},
        });
        let read = read(&object);
        assert!(!read.cut);
        assert_eq!(read.data["spec"], object["spec"]);
        let metadata = read.metadata;
        assert_eq!(
            (metadata.name.as_deref(), metadata.generation, metadata.labels.unwrap().len()),
            (Some("a"), Some(3), 1)
        );
        assert_eq!((metadata.resource_version.as_deref(), metadata.managed_fields), (Some("7"), None));
        assert!(serde_json::from_str::<Object>("[1]").is_err());
        assert!(serde_json::from_str::<Object>(r#"{"metadata": null}"#).unwrap().metadata.name.is_none());
    }

    #[test]
    fn of_an_object_of_any_content_only_so_much_is_read() {
        let labels: Map<String, Json> = (0..60_000).map(|n| (format!("a{n}"), "b".into())).collect();
        // As custom resources come, with their fields in order: the name after the labels.
        let many = [
            json!({"metadata": {"labels": labels, "name": "x"}, "spec": {}}),
            json!({"metadata": {"name": "x"}, "spec": {"list": vec![0; 1_000_000]}}),
            json!({"metadata": {"name": "x"}, "spec": {"list": vec![json!({}); 300_000]}, "status": {"b": [1, 2]}}),
        ];
        for object in many {
            let read = read(&object);
            assert!(read.cut);
            assert_eq!(read.metadata.name.as_deref(), Some("x"));
            assert!(read.metadata.labels.unwrap_or_default().len() <= VALUES_MAX);
            assert!(read.data["spec"]["list"].as_array().is_none_or(|list| list.len() <= VALUES_MAX));
        }
    }
}
