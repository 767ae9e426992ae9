#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::{Value, json};

use super::{Document, Location, Notice, PathSegment, Position, Reading, Target, read};

fn reading(text: &str) -> Reading {
    read("a.yaml", text.as_bytes().to_vec())
}

/// The only document of a text without errors.
fn one(text: &str) -> Document {
    let mut reading = reading(text);
    assert!(reading.errors.is_empty(), "{:?}", reading.errors);
    assert_eq!(reading.documents.len(), 1, "{text}");
    reading.documents.remove(0)
}

fn values(text: &str) -> Vec<Value> {
    let reading = reading(text);
    assert!(reading.errors.is_empty(), "{:?}", reading.errors);
    reading.documents.into_iter().map(|document| document.value).collect()
}

/// Message and place of the only error of a text.
fn error(text: &str) -> String {
    let reading = reading(text);
    assert_eq!(reading.errors.len(), 1, "{:?}", reading.errors);
    reading.errors[0].to_string()
}

/// A path from words divided by slashes, digits being indices.
fn path(text: &str) -> Vec<PathSegment> {
    let segment = |word: &str| word.parse().map_or_else(|_| PathSegment::from(word), PathSegment::Index);
    text.split('/').filter(|word| !word.is_empty()).map(segment).collect()
}

fn at(location: &Location) -> (u32, u32, bool, Target) {
    (location.line, location.column, location.exact, location.of)
}

const CLUSTER: &str = "\
# A cluster.
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
spec:
  postgresql:
    parameters:
      wal_init_zero: off   # why?
      \"full_page_writes\": 'on'
      empty:
  storage: {size: 1Gi, class: [a, 'é', b]}
  list:
  - name: x
    url: |
      one
        two
  - y
";

#[test]
fn locates_scalars_by_their_value_and_collections_by_their_key() {
    let cluster = one(CLUSTER);
    let locate = |text: &str| at(&cluster.locate(&path(text)));
    assert_eq!(locate("spec/postgresql/parameters/wal_init_zero"), (7, 22, true, Target::Value));
    assert_eq!(locate("spec/postgresql/parameters/full_page_writes"), (8, 27, true, Target::Value));
    assert_eq!(locate("spec/postgresql/parameters/empty"), (9, 7, true, Target::Key));
    assert_eq!(locate("spec/postgresql/parameters"), (6, 5, true, Target::Key));
    assert_eq!(locate("spec/storage/size"), (10, 19, true, Target::Value));
    assert_eq!(locate("spec/storage/class/1"), (10, 35, true, Target::Value));
    assert_eq!(locate("spec/storage/class/2"), (10, 40, true, Target::Value));
    assert_eq!(locate("spec/list/0"), (12, 5, true, Target::Value));
    assert_eq!(locate("spec/list/0/name"), (12, 11, true, Target::Value));
    assert_eq!(locate("spec/list/1"), (16, 5, true, Target::Value));
    assert_eq!(locate(""), (2, 1, true, Target::Value));
}

#[test]
fn locates_the_nearest_parent_of_what_does_not_exist() {
    let cluster = one(CLUSTER);
    let locate = |text: &str| at(&cluster.locate(&path(text)));
    assert_eq!(locate("spec/postgresql/parameters/fsync"), (6, 5, false, Target::Key));
    assert_eq!(locate("spec/storage/class/7"), (10, 24, false, Target::Key));
    assert_eq!(locate("spec/storage/size/deeper"), (10, 13, false, Target::Key));
    assert_eq!(locate("status/phase"), (2, 1, false, Target::Value));
}

#[test]
fn shows_scalars_as_written() {
    let cluster = one(CLUSTER);
    let written = |text: &str| {
        let path = path(text);
        cluster.scalar(&path).map(|scalar| (scalar.text.to_owned(), scalar.plain))
    };
    let plain = |text: &str| Some((text.to_owned(), true));
    assert_eq!(written("spec/postgresql/parameters/wal_init_zero"), plain("off"));
    assert_eq!(written("spec/postgresql/parameters/full_page_writes"), Some(("'on'".to_owned(), false)));
    assert_eq!(written("spec/storage/class/1"), Some(("'é'".to_owned(), false)));
    assert_eq!(written("spec/postgresql/parameters/empty"), plain(""));
    assert_eq!(written("spec/storage"), None);
    assert_eq!(written("spec/nothing"), None);
    let bytes = cluster.locate(&path("spec/storage/class")).bytes;
    assert_eq!(&cluster.source.text[bytes], "class");
}

