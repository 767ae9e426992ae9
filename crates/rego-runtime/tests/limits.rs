//! A deadline and a limit of memory end an evaluation at once, whatever it does, and say which of them it was.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use rego_runtime::{Answer, Arena, Compiled, Context, Interpreter, Kept, Limits, Stop, Value, Words, compiled};

/// Counts forever, for all that anybody waits.
const ENDLESS: &str = "data.a.endless 0
|
 call 2 numbers.range #1 #100000
 scan 2 3 4
  |
   scan 2 5 6
    |
     eq 6 #0
|
 return 2
";

/// Makes an array of arrays of arrays.
const LARGE: &str = "data.a.large 0
|
 array 2
 call 3 numbers.range #1 #1000
 scan 3 4 5
  |
   call 6 numbers.range #1 #10000
   append 2 6
|
 return 2
";

const CONFLICT: &str = "data.a.two 0
|
 once 2 #1
|
 once 2 #2
|
 return 2
";

fn run(plan: &str, rule: &str, limits: Limits) -> (Result<String, Stop>, Option<String>) {
    let program = Interpreter::new(&rego_plan::text::read(plan).unwrap(), Kept::Undefined).unwrap();
    let arena = Arena::new();
    let context = Context::new(&arena, &Words::NONE, limits).with_memory_of(program.memory(), 0);
    let answer = program.rule_alone(&context, rule).map(Value::to_json);
    let answer = answer.map_err(|_| context.stopped().unwrap());
    (answer, context.conflict_in().map(str::to_owned))
}

#[test]
fn the_deadline_ends_a_loop() {
    let started = Instant::now();
    let limits = Limits { deadline: Some(started + Duration::from_millis(50)), memory: None };
    assert_eq!(run(ENDLESS, "data.a.endless", limits).0, Err(Stop::Deadline));
}

#[test]
fn the_limit_of_memory_ends_what_fills_it() {
    let limits = Limits { deadline: None, memory: Some(16 << 20) };
    assert_eq!(run(LARGE, "data.a.large", limits).0, Err(Stop::Memory));
    // One builtin that asks for too much at once.
    let huge = "data.a.huge 0\n|\n call 2 numbers.range #1 #1000000000000\n return 2\n";
    assert_eq!(run(huge, "data.a.huge", limits).0, Err(Stop::Memory));
}

#[test]
fn two_values_are_a_conflict_of_the_rule_that_has_them() {
    let (answer, rule) = run(CONFLICT, "data.a.two", Limits::default());
    assert_eq!((answer, rule.as_deref()), (Err(Stop::Conflict), Some("data.a.two")));
}

#[test]
fn rules_that_call_themselves_end() {
    let recursive = "data.a.f 1\n|\n call 3 data.a.f 2\n return 3\ndata.a.start 0\n|\n call 2 data.a.f #1\n return 2\n";
    assert_eq!(run(recursive, "data.a.start", Limits::default()).0, Err(Stop::Depth));
}

#[test]
fn a_builtin_that_gets_too_few_arguments_is_refused() {
    let plan = rego_plan::text::read("data.a.few 0\n|\n call 2 sprintf #1\n return 2\n").unwrap();
    let error = Interpreter::new(&plan, Kept::Undefined).err().unwrap();
    assert_eq!(error.to_string(), "data.a.few calls the builtin sprintf with 1 arguments, and it takes 2");
}

/// What compiled rules do: an answer that has ended is undefined to whoever goes on, until somebody asks for the whole.
#[test]
fn compiled_rules_that_go_on_are_told_in_the_end() {
    fn endless<'a>(context: &Context<'a>) -> Answer<'a> {
        loop {
            context.step()?;
        }
    }
    fn unless_endless<'a>(context: &Context<'a>) -> Answer<'a> {
        if compiled::holds(context.once(0, endless)) {
            return Ok(Value::Undefined);
        }
        assert!(compiled::defined(context.once(1, endless)).is_none(), "another rule ends before it begins");
        Ok(Value::True)
    }
    let arena = Arena::new();
    let limits = Limits { deadline: Some(Instant::now()), memory: None };
    let context = Context::new(&arena, &Words::NONE, limits).with_memory_of(3, 0);
    let rules: &[(&str, Compiled)] = &[("data.a.rule", Compiled { rule: unless_endless, place: Some(2) })];
    assert!(compiled::named(&context, rules, "data.a.rule").is_err());
    assert_eq!(context.stopped(), Some(Stop::Deadline));
    let _ = context.conflict("data.a.rule");
    assert_eq!((context.stopped(), context.conflict_in()), (Some(Stop::Deadline), None), "the first reason stays");
}
