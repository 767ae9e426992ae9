//! What hosts ask the rules besides findings: proposals for machines, disks, pictures.

use serde_json::{Value as Json, json};
use walguard_engine::{Engine, value};

use crate::corpus::Review;

/// The name of a question, the rule that answers it, and what it is asked of.
pub type Question = (String, &'static str, Json);

pub fn answer(engine: &mut Engine, rule: &str, input: &Json) -> Json {
    serde_json::to_value(engine.evaluate_rule(rule, &value(input.clone())).unwrap()).unwrap()
}

fn list(engine: &mut Engine, rule: &str) -> Vec<Json> {
    answer(engine, rule, &json!({})).as_array().cloned().unwrap_or_default()
}

pub fn questions(engine: &mut Engine, reviews: &[(String, Review)]) -> Vec<Question> {
    let mut questions = Vec::new();
    let disks = list(engine, "walguard.disks.names");
    for (at, target) in list(engine, "walguard.tune.targets").iter().enumerate() {
        for machine in machines(at, target, &disks) {
            let input = json!({"tune": machine});
            let manifest = answer(engine, "walguard.tune.manifest", &input);
            questions.push((machine.to_string(), "walguard.tune.manifest", input));
            if let Some(objects) = manifest["objects"].as_array() {
                let among = objects.iter().enumerate();
                let among = among.map(|(at, object)| if at == 0 { Json::Null } else { object.clone() }).collect();
                let review = Review {
                    file: String::new(),
                    request: json!({"object": objects[0]}),
                    among,
                    complete: false,
                    now: crate::corpus::NOW.to_owned(),
                    run: Json::Null,
                    policy: Json::Null,
                };
                let mut input = review.input();
                input["tune"] = json!({"workload": machine["workload"], "connections": machine["connections"]});
                questions.push((machine.to_string(), "walguard.tune.proposal", input));
            }
        }
    }
    for name in &disks {
        for (size, cpu) in [(None, "1"), (Some("100Gi"), "4"), (Some("1500Gi"), "16"), (Some("20Ti"), "96")] {
            let mut volume = json!({"disk": name});
            if let Some(size) = size {
                volume["size"] = size.into();
            }
            let spec = json!({"cpu": cpu, "volumes": {"data": volume}});
            let object = json!({"apiVersion": "walguard.dev/v1", "kind": "PostgresServer", "metadata": {"name": "disk"}, "spec": spec});
            let input = json!({"review": {"object": object}});
            questions.push((spec.to_string(), "walguard.disks.sheet", input));
        }
    }
    let drawn = ["examples/", "rules/checks/memory", "rules/checks/wal", "rules/checks/storage"];
    for (name, review) in reviews.iter().filter(|(name, _)| drawn.iter().any(|area| name.starts_with(area))) {
        questions.push((name.clone(), "walguard.pictures.sheet", review.input()));
        if name.starts_with("examples/") {
            questions.push((name.clone(), "walguard.pictures.rates", review.input()));
            questions.push((name.clone(), "walguard.editor.parameters", review.input()));
            questions.push((name.clone(), "main.judgement", review.input()));
        }
    }
    questions
}

/// Small and large ones for a target, others for each.
fn machines(at: usize, target: &Json, disks: &[Json]) -> Vec<Json> {
    let cpu = ["500m", "1", "2", "4", "8", "16", "32", "64", "128"];
    let memory = ["256Mi", "512Mi", "1Gi", "3Gi", "8Gi", "31Gi", "64Gi", "250Gi", "1Ti"];
    let sizes = ["1Gi", "5Gi", "10Gi", "20Gi", "50Gi", "100Gi", "500Gi", "2Ti", "16Ti"];
    let pick = |list: &[&str], n: usize| Json::from(list[n % list.len()]);
    let machine = |n: usize| {
        let seed = 7 * at + n;
        let mut machine = json!({
            "target": target,
            "version": (12 + seed % 7).to_string(),
            "cpu": pick(&cpu, n),
            "memory": pick(&memory, n + at % 3),
            "workload": pick(&["oltp", "web", "dw", "mixed"], seed),
            "data": {"size": pick(&sizes, n + at % 2), "disk": disks[seed * 5 % disks.len()]},
        });
        if seed.is_multiple_of(3) {
            machine["wal"] =
                json!({"size": pick(&sizes, n + 7), "disk": disks[seed * 3 % disks.len()], "filesystem": "xfs"});
        }
        if seed % 4 == 1 {
            machine["connections"] = json!([10, 100, 499, 500, 5000][seed % 5]);
        }
        machine
    };
    (0..9).map(machine).collect()
}