#[test]
fn locates_the_lines_of_a_block() {
    let cluster = one(CLUSTER);
    let url = path("spec/list/0/url");
    let first = cluster.locate_text_line(&url, 0);
    assert_eq!((first.line, first.column, &cluster.source.text[first.bytes]), (14, 7, "one"));
    let second = cluster.locate_text_line(&url, 1);
    assert_eq!((second.line, second.column, &cluster.source.text[second.bytes]), (15, 9, "two"));
    // Past its end, and in what is no block, the value itself.
    assert_eq!(cluster.locate_text_line(&url, 2).line, 13);
    assert_eq!(cluster.locate_text_line(&path("spec/storage/size"), 1).line, 10);
}

/// Every scalar of a text has the source text it was made from.
fn check_spans(document: &Document, value: &Value, at: &mut Vec<PathSegment>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                at.push(PathSegment::Key(key.clone()));
                check_spans(document, value, at);
                at.pop();
            }
        }
        Value::Array(elements) => {
            for (index, value) in elements.iter().enumerate() {
                at.push(PathSegment::Index(index));
                check_spans(document, value, at);
                at.pop();
            }
        }
        scalar => {
            let location = document.locate(at);
            assert!(location.exact, "{at:?}");
            let written = document.scalar(at).unwrap();
            let again = match location.of {
                Target::Value if document.source.text.starts_with('{') => {
                    one(&format!("[{}]", written.text)).value[0].take()
                }
                Target::Value => one(&format!("- {}\n", written.text)).value[0].take(),
                Target::Key => Value::Null,
            };
            assert_eq!(&again, scalar, "{at:?} {location:?}");
            let line = document.source.line(location.line);
            let from_column: String = line.chars().skip(location.column as usize - 1).collect();
            let first_line = document.source.text[location.bytes.clone()].lines().next().unwrap_or_default().to_owned();
            assert!(from_column.starts_with(&first_line), "{from_column:?} {first_line:?}");
        }
    }
}

#[test]
fn every_scalar_is_where_it_says() {
    for text in [
        CLUSTER,
        "a: 日本 # ü\nü: [\"é\", {ß: 'x', z: 1}]\n",
        "a: one\n  two\nb: \"x\n  y\"\nc: 1\n",
        "\u{feff}a: 1\r\nb:\r\n  - c: 'd'\r\n  - \"e\"\r\n",
        "{\"a\": \"é\\u00e9\", \"b\": [1, -2.5, true, null, \"\\ud83d\\ude00\"],\n\t\"c\": {\"ü\": {}, \"d\": [\"x\"]}}",
        "a: 1 \nb: x y   # c\n",
        "a: &x 1\nb: !!str x\nc: &y !!int 3\nd: !!str\ne: &z |\n  f\n",
    ] {
        let document = one(text);
        check_spans(&document, &document.value, &mut Vec::new());
    }
}

#[test]
fn aliases_are_located_where_they_stand_and_their_parts_where_they_are_written() {
    let document = one("a: &a {x: off}\nb: *a\nc: &c 1\nd: *c\ne:\n  <<: *a\n  z: 2\nf:\n  <<: [{x: 1}, *a]\n");
    assert_eq!(document.value["b"], json!({"x": false}));
    assert_eq!(document.value["e"], json!({"x": false, "z": 2}));
    assert_eq!(document.value["f"], json!({"x": 1}));
    let locate = |text: &str| at(&document.locate(&path(text)));
    assert_eq!(locate("b"), (2, 1, true, Target::Key));
    assert_eq!(locate("b/x"), (1, 11, true, Target::Value));
    assert_eq!(locate("d"), (4, 4, true, Target::Value));
    assert_eq!(locate("e/x"), (1, 11, true, Target::Value));
    assert_eq!(locate("f/x"), (9, 12, true, Target::Value));
}

#[test]
fn reports_duplicate_and_replaced_keys() {
    let document = one("a:\n  b: 1\n  c: {b: 1}\n  'b': 2\nm: &m {x: 1}\np:\n  x: 2\n  <<: *m\no:\n  <<: *m\n  x: 3\n");
    assert_eq!(document.value["a"], json!({"b": 2, "c": {"b": 1}}));
    assert_eq!(document.value["p"], json!({"x": 1}));
    assert_eq!(document.value["o"], json!({"x": 3}));
    let position = |line, column| Position { line, column };
    assert_eq!(
        document.notices,
        [
            Notice::DuplicateKey { path: path("a/b"), first: position(2, 3), second: position(4, 3) },
            Notice::MergeReplacesKey { path: path("p/x"), first: position(7, 3), second: position(5, 8) },
        ]
    );
    assert_eq!(at(&document.locate(&path("a/b"))), (4, 8, true, Target::Value));
    assert_eq!(at(&document.locate(&path("p/x"))), (5, 11, true, Target::Value));
}

