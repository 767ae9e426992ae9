//! Mutants: reviews that begin as a manifest somebody could write, and have things done to them.
//!
//! The number of a mutant and the seed say everything about it, so that each can be made again by itself.

use fastrand::Rng;
use serde_json::{Map, Value as Json, json};

use crate::corpus::{Corpus, inventory, places};
use crate::review::{LITERAL, Review};

/// Policy configurations that hosts read from a file, and so before they start.
const CONFIGURATIONS: usize = 3;

/// Policy configurations that are valid.
pub fn configurations(corpus: &Corpus, seed: u64) -> Vec<Json> {
    let mut random = Rng::with_seed(seed);
    (0..CONFIGURATIONS).map(|_| configuration(&mut random, corpus)).collect()
}

/// A mutant.
pub fn mutant(corpus: &Corpus, configurations: &[Json], seed: u64, number: usize) -> Review {
    let mut random = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number as u64));
    let random = &mut random;
    let (mut object, others) = begin(random, corpus);
    let old = object.clone();
    for _ in 0..times(random) {
        mutate(random, corpus, &mut object);
    }
    let mut review = Map::from_iter([("object".to_owned(), object)]);
    if chance(random, 25) {
        review.insert("operation".to_owned(), json!("UPDATE"));
        let mut old = old;
        for _ in 0..times(random) - 1 {
            mutate(random, corpus, &mut old);
        }
        review.insert("oldObject".to_owned(), old);
    } else if chance(random, 50) {
        review.insert(
            "operation".to_owned(),
            one(random, &[json!("CREATE"), json!("DELETE"), json!(null), json!("UPDATE")]),
        );
    }
    if chance(random, 20) {
        review.insert("namespace".to_owned(), one(random, &[json!("shop"), json!(""), json!(7), json!("default")]));
    }
    let mut input = Map::new();
    match random.u32(0..20) {
        0 => drop(input.insert("request".to_owned(), Json::Object(review))),
        1 => {
            let mut items = others.clone();
            items.push(review["object"].clone());
            let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
            input.extend(list.as_object().cloned().unwrap_or_default());
        }
        _ => drop(input.insert("review".to_owned(), Json::Object(review))),
    }
    if chance(random, 65) {
        input.insert("inventory".to_owned(), surroundings(random, corpus, others));
    }
    if chance(random, 40) {
        let parameters = match random.u32(0..4) {
            0 => configuration(random, corpus),
            1 => {
                let mut wrong = configuration(random, corpus);
                mutate(random, corpus, &mut wrong);
                wrong
            }
            _ => one(random, configurations),
        };
        input.insert("parameters".to_owned(), parameters);
    }
    if chance(random, 30) {
        let moments = ["2026-11-21T00:00:00Z", "2026-06-15T12:00:00Z", "2030-01-01T00:00:00+02:00", "yesterday", ""];
        input.insert("now".to_owned(), json!(one(random, &moments)));
    }
    Review { name: String::new(), input: Json::Object(input) }
}

/// An object of the corpus, and others that belong to it.
fn begin(random: &mut Rng, corpus: &Corpus) -> (Json, Vec<Json>) {
    if chance(random, 25) {
        return (one(random, &corpus.objects), Vec::new());
    }
    let (_, documents) = &corpus.files[random.usize(..corpus.files.len())];
    let index = random.usize(..documents.len());
    let others = documents.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, other)| other.clone());
    (documents[index].clone(), others.collect())
}

/// Most of the time a little, seldom much.
fn times(random: &mut Rng) -> usize {
    one(random, &[1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6, 10])
}

fn chance(random: &mut Rng, percent: u32) -> bool {
    random.u32(0..100) < percent
}

fn one<T: Clone>(random: &mut Rng, of: &[T]) -> T {
    of[random.usize(..of.len())].clone()
}

