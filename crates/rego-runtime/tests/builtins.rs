//! Every builtin, compared with OPA's on all combinations of some values.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use rego_runtime::builtins::{NAMES, builtin};
use rego_runtime::{Arena, Context, Limits, Value, Words};

/// Values in Rego, which are JSON but for the sets.
const VALUES: &[&str] = &[
    "null",
    "true",
    "0",
    "1",
    "-7",
    "1.5",
    "-0.5",
    "2.5",
    "1e3",
    "1.0",
    "0.1",
    "10",
    "9007199254740993",
    "12345678901234567890",
    r#""""#,
    r#""a""#,
    r#""abcABC äß€""#,
    r#""1.50""#,
    r#"" x\t""#,
    r#""2026-11-22T07:12:00.5+02:00""#,
    r#""%d|%s|%v""#,
    r#""[a-c]+""#,
    r#""(b)(x)?""#,
    r#""YWI=""#,
    r#""YWJj""#,
    r#""{\"a\": [1, 2.50, \"<\"]}""#,
    r#""a,b,,c""#,
    r#"",""#,
    "[]",
    "[1, 2, 3]",
    r#"["a", "b", "a"]"#,
    r#"[3, "a", null, [1], {"x": 1.0}]"#,
    "[1.5, 2]",
    r#"[{"a": 1}, {"a": {"b": 2}}, {"a": {"c": 3}}]"#,
    "{}",
    r#"{"a": 1, "b": {"c": 2}}"#,
    r#"{"a": 2, "b": {"d": 3}}"#,
    r#"{"a": "x", "b": "ab"}"#,
    "set()",
    "{1, 2}",
    r#"{"a", "b"}"#,
    "{1, 2, 3}",
];

