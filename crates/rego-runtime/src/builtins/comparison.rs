//! Comparing values, and asking for their types.

use super::Given;
use crate::{Context, Value};

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident($left:ident, $right:ident) $result:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// None.
        pub(super) fn $name<'a>(_: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
            let ($left, $right) = (arguments[0], arguments[1]);
            Ok(Value::from($result))
        }
    )*};
}

comparisons! {
    /// `equal(a, b)`
    equal(a, b) a.equals(b);
    /// `neq(a, b)`
    neq(a, b) !a.equals(b);
    /// `gt(a, b)`
    gt(a, b) a.gt(b);
    /// `gte(a, b)`
    gte(a, b) a.gte(b);
    /// `lt(a, b)`
    lt(a, b) a.lt(b);
    /// `lte(a, b)`
    lte(a, b) a.lte(b);
}

macro_rules! types {
    ($($(#[$doc:meta])* $name:ident($value:ident) $result:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// None.
        pub(super) fn $name<'a>(_: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
            let $value = arguments[0];
            Ok(Value::from($result))
        }
    )*};
}

types! {
    /// `is_array(x)`
    is_array(value) value.is_array();
    /// `is_boolean(x)`
    is_boolean(value) value.as_bool().is_some();
    /// `is_null(x)`
    is_null(value) matches!(value, Value::Null);
    /// `is_number(x)`
    is_number(value) value.is_number();
    /// `is_object(x)`
    is_object(value) value.is_object();
    /// `is_set(x)`
    is_set(value) value.is_set();
    /// `is_string(x)`
    is_string(value) value.is_text();
}

/// `type_name(x)`
///
/// # Errors
/// None.
pub(super) fn type_name<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Given<'a> {
    let name = ["undefined", "null", "boolean", "number", "string", "array", "object", "set"];
    Ok(context.text_of(name[usize::from(arguments[0].kind())]))
}