#[test]
fn opens_lists() {
    let text = "\
kind: A
---
apiVersion: v1
kind: List
items:
- kind: B
  spec: {x: on, x: off}
- apiVersion: v1
  kind: PodList
  items:
  - metadata: {name: c}
- kind: D
";
    let documents = reading(text).documents;
    let kinds: Vec<_> = documents.iter().map(|document| document.value["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["A", "B", "Pod", "D"]);
    assert_eq!(documents.iter().map(|document| document.index).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(documents[2].value["apiVersion"], "v1");
    assert_eq!(at(&documents[1].locate(&path("spec/x"))), (7, 20, true, Target::Value));
    assert_eq!(at(&documents[2].locate(&path("metadata/name"))), (11, 22, true, Target::Value));
    assert_eq!(at(&documents[3].locate(&path("spec"))), (12, 3, false, Target::Value));
    let Notice::DuplicateKey { path: notice_path, .. } = &documents[1].notices[0] else {
        panic!("no notice");
    };
    assert_eq!(notice_path, &path("spec/x"));
    // Not lists.
    assert_eq!(values("kind: AllowList\nspec: {}\n").len(), 1);
    assert_eq!(values("kind: List\nitems: {}\n").len(), 1);
}

#[test]
fn divides_streams() {
    assert_eq!(values("a: 1\n---\nb: 2\n--- # x\nc: 3\n---# y\nd: 4").len(), 4);
    assert_eq!(values("# x\n---\n---\n\n---\n# y\n"), [] as [Value; 0]);
    assert_eq!(values("%YAML 1.1\n---\na: on\n...\n%YAML 1.1\n---\nb: 1\n"), [json!({"a": true}), json!({"b": 1})]);
    assert_eq!(values("{\"a\": 1}\n{\"b\": 2}"), [json!({"a": 1}), json!({"b": 2})]);
    assert_eq!(values("a: |\n  ---\n   ---\n"), [json!({"a": "---\n ---\n"})]);
    let second = &reading("a: 1\n---\n\nb:   2\n").documents[1];
    assert_eq!(at(&second.locate(&path("b"))), (4, 6, true, Target::Value));
}

#[test]
fn an_error_costs_one_document() {
    let reading = reading("a: 1\n---\nb: [1\n---\nc: 3\n---\nd: !!int x\n---\n----\ne: 5\n");
    let values: Vec<_> = reading.documents.iter().map(|document| &document.value).collect();
    assert_eq!(values, [&json!({"a": 1}), &json!({"c": 3}), &json!({"e": 5})]);
    let errors: Vec<_> = reading.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "a.yaml:4:1: while parsing a flow sequence: did not find expected ',' or ']'",
            "a.yaml:7:10: cannot decode !!str `x` as a !!int",
            "a.yaml:9:1: `----` does not separate documents, `---` alone does",
        ]
    );
}

#[test]
fn errors_name_the_place() {
    assert_eq!(error("a: 1\nb: c: d\n"), "a.yaml:2:5: mapping values are not allowed in this context");
    assert_eq!(error("a: 1\n\u{7}"), "a.yaml:2:1: control characters are not allowed in YAML");
    assert_eq!(error("a: 1\nb: .nan\n"), "a.yaml:2:4: .nan cannot be expressed in JSON");
    assert_eq!(error("a: 1\n~: 2\n"), "a.yaml:2:1: a key must not be null");
    assert_eq!(error("a: 1\nb: *x\n"), "a.yaml:2:4: unknown anchor 'x' referenced");
    assert_eq!(error("a: &x [*x]\n"), "a.yaml:1:8: anchor 'x' value contains itself");
    assert_eq!(error("a:\n  <<: 1\n"), "a.yaml:2:7: map merge requires map or sequence of maps as the value");
    assert_eq!(error("a: [!x, b]\n"), "a.yaml:1:1: this document is beyond the YAML parser");
    assert!(error("  a: 1\nb: 2\n").starts_with("a.yaml:2:1: the document ends before this line"));
    let utf8 = read("a.yaml", b"a: 1\n---\n\xC3\xA9: \xFF\n---\nb: 2\n".to_vec());
    assert_eq!(utf8.errors[0].to_string(), "a.yaml:3:4: the text is not valid UTF-8");
    assert_eq!(utf8.documents.len(), 2);
    assert_eq!(at(&utf8.documents[1].locate(&path("b"))), (5, 4, true, Target::Value));
    let utf16 = read("a.yaml", b"\xFF\xFEa\0".to_vec());
    assert!(utf16.errors[0].message.contains("UTF-16"));
}

#[test]
fn templates_get_one_error_with_advice() {
    let text = "a: {{ .Values.a }}\n---\n{{- if .b }}\nb: 1\n{{- end }}\n---\nc: 1\n";
    let message = error(text);
    assert!(message.contains("helm template"), "{message}");
    assert_eq!(reading(text).documents.len(), 1);
    // What is in quotes is text.
    assert_eq!(values("a: '{{ .x }}'\n").len(), 1);
}

#[test]
fn keeps_to_its_bounds() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(values(&nested(512)).len(), 1);
    assert_eq!(error(&nested(513)), "a.yaml:1:513: lists and objects are nested more than 512 deep");
    assert!(error(&"[".repeat(200_000)).contains("nested more than"));
    assert!(error(&"{\"a\":".repeat(200_000)).contains("nested more than"));
    assert!(error(&"- ".repeat(200_000)).contains("nested more than"));
    let lines: String = (0..600).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(error(&lines).contains("nested more than"));
    // Aliases that add up to more than their parts.
    let (open, close) = ("[".repeat(90), "]".repeat(90));
    let deeper: String = (1..8).map(|level| format!("a{level}: &a{level} {open}*a{}{close}\n", level - 1)).collect();
    assert!(error(&format!("a0: &a0 1\n{deeper}")).contains("nested more than"));
}

