//! What compiled rules call besides values and builtins.

use std::ptr;

use crate::kept::Kept;
use crate::{Answer, Context, Value};

/// A rule without parameters.
#[derive(Clone, Copy, Debug)]
pub struct Compiled {
    pub rule: for<'a> fn(&Context<'a>) -> Answer<'a>,
    /// Its place in the memory of an evaluation, where it is evaluated once.
    pub place: Option<usize>,
}

impl Compiled {
    fn answer<'a>(self, context: &Context<'a>) -> Answer<'a> {
        match self.place {
            Some(place) => context.once(place, self.rule),
            None => (self.rule)(context),
        }
    }
}

impl<'a> Context<'a> {
    /// What a rule gives, evaluated once.
    ///
    /// # Errors
    /// Those of the rule.
    #[inline(never)]
    pub fn once(&self, place: usize, rule: fn(&Self) -> Answer<'a>) -> Answer<'a> {
        if let Some(known) = self.remembered(place) {
            return Ok(known);
        }
        self.goes_on()?;
        let value = rule(self)?;
        self.remember(place, value);
        Ok(value)
    }

    /// What a function gives for an argument; one that is called with the same argument again and again computes it once.
    ///
    /// # Errors
    /// Those of the function.
    #[inline(never)]
    pub fn again(&self, place: usize, rule: fn(&Self, Value<'a>) -> Answer<'a>, argument: Value<'a>) -> Answer<'a> {
        let last = self.call(place);
        let (given, gave) = last.get();
        if given.is_same(argument) {
            return Ok(gave);
        }
        self.goes_on()?;
        let value = rule(self, argument)?;
        last.set((argument, value));
        Ok(value)
    }

    /// What a function that reads nothing else gives for an argument; for an object that outlives evaluations it is computed once for all
    /// of them, where the host shares that.
    ///
    /// # Errors
    /// Those of the function.
    #[inline(never)]
    pub fn across(&self, place: usize, rule: fn(&Self, Value<'a>) -> Answer<'a>, argument: Value<'a>) -> Answer<'a> {
        let (Some((indexes, held)), Value::Kept(Kept::Object(fields))) = (self.indexes(), argument) else {
            return rule(self, argument);
        };
        if let Some(known) = indexes.get(place, fields) {
            return Ok(self.of_kept(held.hold(known)));
        }
        let value = rule(self, argument)?;
        // An evaluation that has ended gives half of it.
        self.goes_on()?;
        if let Some(kept) = value.kept_as_it_is() {
            indexes.put(place, fields, kept);
        }
        Ok(value)
    }
}

/// The value that there is. Where an evaluation has ended there is none, and what called goes on as if it were undefined: every loop
/// and every rule ends at once then, and whoever asked for the answer is told in the end.
#[inline]
#[must_use]
pub const fn defined(answer: Answer<'_>) -> Option<Value<'_>> {
    match answer {
        Ok(Value::Undefined) | Err(_) => None,
        Ok(value) => Some(value),
    }
}

/// Whether an expression of this value holds.
#[inline]
#[must_use]
pub const fn holds(answer: Answer<'_>) -> bool {
    !matches!(answer, Ok(Value::False | Value::Undefined) | Err(_))
}

/// The value, or undefined.
#[inline]
#[must_use]
pub const fn value(answer: Answer<'_>) -> Value<'_> {
    match answer {
        Ok(value) => value,
        Err(_) => Value::Undefined,
    }
}

impl Value<'_> {
    /// Whether an expression with this value holds.
    #[inline]
    #[must_use]
    pub const fn holds(self) -> bool {
        !matches!(self, Self::Undefined | Self::False)
    }

    /// Whether it is the very same value, which is less than an equal one.
    #[inline]
    fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Word(one), Self::Word(other)) => ptr::eq(one, other),
            (Self::Text(one), Self::Text(other)) => ptr::eq(*one, *other),
            (Self::Array(one), Self::Array(other)) | (Self::Set(one), Self::Set(other)) => ptr::eq(*one, *other),
            (Self::Object(one), Self::Object(other)) => ptr::eq(one, other),
            (Self::Kept(one), Self::Kept(other)) => ptr::eq(one, other),
            (Self::Int(one), Self::Int(other)) => one == other,
            _ => false,
        }
    }

    /// Whether it is a word of the program.
    #[inline]
    #[must_use]
    pub fn is_word(self, word: &'static &'static str) -> bool {
        matches!(self, Self::Word(own) if ptr::eq(own, word))
    }
}

/// The value of a target that had one before, or none, and is given another, which has to be the same.
///
/// # Errors
/// [`crate::Stop::Conflict`] when it is not.
#[inline(never)]
pub fn once_only<'a>(context: &Context<'a>, before: Value<'a>, value: Value<'a>, rule: &'a &'a str) -> Answer<'a> {
    if before.is_undefined() || before.equals(value) { Ok(value) } else { Err(context.conflict(rule)) }
}

/// The rule that a path names; undefined where there is none.
///
/// # Errors
/// Those of the rule.
pub fn dynamic<'a>(context: &Context<'a>, rules: &[(&str, Compiled)], path: &[Value<'a>]) -> Answer<'a> {
    let mut name = String::from("data");
    for key in path {
        let Some(key) = key.as_text() else { return Ok(Value::Undefined) };
        name.push('.');
        name.push_str(key);
    }
    named(context, rules, &name)
}

/// The rule of a name (`data.walguard.model.cluster`); undefined where there is none.
///
/// # Errors
/// When the evaluation has ended early, here or before.
pub fn named<'a>(context: &Context<'a>, rules: &[(&str, Compiled)], name: &str) -> Answer<'a> {
    let Ok(at) = rules.binary_search_by(|(other, _)| (*other).cmp(name)) else { return Ok(Value::Undefined) };
    let answer = rules[at].1.answer(context);
    context.goes_on()?;
    answer
}

/// The number of elements; undefined for what is no collection.
#[must_use]
pub fn length(value: Value<'_>) -> Value<'_> {
    value.length().and_then(|length| i64::try_from(length).ok()).map_or(Value::Undefined, Value::Int)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::{Answer, Arena, Context, Held, Indexes, Kept, Limits, Value, Words};

    #[test]
    fn evaluations_share_what_a_function_gave_for_a_kept_object() {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        fn listed<'a>(context: &Context<'a>, argument: Value<'a>) -> Answer<'a> {
            CALLS.fetch_add(1, Ordering::Relaxed);
            Ok(context.array(&context.values(argument).collect::<Vec<_>>()))
        }
        let indexes = Indexes::default();
        let listing = |object: &Kept| {
            let (arena, held) = (Arena::new(), Held::default());
            let context = Context::new(&arena, &Words::NONE, Limits::default()).with_indexes(&indexes, &held);
            context.across(0, listed, context.of_kept(object)).map(|value| value.to_json())
        };
        let mut object = Kept::object([("a", Kept::from(1)), ("b", Kept::from("text"))]);
        assert_eq!(listing(&object), Ok(r#"[1,"text"]"#.to_owned()));
        assert_eq!(listing(&object.clone()), Ok(r#"[1,"text"]"#.to_owned()));
        assert_eq!(CALLS.load(Ordering::Relaxed), 1);

        if let Ok(fields) = object.as_object_mut() {
            fields.insert("c".into(), Kept::new_object());
        }
        assert_eq!(listing(&object), Ok(r#"[1,"text",{}]"#.to_owned()));
        assert_eq!(CALLS.load(Ordering::Relaxed), 2);
    }
}
