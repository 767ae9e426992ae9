//! What is left of a plan, as text: the planner's own form goes in.
#![allow(clippy::unwrap_used)]

use rego_plan::text;

fn simplified(plan: &str) -> String {
    let mut plan = text::read(plan).unwrap();
    rego_plan::simplify(&mut plan);
    text::write(&plan)
}

/// `f(x) if x == 1`, `f(x) if some y in x; y == 2`: the first that holds decides, and the loop ends with it.
#[test]
fn values_that_are_all_the_same_end_the_function() {
    let plan = "data.a.f 1
|
 reset 3
 eq 2 #1
 once 3 true
|
 defined 3
 once 4 3
|
 reset 3
 scan 2 5 6
  |
   eq 6 #2
   once 3 true
|
 defined 3
 once 4 3
|
 return 4
";
    let simple = "data.a.f 1
|
 eq 2 #1
 return true
|
 scan 2 3 4
  |
   eq 4 #2
   return true
";
    assert_eq!(simplified(plan), simple);
}

/// `default f := false`: the value where no definition holds comes last.
#[test]
fn a_default_is_returned_at_the_end() {
    let plan = "data.a.f 1
|
 reset 3
 eq 2 #1
 once 3 true
|
 defined 3
 once 4 3
|
 undefined 4
 once 4 false
|
 return 4
";
    assert_eq!(simplified(plan), "data.a.f 1\n|\n eq 2 #1\n return true\n|\n return false\n");
}

/// `f(x) := "a" if … else := x.b`: of alternatives the first that holds decides, whatever its value.
#[test]
fn alternatives_return_what_they_give() {
    let plan = r#"data.a.f 1
|
 reset 3
 eq 2 #1
 once 3 "a"
|
 undefined 3
 dot 4 2 "b"
 once 3 4
|
 defined 3
 once 5 3
|
 return 5
"#;
    assert_eq!(simplified(plan), "data.a.f 1\n|\n eq 2 #1\n return \"a\"\n|\n dot 3 2 \"b\"\n return 3\n");
}

/// `f(x) := y if some y in x`: another round of the loop may give another value, which would be a conflict.
#[test]
fn a_value_that_may_not_be_the_only_one_ends_nothing() {
    let plan = "data.a.f 1
|
 reset 3
 scan 2 4 5
  |
   once 3 5
|
 defined 3
 once 6 3
|
 return 6
";
    assert_eq!(simplified(plan), "data.a.f 1\n|\n reset 3\n scan 2 4 5\n  |\n   once 3 5\n|\n return 3\n");
}

/// `f(x) := 1 if x.a`, `f(x) := 2 if x.b`: both are looked at, and each gives its value to the result.
#[test]
fn definitions_of_different_values_are_all_looked_at() {
    let plan = r#"data.a.f 1
|
 reset 3
 dot 4 2 "a"
 once 3 #1
|
 defined 3
 once 5 3
|
 reset 3
 dot 6 2 "b"
 once 3 #2
|
 defined 3
 once 5 3
|
 return 5
"#;
    let simple = "data.a.f 1\n|\n dot 3 2 \"a\"\n once 4 #1\n|\n dot 5 2 \"b\"\n once 4 #2\n|\n return 4\n";
    assert_eq!(simplified(plan), simple);
}

/// A `with` has to be undone before the function ends, and what stands in a `not` gives no value.
#[test]
fn nothing_ends_in_the_middle_of_a_with() {
    let plan = "data.a.f 0\n|\n with 0 #1\n  |\n   call 2 data.a.g\n   ne 2 false\n   once 3 true\n|\n return 3\n";
    assert_eq!(simplified(plan), plan.replace("once", "let"));
}