/// Builtins that take few values: what they make of others fills the memory, or is not the same twice.
const NARROW: &[(&str, &[&str])] = &[
    ("bits.lsh", &["0", "1", "-7", "1.5", "10", "70", "1.0", r#""a""#]),
    ("bits.rsh", &["0", "1", "-7", "1.5", "10", "70", "1.0", r#""a""#]),
    ("numbers.range", &["0", "1", "-7", "1.5", "10", r#""a""#, "null"]),
    ("time.now_ns", &[]),
];

const FORMATS: &[&str] = &[
    "%d", "%s", "%v", "%q", "%5d|", "%-5s|", "%05d", "%+d", "%x", "%X", "%o", "%b", "%f", "%.2f", "%8.3f|", "%e", "%g",
    "%c", "%t", "%%", "%", "%d %d", "%!", "%.1s", "plain",
];

/// What OPA says, in the order of the values: `[]`, or the one result.
fn opa(rego: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tool = Command::new(root.join("tests/tools/build")).arg("opa").output().unwrap();
    let directory = std::env::temp_dir().join(format!("rego-runtime-builtins-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("a.rego"), rego).unwrap();
    fs::write(directory.join("input.json"), "null").unwrap();
    let output = Command::new(String::from_utf8(tool.stdout).unwrap().trim())
        .args(["eval", "--format", "raw", "--input", "input.json", "--data", "a.rego", "data.a.results"])
        .current_dir(&directory)
        .output()
        .unwrap();
    fs::remove_dir_all(&directory).unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", said(&output.stdout), said(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A value from Rego.
fn value<'a>(context: &Context<'a>, rego: &str) -> Value<'a> {
    let set = rego == "set()" || rego.starts_with('{') && !rego.contains(':') && rego != "{}";
    if !set {
        return context.parse(rego.as_bytes()).unwrap();
    }
    let elements = rego.trim_start_matches("set()").trim_start_matches('{').trim_end_matches('}');
    let array = context.parse(format!("[{elements}]").as_bytes()).unwrap();
    context.set_of(context.elements(array))
}

fn combinations<'v>(values: &[&'v str], arity: usize) -> Vec<Vec<&'v str>> {
    (0..arity).fold(vec![Vec::new()], |all, _| {
        all.iter().flat_map(|some| values.iter().map(|value| [some.as_slice(), &[*value]].concat())).collect()
    })
}

fn values_of(name: &str, arity: usize) -> Vec<&'static str> {
    match NARROW.iter().find(|(narrow, _)| *narrow == name) {
        Some((_, values)) => values.to_vec(),
        // Of three arguments every third value is enough.
        None if arity > 2 => VALUES.iter().step_by(3).copied().chain(["1", "-7", r#"",""#]).collect(),
        None => VALUES.to_vec(),
    }
}

/// The name by which Rego calls a builtin.
fn called(name: &str, arguments: &[String]) -> String {
    match (name, arguments) {
        ("internal.member_2", [a, b]) => format!("y := {a} in {b}; x := y"),
        ("internal.member_3", [a, b, c]) => format!("y := ({a}, {b} in {c}); x := y"),
        ("equal", [a, b]) => format!("x := ({a} == {b})"),
        ("neq", [a, b]) => format!("x := ({a} != {b})"),
        ("gt", [a, b]) => format!("x := ({a} > {b})"),
        ("gte", [a, b]) => format!("x := ({a} >= {b})"),
        ("lt", [a, b]) => format!("x := ({a} < {b})"),
        ("lte", [a, b]) => format!("x := ({a} <= {b})"),
        ("plus", [a, b]) => format!("x := {a} + {b}"),
        ("minus", [a, b]) => format!("x := {a} - {b}"),
        ("mul", [a, b]) => format!("x := {a} * {b}"),
        ("div", [a, b]) => format!("x := {a} / {b}"),
        ("rem", [a, b]) => format!("x := {a} % {b}"),
        ("and", [a, b]) => format!("x := {a} & {b}"),
        ("or", [a, b]) => format!("x := {a} | {b}"),
        _ => format!("x := {name}({})", arguments.join(", ")),
    }
}

#[test]
fn every_builtin_does_what_opas_does() {
    let arena = Arena::new();
    let context = Context::new(&arena, &Words::NONE, Limits::default());
    let mut rego = String::from("package a\n");
    let mut cases: Vec<(String, Vec<Value<'_>>, String)> = Vec::new();
    let mut asked = |name: &str, lists: Vec<Vec<String>>| {
        for list in lists {
            cases.push((name.to_owned(), list.iter().map(|rego| value(&context, rego)).collect(), list.join(", ")));
        }
    };
    let mut results = Vec::new();
    for name in NAMES {
        let (_, arity) = builtin(name).unwrap();
        let values = values_of(name, arity);
        if values.is_empty() {
            continue;
        }
        let list = format!("v{}", results.len());
        // Any value may come, so that OPA does not refuse the call before it is made.
        writeln!(rego, "\n{list} := object.get({{\"a\": [{}]}}, \"a\", input)", values.join(", ")).unwrap();
        let variables: Vec<String> = (0..arity).map(|n| format!("a{n}")).collect();
        let loops: Vec<String> = variables.iter().map(|variable| format!("some {variable} in {list}")).collect();
        writeln!(rego, "\nr{} := [[x | {}] | {}]", results.len(), called(name, &variables), loops.join("; ")).unwrap();
        results.push(format!("r{}", results.len()));
        let combined = combinations(&values, arity).into_iter();
        asked(name, combined.map(|list| list.into_iter().map(str::to_owned).collect()).collect());
    }
    let formats: Vec<String> = FORMATS.iter().map(|format| format!("{format:?}")).collect();
    writeln!(
        rego,
        "\nformats := [{}]\n\nvalues := object.get({{\"a\": [{}]}}, \"a\", input)",
        formats.join(", "),
        VALUES.join(", ")
    )
    .unwrap();
    rego.push_str("\nformatted := [[x | x := sprintf(f, [v])] | some f in formats; some v in values]\n");
    results.push("formatted".to_owned());
    let of_formats = formats.iter().flat_map(|f| VALUES.iter().map(move |v| vec![f.clone(), format!("[{v}]")]));
    for list in of_formats.collect::<Vec<_>>() {
        let inner = list[1].trim_start_matches('[').strip_suffix(']').unwrap();
        let inner = if list[1].starts_with("[[") { &list[1][1..list[1].len() - 1] } else { inner };
        let values = vec![value(&context, &list[0]), context.array(&[value(&context, inner)])];
        cases.push(("sprintf".to_owned(), values, list.join(", ")));
    }
    writeln!(rego, "\nresults := [{}]", results.join(", ")).unwrap();

    let said = context.parse(opa(&rego).as_bytes()).unwrap();
    let said: Vec<Value<'_>> = context.values(said).flat_map(|list| context.values(list)).collect();
    assert_eq!(said.len(), cases.len());
    let mut wrong = Vec::new();
    for ((name, arguments, shown), said) in cases.iter().zip(said) {
        let expected = context.values(said).next().map(Value::to_json);
        let ours = match builtin(name).unwrap().0(&context, arguments) {
            Ok(Value::Undefined) => None,
            Ok(value) => Some(value.to_json()),
            Err(stop) => panic!("{name}({shown}): {stop:?}"),
        };
        if ours != expected {
            wrong.push(format!("{name}({shown}) is {ours:?}, and to OPA {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong[..wrong.len().min(400)].join("\n"));
}