fn surroundings(random: &mut Rng, corpus: &Corpus, mut others: Vec<Json>) -> Json {
    for _ in 0..random.usize(..4) {
        others.push(one(random, &corpus.objects));
    }
    for other in &mut others {
        if chance(random, 20) {
            mutate(random, corpus, other);
        }
    }
    let complete = one(random, &[Some(true), Some(true), Some(false), None]);
    let mut inventory = inventory(others.iter(), complete);
    if chance(random, 5) {
        mutate(random, corpus, &mut inventory);
    }
    inventory
}

fn configuration(random: &mut Rng, corpus: &Corpus) -> Json {
    let mut checks = Map::new();
    for (id, settings) in &corpus.checks {
        let mut chosen = Map::new();
        if chance(random, 30) {
            chosen.insert("severity".to_owned(), json!(one(random, &["error", "warning", "info", "off"])));
        }
        let numbers = [0, 1, 2, 7, 40, 100, 1000, 100_000];
        let values: Map<String, Json> =
            settings.iter().map(|name| (name.clone(), json!(one(random, &numbers)))).collect();
        if !values.is_empty() && chance(random, 50) {
            chosen.insert("settings".to_owned(), Json::Object(values));
        }
        if !chosen.is_empty() && chance(random, 50) {
            checks.insert(id.clone(), Json::Object(chosen));
        }
    }
    let mut configuration = Map::from_iter([("checks".to_owned(), Json::Object(checks))]);
    let modes = ["enforce", "warn", "audit"];
    if chance(random, 30) {
        configuration.insert("mode".to_owned(), json!(one(random, &modes)));
    }
    if chance(random, 30) {
        configuration.insert("showInfo".to_owned(), json!(chance(random, 50)));
    }
    if chance(random, 40) {
        let names = one(random, &[json!(["shop"]), json!(["*"]), json!(["d?fault", "prod-*"])]);
        configuration.insert("namespaces".to_owned(), json!([{"names": names, "mode": one(random, &modes)}]));
    }
    if chance(random, 50) {
        let waivers: Vec<Json> = (0..random.usize(1..4)).map(|_| waiver(random, corpus)).collect();
        configuration.insert("waivers".to_owned(), json!(waivers));
    }
    Json::Object(configuration)
}

fn waiver(random: &mut Rng, corpus: &Corpus) -> Json {
    let (id, _) = one(random, &corpus.checks);
    let area = id.split_once('/').map_or(id.as_str(), |(area, _)| area);
    let check = if chance(random, 50) { format!("{area}/") } else { id.clone() };
    let resource = one(
        random,
        &[
            json!({"kind": "*"}),
            json!({"namespace": "shop"}),
            json!({"name": "*a*", "kind": "Cluster"}),
            json!({"name": "?*"}),
        ],
    );
    let expires = one(random, &["2020-01-01T00:00:00Z", "2027-04-01T00:00:00Z", "2200-01-01T00:00:00Z"]);
    json!({"check": check, "resource": resource, "reason": "r", "owner": "o", "expires": expires})
}

/// Does one thing to a value.
fn mutate(random: &mut Rng, corpus: &Corpus, value: &mut Json) {
    let all = places(value);
    if all.is_empty() {
        return;
    }
    let place = one(random, &all);
    match random.u32(0..20) {
        0 => set(value, &place, hostile(random)),
        1 => remove(value, &place),
        2..=4 => {
            let new = value.pointer(&place).map(|now| tweaked(random, corpus, now));
            set(value, &place, new.unwrap_or_default());
        }
        5..=7 => graft(random, corpus, value, &place),
        8 | 9 => {
            let known = corpus.values.get(&key_of(&place)).map(|values| one(random, values));
            set(value, &place, known.unwrap_or_default());
        }
        10..=13 => parameter(random, corpus, value),
        14 => repeat(random, corpus, value, &all),
        15 => rename(random, corpus, value, &place),
        16 => wrap(random, value, &place),
        17 => annotate(random, corpus, value),
        18 => {
            let (api_version, kind) = one(random, &corpus.kinds);
            let version = one(random, &["v1", "v1alpha1", "v1beta1", "v1beta2", "v2", "v2beta1", "v10"]);
            match value["apiVersion"].as_str().and_then(|now| now.rsplit_once('/')) {
                Some((group, _)) if chance(random, 50) => {
                    set(value, "/apiVersion", json!(format!("{group}/{version}")))
                }
                _ => set(value, "/apiVersion", json!(api_version)),
            }
            if chance(random, 40) {
                set(value, "/kind", json!(kind));
            }
        }
        _ => {
            let place = one(
                random,
                &["/metadata/name", "/metadata/namespace", "/metadata/labels", "/metadata", "/spec", "/status"],
            );
            if chance(random, 50) { remove(value, place) } else { set(value, place, hostile(random)) }
        }
    }
}

