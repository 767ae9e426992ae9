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

pub use collections::overlaid;

use crate::{Answer, Context, Ended, Value};

/// A builtin: its arguments, and what becomes of them. What does not suit it leaves it undefined.
pub type Builtin = for<'a> fn(&Context<'a>, &[Value<'a>]) -> Answer<'a>;

/// A builtin as it is written here.
type Operation = for<'a> fn(&Context<'a>, &[Value<'a>]) -> Given<'a>;

/// What it gives.
type Given<'a> = Result<Value<'a>, Fault>;

/// Why it gives no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
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

#[inline]
const fn settled(given: Given<'_>) -> Answer<'_> {
    match given {
        Ok(value) => Ok(value),
        Err(Fault::Undefined) => Ok(Value::Undefined),
        Err(Fault::Ended) => Err(Ended),
    }
}

/// A builtin as it is written says why it gives no value; as rules call it, it gives an answer, which fits two registers. Rules
/// call in thousands of places, so nothing stands between the two: the one becomes part of the other.
macro_rules! builtins {
    ($($name:literal $module:ident $function:ident $arguments:literal,)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            ///
            /// # Errors
            /// When the evaluation is over.
            #[inline(never)]
            pub fn $function<'a>(context: &Context<'a>, arguments: &[Value<'a>]) -> Answer<'a> {
                settled($module::$function(context, arguments))
            }
        )*

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
    "abs" numbers abs 1,
    "and" collections and 2,
    "array.concat" collections array_concat 2,
    "array.reverse" collections array_reverse 1,
    "array.slice" collections array_slice 3,
    "base64.decode" encoding base64_decode 1,
    "base64.encode" encoding base64_encode 1,
    "base64.is_valid" encoding base64_is_valid 1,
    "bits.lsh" numbers bits_lsh 2,
    "bits.rsh" numbers bits_rsh 2,
    "ceil" numbers ceil 1,
    "concat" text concat 2,
    "contains" text contains 2,
    "count" collections count 1,
    "div" numbers div 2,
    "endswith" text endswith 2,
    "equal" comparison equal 2,
    "floor" numbers floor 1,
    "format_int" numbers format_int 2,
    "gt" comparison gt 2,
    "gte" comparison gte 2,
    "indexof" text indexof 2,
    "internal.member_2" collections internal_member_2 2,
    "internal.member_3" collections internal_member_3 3,
    "intersection" collections intersection 1,
    "is_array" comparison is_array 1,
    "is_boolean" comparison is_boolean 1,
    "is_null" comparison is_null 1,
    "is_number" comparison is_number 1,
    "is_object" comparison is_object 1,
    "is_set" comparison is_set 1,
    "is_string" comparison is_string 1,
    "json.is_valid" encoding json_is_valid 1,
    "json.marshal" encoding json_marshal 1,
    "json.unmarshal" encoding json_unmarshal 1,
    "lower" text lower 1,
    "lt" comparison lt 2,
    "lte" comparison lte 2,
    "max" collections max 1,
    "min" collections min 1,
    "minus" numbers minus 2,
    "mul" numbers mul 2,
    "neq" comparison neq 2,
    "numbers.range" numbers numbers_range 2,
    "object.filter" collections object_filter 2,
    "object.get" collections object_get 3,
    "object.keys" collections object_keys 1,
    "object.remove" collections object_remove 2,
    "object.subset" collections object_subset 2,
    "object.union" collections object_union 2,
    "object.union_n" collections object_union_n 1,
    "or" collections or 2,
    "plus" numbers plus 2,
    "product" numbers product 1,
    "regex.find_all_string_submatch_n" regexes regex_find_all_string_submatch_n 3,
    "regex.find_n" regexes regex_find_n 3,
    "regex.is_valid" regexes regex_is_valid 1,
    "regex.match" regexes regex_match 2,
    "regex.replace" regexes regex_replace 3,
    "regex.split" regexes regex_split 2,
    "rem" numbers rem 2,
    "replace" text replace 3,
    "round" numbers round 1,
    "sort" collections sort 1,
    "split" text split 2,
    "sprintf" format sprintf 2,
    "startswith" text startswith 2,
    "strings.any_prefix_match" text strings_any_prefix_match 2,
    "strings.any_suffix_match" text strings_any_suffix_match 2,
    "strings.replace_n" text strings_replace_n 2,
    "strings.reverse" text strings_reverse 1,
    "substring" text substring 3,
    "sum" numbers sum 1,
    "time.now_ns" time time_now_ns 0,
    "time.parse_rfc3339_ns" time time_parse_rfc3339_ns 1,
    "to_number" numbers to_number 1,
    "trim" text trim 2,
    "trim_left" text trim_left 2,
    "trim_prefix" text trim_prefix 2,
    "trim_right" text trim_right 2,
    "trim_space" text trim_space 1,
    "trim_suffix" text trim_suffix 2,
    "type_name" comparison type_name 1,
    "union" collections union 1,
    "upper" text upper 1,
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
