//! Parts of objects that are alike share memory: clusters made from one template, the backups of one cluster.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use walguard_engine::Value;

/// So many parts are looked through for the first time for what nobody uses any more.
const FIRST_SWEEP: usize = 4096;

/// The lists and maps that were seen, each once.
#[derive(Default)]
pub struct Pool {
    parts: HashSet<Part>,
    sweep_at: usize,
}

impl Pool {
    /// The value, or the same one that was there before. Texts and numbers stay their own.
    pub fn shared(&mut self, value: Value) -> Value {
        if !matches!(value, Value::Array(_) | Value::Object(_)) {
            return value;
        }
        let part = Part(value);
        if let Some(Part(known)) = self.parts.get(&part) {
            return known.clone();
        }
        if self.parts.len() >= self.sweep_at.max(FIRST_SWEEP) {
            self.sweep();
        }
        let value = part.0.clone();
        self.parts.insert(part);
        value
    }

    /// Forgets what nobody else holds; the parts of that go the next time.
    fn sweep(&mut self) {
        self.parts.retain(|Part(value)| match value {
            Value::Array(elements) => Arc::strong_count(elements) > 1,
            Value::Object(fields) => Arc::strong_count(fields) > 1,
            _ => false,
        });
        self.sweep_at = 2 * self.parts.len();
        self.parts.shrink_to(self.sweep_at);
    }
}

/// A value that is equal to another one where both are written alike: 1 and 1.0, which are equal to rules, are not.
struct Part(Value);

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        alike(&self.0, &other.0)
    }
}

impl Eq for Part {}

impl Hash for Part {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0, state);
    }
}

fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Number(a), Value::Number(b)) | (Value::String(a), Value::String(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            Arc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| alike(a, b)))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut pairs = a.iter().zip(b.iter());
            Arc::ptr_eq(a, b) || (a.len() == b.len() && pairs.all(|(a, b)| a.0 == b.0 && alike(a.1, b.1)))
        }
        _ => false,
    }
}

fn hash<H: Hasher>(value: &Value, state: &mut H) {
    match value {
        Value::Undefined | Value::Null => {}
        Value::Bool(truth) => truth.hash(state),
        Value::Int(int) => int.hash(state),
        Value::Number(text) | Value::String(text) => text.hash(state),
        Value::Array(elements) => {
            elements.len().hash(state);
            elements.iter().for_each(|element| hash(element, state));
        }
        Value::Object(fields) => {
            fields.len().hash(state);
            for (name, value) in fields.iter() {
                name.hash(state);
                hash(value, state);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::panic)]
mod tests {
    use serde_json::json;

    use super::*;

    fn same(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Array(a), Value::Array(b)) => Arc::ptr_eq(a, b),
            (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
            _ => panic!("{a} and {b} are no parts"),
        }
    }

    #[test]
    fn what_is_written_alike_is_one() {
        let mut pool = Pool::default();
        let mut part = |json| pool.shared(walguard_engine::value(json));
        let [a, b] = [json!({"a": [1, {"b": "c"}]}), json!({"a": [1, {"b": "c"}]})].map(&mut part);
        assert!(same(&a, &b));
        for other in [json!({"a": [1.0, {"b": "c"}]}), json!({"a": [1, {"b": "d"}]}), json!({"a": [1, {}]}), json!({})]
        {
            assert!(!same(&a, &part(other.clone())), "{other}");
        }
        assert!(!same(&part(json!([1])), &part(json!([1.0]))), "rules take them for equal, messages do not");
        assert!(!same(&part(json!([null])), &part(json!([false]))));
    }

    #[test]
    fn what_nobody_holds_is_forgotten() {
        let mut pool = Pool::default();
        let held: Vec<Value> = (0..10).map(|n| pool.shared(walguard_engine::value(json!({"held": n})))).collect();
        for n in 0..10 * FIRST_SWEEP {
            pool.shared(walguard_engine::value(json!({"passing": n})));
            assert!(pool.parts.len() <= FIRST_SWEEP);
        }
        for (n, held) in held.iter().enumerate() {
            assert!(same(held, &pool.shared(walguard_engine::value(json!({"held": n})))));
        }
    }
}