fn hostile(random: &mut Rng) -> Json {
    let literal = |text: &str| json!(format!("{LITERAL}{text}"));
    match random.u32(0..38) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(false),
        3 => json!(0),
        4 => json!(-1),
        5 => json!(12.5),
        6 => literal("1.0"),
        7 => literal("1e3"),
        8 => literal("1e300"),
        9 => literal("-0.0"),
        10 => literal("0.1"),
        11 => literal("123456789012345678901234567890"),
        12 => json!(u64::MAX),
        13 => json!(i64::MIN),
        14 => json!(""),
        15 => json!(" "),
        16 => json!("x"),
        17 => json!("-1Gi"),
        18 => json!("99999999999999999999999999Gi"),
        19 => json!("1e400"),
        20 => json!("%s %d %v {0}"),
        21 => json!("🐘\u{0}\n\t\"'\\<&>"),
        22 => json!("ÀÉ\u{a0}ßİŞ ١٢"),
        23 => json!("2026-13-99T99:99:99Z"),
        24 => json!([]),
        25 => json!([null, 1, "x", [], {}]),
        26 => json!({}),
        27 => json!({"x": null, "": [], "0": {"name": 1}}),
        28 => json!([{"name": null}, {"name": "data", "value": {}}]),
        29 => json!("a".repeat(300)),
        30 => json!("x".repeat(5000)),
        31 => json!(9_007_199_254_740_993_u64),
        32 => literal("2.50"),
        33 => literal("1e20"),
        34 => literal("1e22"),
        35 => literal("0.00001"),
        36 => literal("-1e-9"),
        _ => literal("1E2"),
    }
}

/// A value like the one there.
fn tweaked(random: &mut Rng, corpus: &Corpus, now: &Json) -> Json {
    match now {
        Json::String(text) => json!(text_like(random, corpus, text)),
        Json::Number(number) => match random.u32(0..8) {
            0 => json!(number.to_string()),
            1 => json!(-number.as_f64().unwrap_or_default()),
            2 => json!(number.as_i64().unwrap_or_default().wrapping_add(1)),
            3 => json!(format!("{LITERAL}{number}.0")),
            4 => json!(format!("{LITERAL}{number}e0")),
            5 => json!(number.as_i64().unwrap_or(1).wrapping_mul(1_000_003)),
            6 => json!(format!("{LITERAL}{number}.5")),
            _ => hostile(random),
        },
        Json::Bool(value) => match random.u32(0..4) {
            0 => json!(!value),
            1 => json!(value.to_string()),
            2 => json!(if *value { "on" } else { "off" }),
            _ => hostile(random),
        },
        Json::Array(items) => {
            let mut items = items.clone();
            match random.u32(0..4) {
                0 => items.reverse(),
                1 => items.push(hostile(random)),
                2 => items.insert(0, json!(null)),
                _ => items.truncate(items.len() / 2),
            }
            Json::Array(items)
        }
        Json::Null | Json::Object(_) => hostile(random),
    }
}

