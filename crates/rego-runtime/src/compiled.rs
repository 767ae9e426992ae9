//! What compiled rules call besides values and builtins.

use crate::{Answer, Context, Stop, Value};

/// A rule without parameters.
pub type Compiled = for<'a> fn(&Context<'a>) -> Answer<'a>;

impl<'a> Context<'a> {
    /// What a rule gives, evaluated once.
    ///
    /// # Errors
    /// Those of the rule.
    #[inline]
    pub fn once(&self, place: usize, rule: fn(&Self) -> Answer<'a>) -> Answer<'a> {
        if let Some(known) = self.remembered(place) {
            return Ok(known);
        }
        let value = rule(self)?;
        self.remember(place, value);
        Ok(value)
    }
}

impl Value<'_> {
    /// Whether an expression with this value holds.
    #[inline]
    #[must_use]
    pub const fn holds(self) -> bool {
        !matches!(self, Self::Undefined | Self::Bool(false))
    }

    /// Whether it is the word of a rank.
    #[inline]
    #[must_use]
    pub const fn is_word(self, rank: u32) -> bool {
        matches!(self, Self::Text(own, _) if own == rank)
    }
}

/// `target = value`, where the target has no other value.
///
/// # Errors
/// [`Stop::Conflict`] when it has.
#[inline]
pub fn assign_once<'a>(
    context: &Context<'a>,
    target: &mut Value<'a>,
    value: Value<'a>,
    rule: &'a str,
) -> Result<(), Stop> {
    if target.is_undefined() {
        *target = value;
        return Ok(());
    }
    if target.equals(value) { Ok(()) } else { Err(context.conflict(rule)) }
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
/// Those of the rule.
pub fn named<'a>(context: &Context<'a>, rules: &[(&str, Compiled)], name: &str) -> Answer<'a> {
    match rules.binary_search_by(|(other, _)| (*other).cmp(name)) {
        Ok(at) => rules[at].1(context),
        Err(_) => Ok(Value::Undefined),
    }
}

/// The number of elements; undefined for what is no collection.
#[must_use]
pub fn length(value: Value<'_>) -> Value<'_> {
    value.length().and_then(|length| i64::try_from(length).ok()).map_or(Value::Undefined, Value::Int)
}