#[test]
fn alias_bombs_are_refused() {
    let mut bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..12 {
        let references = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{references}]\n"));
    }
    assert!(error(&bomb).contains("excessive aliasing"));
    let merges: String = bomb.replace("lol", "{}").replace(": &", ": &m");
    assert!(!reading(&merges).errors.is_empty());
    // Few aliases of a large text.
    let text = "x".repeat(1 << 20);
    let references = vec!["*a"; 200].join(", ");
    assert!(error(&format!("a: &a {text}\nb: [{references}]\n")).contains("excessive aliasing"));
    // Ordinary use is not.
    let references = vec!["*a"; 500].join(", ");
    assert_eq!(values(&format!("a: &a {{x: 1}}\nb: [{references}]\n")).len(), 1);
}

#[test]
fn large_texts_are_fine() {
    let text = "x".repeat(10 << 20);
    for source in [
        format!("a: {text}\n"),
        format!("a: '{text}'\n"),
        format!("{{\"a\": \"{text}\"}}"),
        format!("a: |\n  {text}\n"),
    ] {
        let value = one(&source).value;
        assert_eq!(value["a"].as_str().map(|text| text.trim_end().len()), Some(10 << 20));
    }
    let keys: String = (0..20_000).map(|_| "a: 1\n").collect();
    assert_eq!(one(&keys).notices.len(), 100);
}

#[test]
fn json_is_read_as_json() {
    assert_eq!(values("{\"a\": \"\\ud83d\\ude00\\/\\u00e9\"}"), [json!({"a": "😀/é"})]);
    assert_eq!(
        values("{\"a\": \"on\", \"b\": 1.0, \"c\": 1e3, \"d\": -0}"),
        [json!({"a": "on", "b": 1, "c": 1000, "d": 0})]
    );
    // What is not JSON may be YAML.
    assert_eq!(values("{a: on, b: [1,]}"), [json!({"a": true, "b": [1]})]);
    assert_eq!(values("{\"a\": 012}"), [json!({"a": 10})]);
    assert!(!reading("{\"a\": 1").errors.is_empty());
}

/// Whatever the bytes, an answer: values, errors, both or neither.
#[test]
fn never_panics() {
    let alphabet: Vec<&str> = "\n| |  |\t|\r|:|: |- |? |-|?|{|}|[|]|,|&a|*a|!|!!int |!x|||>|'|\"|\\|%|@|`|#|---\n|...\n|<<: |a|on|012|.inf|é|\u{85}|\u{2028}|\u{feff}|\0|~|{\"a\":|\"b\"|kind: List\n|items:\n"
        .split('|')
        .collect();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % bound
    };
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..next(40)).flat_map(|_| alphabet[next(alphabet.len())].bytes()).collect();
        if next(8) == 0 && !bytes.is_empty() {
            let at = next(bytes.len());
            bytes[at] = next(256) as u8;
        }
        for document in read("a.yaml", bytes).documents {
            let _ = document.locate(&path("a/0/b"));
            check_paths(&document, &document.value, &mut Vec::new());
        }
    }
}

/// Every path of the value leads to the source.
fn check_paths(document: &Document, value: &Value, at: &mut Vec<PathSegment>) {
    assert!(document.locate(at).exact, "{at:?} in {:?}", document.source.text);
    let mut visit = |segment, value| {
        at.push(segment);
        check_paths(document, value, at);
        at.pop();
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| visit(PathSegment::Key(key.clone()), value)),
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(index, value)| visit(PathSegment::Index(index), value))
        }
        _ => {}
    }
}