fn text_like(random: &mut Rng, corpus: &Corpus, text: &str) -> String {
    let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let rest = &text[digits.len()..];
    match random.u32(0..16) {
        0 => text.to_uppercase(),
        1 => text.to_lowercase(),
        2 => format!(" {text} "),
        3 => format!("{text}\u{a0}"),
        4 => format!("{digits} {rest}"),
        5 => format!("-{text}"),
        6 => format!("{digits}.5{rest}"),
        7 => format!("{digits}000000000{rest}"),
        8 => format!("0{text}"),
        9 => {
            let units = [
                "", "B", "kB", "MB", "GB", "TB", "Mi", "Gi", "Ti", "Ki", "G", "M", "m", "k", "e3", "E", "ms", "s",
                "min", "h", "d", "us", "gb", "%",
            ];
            format!("{digits}{}", one(random, &units))
        }
        10 => {
            let mut chars: Vec<char> = text.chars().collect();
            if !chars.is_empty() {
                let at = random.usize(..chars.len());
                match random.u32(0..3) {
                    0 => drop(chars.remove(at)),
                    1 => {
                        chars[at] = one(
                            random,
                            &['é', '\'', '"', '\\', '0', ' ', '=', '#', '\n', '.', ':', '/', '-', '١', 'ſ', '\u{2028}'],
                        )
                    }
                    _ => chars.insert(
                        at,
                        one(
                            random,
                            &['é', '\'', '"', '\\', '0', ' ', '=', '#', '\n', '.', ':', '/', '-', '_', 'K', '\r'],
                        ),
                    ),
                }
            }
            chars.into_iter().collect()
        }
        11 if text.contains('=') => {
            format!("{text}\n{} = {}", name_of_parameter(random, corpus), literal_of_file(random, corpus))
        }
        11 | 12 => one(random, &corpus.words),
        13 => format!("{text}{text}"),
        14 => one(
            random,
            &[
                "0", "1", "on", "off", "true", "no", "null", "0x10", "1e3", "1_000", "+5", ".5", "5.", "007", "1,5",
                "٣", "NaN", "inf",
            ],
        )
        .to_owned(),
        _ => text.chars().rev().collect(),
    }
}

/// Puts a field where one of its kind stood in another manifest.
fn graft(random: &mut Rng, corpus: &Corpus, value: &mut Json, place: &str) {
    let key = key_of(place);
    let Some(known) = corpus.fields.get(&key) else { return };
    let (name, field) = one(random, known);
    let mut target = value.pointer_mut(place);
    if let Some(Json::Array(items)) = target {
        if items.is_empty() {
            items.push(json!({}));
        }
        let at = random.usize(..items.len());
        target = items.get_mut(at);
    }
    if let Some(Json::Object(fields)) = target {
        fields.insert(name, field);
    }
}

fn name_of_parameter(random: &mut Rng, corpus: &Corpus) -> String {
    let (name, _) = one(random, &corpus.parameters);
    match random.u32(0..12) {
        0 => name.to_uppercase(),
        1 => format!("{name}s"),
        2 => name.replacen('_', "-", 1),
        3 => one(
            random,
            &[
                "auto_explain.log_min_duration",
                "pg_stat_statements.max",
                "a.b.c",
                "x",
                "polar_enable",
                "rds.force_ssl",
                "İ",
                "",
            ],
        )
        .to_owned(),
        _ => name,
    }
}

