//! OPA's builtins. The name of a function is that of the builtin with `_` for a dot: `object.get` is [`object_get`].
//!
//! What OPA reports as an error of a builtin leaves the expression undefined, as OPA does unless told otherwise.

mod collections;
mod comparison;
mod encoding;
mod format;
mod numbers;
mod regexes;
mod text;
mod time;

pub use collections::*;
pub use comparison::*;
pub use encoding::*;
pub use format::sprintf;
pub use numbers::*;
pub use regexes::*;
pub use text::*;
pub use time::*;

use crate::{Answer, Context, Ended, Value};

/// A builtin: its arguments, and what becomes of them.
pub type Builtin = for<'a> fn(&Context<'a>, &[Value<'a>]) -> Given<'a>;

/// What a builtin gives.
pub type Given<'a> = Result<Value<'a>, Fault>;

/// Why a builtin gives no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An argument does not suit.
    Undefined,
    /// The evaluation is over.
    Ended,
}

impl From<Ended> for Fault {
    fn from(_: Ended) -> Self {
        Self::Ended
    }
}

/// What a builtin gives, where an argument that does not suit leaves it undefined. Compiled rules call builtins in thousands of
/// places, each of which is shorter for it.
///
/// # Errors
/// When the evaluation is over.
#[inline(never)]
pub fn call<'a>(context: &Context<'a>, builtin: Builtin, arguments: &[Value<'a>]) -> Answer<'a> {
    match builtin(context, arguments) {
        Ok(value) => Ok(value),
        Err(Fault::Undefined) => Ok(Value::Undefined),
        Err(Fault::Ended) => Err(Ended),
    }
}

macro_rules! builtins {
    ($($name:literal $function:ident $arguments:literal,)*) => {
        /// The builtin of a name, and how many arguments it has.
        #[must_use]
        pub fn builtin(name: &str) -> Option<(Builtin, usize)> {
            match name {
                $($name => Some(($function, $arguments)),)*
                _ => None,
            }
        }

        /// The names of all builtins there are.
        pub const NAMES: &[&str] = &[$($name,)*];
    };
}

builtins! {
    "abs" abs 1,
    "and" and 2,
    "array.concat" array_concat 2,
    "array.reverse" array_reverse 1,
    "array.slice" array_slice 3,
    "base64.decode" base64_decode 1,
    "base64.encode" base64_encode 1,
    "base64.is_valid" base64_is_valid 1,
    "bits.lsh" bits_lsh 2,
    "bits.rsh" bits_rsh 2,
    "ceil" ceil 1,
    "concat" concat 2,
    "contains" contains 2,
    "count" count 1,
    "div" div 2,
    "endswith" endswith 2,
    "equal" equal 2,
    "floor" floor 1,
    "format_int" format_int 2,
    "gt" gt 2,
    "gte" gte 2,
    "indexof" indexof 2,
    "internal.member_2" internal_member_2 2,
    "internal.member_3" internal_member_3 3,
    "intersection" intersection 1,
    "is_array" is_array 1,
    "is_boolean" is_boolean 1,
    "is_null" is_null 1,
    "is_number" is_number 1,
    "is_object" is_object 1,
    "is_set" is_set 1,
    "is_string" is_string 1,
    "json.is_valid" json_is_valid 1,
    "json.marshal" json_marshal 1,
    "json.unmarshal" json_unmarshal 1,
    "lower" lower 1,
    "lt" lt 2,
    "lte" lte 2,
    "max" max 1,
    "min" min 1,
    "minus" minus 2,
    "mul" mul 2,
    "neq" neq 2,
    "numbers.range" numbers_range 2,
    "object.filter" object_filter 2,
    "object.get" object_get 3,
    "object.keys" object_keys 1,
    "object.remove" object_remove 2,
    "object.subset" object_subset 2,
    "object.union" object_union 2,
    "object.union_n" object_union_n 1,
    "or" or 2,
    "plus" plus 2,
    "product" product 1,
    "regex.find_all_string_submatch_n" regex_find_all_string_submatch_n 3,
    "regex.find_n" regex_find_n 3,
    "regex.is_valid" regex_is_valid 1,
    "regex.match" regex_match 2,
    "regex.replace" regex_replace 3,
    "regex.split" regex_split 2,
    "rem" rem 2,
    "replace" replace 3,
    "round" round 1,
    "sort" sort 1,
    "split" split 2,
    "sprintf" sprintf 2,
    "startswith" startswith 2,
    "strings.any_prefix_match" strings_any_prefix_match 2,
    "strings.any_suffix_match" strings_any_suffix_match 2,
    "strings.replace_n" strings_replace_n 2,
    "strings.reverse" strings_reverse 1,
    "substring" substring 3,
    "sum" sum 1,
    "time.now_ns" time_now_ns 0,
    "time.parse_rfc3339_ns" time_parse_rfc3339_ns 1,
    "to_number" to_number 1,
    "trim" trim 2,
    "trim_left" trim_left 2,
    "trim_prefix" trim_prefix 2,
    "trim_right" trim_right 2,
    "trim_space" trim_space 1,
    "trim_suffix" trim_suffix 2,
    "type_name" type_name 1,
    "union" union 1,
    "upper" upper 1,
}

/// An argument that is a text.
fn text_in(value: Value<'_>) -> Result<&str, Fault> {
    value.as_text().ok_or(Fault::Undefined)
}

/// An argument that is a whole number.
fn int_in(value: Value<'_>) -> Result<i64, Fault> {
    value.as_int().ok_or(Fault::Undefined)
}

/// A count of things in memory as a number.
fn number_of(count: usize) -> Value<'static> {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