/// A value that suits a parameter more or less.
fn value_of_parameter(random: &mut Rng, parameter: &Json) -> Json {
    let number = |key: &str| parameter[key].as_f64();
    let unit = parameter["unit"].as_str().unwrap_or_default();
    match random.u32(0..14) {
        0 => hostile(random),
        1 => parameter["default"].clone(),
        2 => json!(format!("{}", number("max").unwrap_or(1e9))),
        3 => json!(format!("{}", number("min").unwrap_or(-1.0) - 1.0)),
        4 => json!(number("max").unwrap_or(10.0) as i64),
        5 => json!(format!("{}{unit}", random.u32(0..100_000))),
        6 => json!(format!(
            "{} {}",
            random.u32(0..5000),
            one(random, &["kB", "MB", "GB", "TB", "B", "ms", "s", "min", "h", "d", "us", "mb"])
        )),
        7 => json!(format!(
            "{}.{}{}",
            random.u32(0..100),
            random.u32(0..1000),
            one(random, &["", "GB", "MB", "kB", "s", "min", "ms"])
        )),
        8 => json!(one(
            random,
            &[
                "on",
                "off",
                "true",
                "FALSE",
                "yes",
                "n",
                "o",
                "tr",
                "1",
                "0",
                "",
                "minimal",
                "replica",
                "logical",
                "lz4",
                "zstd",
                "try",
                "local",
                "remote_apply"
            ]
        )),
        9 => parameter["enum"].as_array().filter(|e| !e.is_empty()).map_or(json!(true), |values| one(random, values)),
        10 => json!(chance(random, 50)),
        11 => json!(random.u32(0..10_000)),
        12 => json!(one(
            random,
            &[
                "0x1F",
                "010",
                "1e3",
                "1.5e2",
                "-1",
                "+1",
                " 42 ",
                "4_2",
                "١٢",
                "8GB ",
                "\t8GB",
                "8\u{a0}GB",
                "'8GB'",
                "1e-3",
                "1e1000",
                ".5GB",
                "5.",
                "9223372036854775808",
                "0.1",
                "0.7",
                "1e15",
                "2147483648"
            ]
        )),
        _ => json!(format!("{}", random.f64() * 100.0)),
    }
}

fn literal_of_file(random: &mut Rng, corpus: &Corpus) -> String {
    let (_, parameter) = one(random, &corpus.parameters);
    let value = match value_of_parameter(random, &parameter) {
        Json::String(text) => text,
        other => other.to_string(),
    };
    match random.u32(0..6) {
        0 => format!("'{value}'"),
        1 => format!("'{value}"),
        2 => format!("{value} # why"),
        3 => format!("'it''s \\'{value}'"),
        _ => value,
    }
}

/// Gives a parameter of PostgreSQL a value, where parameters stand.
fn parameter(random: &mut Rng, corpus: &Corpus, value: &mut Json) {
    let name = name_of_parameter(random, corpus);
    let (_, any) = one(random, &corpus.parameters);
    let known = corpus.parameters.iter().find(|(n, _)| *n == name).map_or(&any, |(_, parameter)| parameter);
    let new = value_of_parameter(random, known);
    let holds = |name: &str| corpus.parameters.binary_search_by(|(n, _)| n.as_str().cmp(name)).is_ok();
    let mut maps = Vec::new();
    let mut files = Vec::new();
    for place in places(value) {
        match value.pointer(&place) {
            Some(Json::Object(fields)) if key_of(&place) == "parameters" || fields.keys().any(|key| holds(key)) => {
                maps.push(place)
            }
            Some(Json::String(text))
                if text.lines().any(|line| holds(line.split(['=', ' ']).next().unwrap_or_default())) =>
            {
                files.push(place)
            }
            _ => {}
        }
    }
    if !files.is_empty() && (maps.is_empty() || chance(random, 50)) {
        let place = one(random, &files);
        if let Some(Json::String(text)) = value.pointer_mut(&place) {
            let line = format!(
                "{name}{}{}",
                one(random, &[" = ", "=", " ", "\t=\t", " == "]),
                literal_of_file(random, corpus)
            );
            *text = if chance(random, 50) { format!("{text}\n{line}\n") } else { format!("{line}\n{text}") };
        }
    } else if !maps.is_empty() {
        let place = one(random, &maps);
        if let Some(Json::Object(fields)) = value.pointer_mut(&place) {
            fields.insert(name, new);
        }
    }
}

/// Repeats an element of a list, a little changed or not.
fn repeat(random: &mut Rng, corpus: &Corpus, value: &mut Json, all: &[String]) {
    let lists: Vec<&String> = all
        .iter()
        .filter(|place| value.pointer(place).is_some_and(|v| v.as_array().is_some_and(|a| !a.is_empty())))
        .collect();
    if lists.is_empty() {
        return;
    }
    let place = one(random, &lists);
    let times = one(random, &[1, 1, 1, 2, 30]);
    for _ in 0..times {
        if let Some(Json::Array(items)) = value.pointer_mut(place) {
            let mut item = one(random, items);
            if chance(random, 50) {
                mutate_inside(random, corpus, &mut item);
            }
            items.push(item);
        }
    }
}

fn mutate_inside(random: &mut Rng, corpus: &Corpus, value: &mut Json) {
    let all = places(value);
    if !all.is_empty() {
        let place = one(random, &all);
        let new = value.pointer(&place).map(|now| tweaked(random, corpus, now));
        set(value, &place, new.unwrap_or_default());
    }
}

fn rename(random: &mut Rng, corpus: &Corpus, value: &mut Json, place: &str) {
    let Some((parent, _)) = place.rsplit_once('/') else { return };
    let key = key_of(place);
    let new = match random.u32(0..6) {
        0 => key.to_uppercase(),
        1 => format!("{key} "),
        2 => one(random, &corpus.words),
        3 => key.replace('_', "-"),
        4 => format!("é/{key}~.[0]"),
        _ => text_like(random, corpus, &key),
    };
    if let Some(Json::Object(fields)) = value.pointer_mut(parent)
        && let Some(field) = fields.get(&key).cloned()
    {
        if chance(random, 50) {
            fields.remove(&key);
        }
        fields.insert(new, field);
    }
}

fn wrap(random: &mut Rng, value: &mut Json, place: &str) {
    if let Some(at) = value.pointer_mut(place) {
        let now = at.take();
        *at = match (random.u32(0..3), now) {
            (0, now) => json!([now]),
            (1, Json::Array(items)) => items.into_iter().next().unwrap_or_default(),
            (1, Json::Object(fields)) => Json::Array(fields.into_iter().map(|(_, value)| value).collect()),
            (_, now) => json!({"value": now}),
        };
    }
}

fn annotate(random: &mut Rng, corpus: &Corpus, value: &mut Json) {
    let ours: Vec<&String> =
        corpus.words.iter().filter(|word| word.starts_with("walguard.dev/") || word.contains(".io/")).collect();
    if ours.is_empty() || !value.is_object() {
        return;
    }
    let name = one(random, &ours).clone();
    let text = match random.u32(0..5) {
        0 => hostile(random),
        1 => json!(one(random, &corpus.words)),
        2 => json!(one(
            random,
            &["16384", "8192", "1e4", "16384.0", "0", "-1", "oltp", "2027-01-01", "2020-01-01", "12.5"]
        )),
        3 => json!(random.u32(0..100_000).to_string()),
        _ => json!(text_like(random, corpus, "500")),
    };
    for key in ["metadata", "annotations"] {
        if !value["metadata"].is_object() {
            value["metadata"] = json!({});
        }
        if key == "annotations" && !value["metadata"]["annotations"].is_object() {
            value["metadata"]["annotations"] = json!({});
        }
    }
    value["metadata"]["annotations"][name] = text;
}

/// The key that a place ends with; the nearest one, of an element of a list.
fn key_of(place: &str) -> String {
    let key = place.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or_default();
    key.replace("~1", "/").replace("~0", "~")
}

fn set(value: &mut Json, place: &str, new: Json) {
    if let Some(at) = value.pointer_mut(place) {
        *at = new;
    } else if let Some((parent, key)) = place.rsplit_once('/')
        && let Some(Json::Object(fields)) = value.pointer_mut(parent)
    {
        fields.insert(key.to_owned(), new);
    }
}

fn remove(value: &mut Json, place: &str) {
    let Some((parent, _)) = place.rsplit_once('/') else { return };
    match value.pointer_mut(parent) {
        Some(Json::Object(fields)) => drop(fields.remove(&key_of(place))),
        Some(Json::Array(items)) => {
            if let Some(index) =
                place.rsplit('/').next().and_then(|key| key.parse::<usize>().ok()).filter(|i| *i < items.len())
            {
                items.remove(index);
            }
        }
        _ => {}
    }
}
