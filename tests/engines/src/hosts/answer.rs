//! What is left of findings in the answer to the API server.

use serde_json::{Map, Value as Json, json};
use walguard_engine::{Catalogue, Finding, Request, answer};

use crate::review::{self, Review};
use crate::verdict::{self, Verdict};

/// The AdmissionReview of a review, when its object says what it is.
pub fn request(review: &Review) -> Option<Json> {
    let given = review.input.get("review")?.as_object()?;
    let object = given.get("object")?;
    let (api_version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let mut request = given.clone();
    request.insert("uid".to_owned(), json!("u"));
    request.insert("kind".to_owned(), json!({"group": group, "version": version, "kind": kind}));
    Some(json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}))
}

/// A review as an API server could ask for it: the object is one, of the kind and the name that it had before, the
/// operation is one of two, names are strings.
pub fn project(review: &Review, keep: &[&str]) -> Option<Review> {
    let input = review.input.as_object()?;
    let given = input.get("review")?.as_object()?;
    let object = given.get("object").filter(|object| object.is_object())?;
    let mut asked = Map::new();
    asked.insert("object".to_owned(), object.clone());
    let old = given.get("oldObject").filter(|old| old.is_object());
    let named = ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name"];
    if old.is_some_and(|old| named.iter().any(|field| old.pointer(field) != object.pointer(field))) {
        return None;
    }
    let operation =
        if old.is_some() && given.get("operation").is_some_and(|o| o == "UPDATE") { "UPDATE" } else { "CREATE" };
    asked.insert("operation".to_owned(), json!(operation));
    if let Some(old) = old {
        asked.insert("oldObject".to_owned(), old.clone());
    }
    if let Some(namespace) = given.get("namespace").filter(|namespace| namespace.is_string()) {
        asked.insert("namespace".to_owned(), namespace.clone());
    }
    let mut projected = Map::from_iter([("review".to_owned(), Json::Object(asked))]);
    for key in keep {
        if let Some(value) = input.get(*key) {
            projected.insert((*key).to_owned(), value.clone());
        }
    }
    answerable(Review { name: review.name.clone(), input: Json::Object(projected) })
}

/// The review, if an API server could ask it: none asks of an object whose kind or name is no text. What becomes of such bodies is
/// tested in webhook/tests/serve.rs.
pub fn answerable(review: Review) -> Option<Review> {
    let text = review::text(&request(&review)?["request"]);
    serde_json::from_str::<Request>(&text).is_ok().then_some(review)
}

/// What an answer tells of the findings.
pub fn read(answer: &Json) -> Verdict {
    let response = &answer["response"];
    if !response["auditAnnotations"]["not-judged"].is_null() || response["allowed"].is_null() {
        return Verdict::Error(answer.to_string());
    }
    said(&response["allowed"], &response["status"]["message"], &response["warnings"], &response["auditAnnotations"])
}

/// What the answer to a review tells when this is the verdict.
pub fn view(review: &Review, verdict: &Verdict, catalogue: &Catalogue) -> Verdict {
    let Verdict::Findings(findings) = verdict else { return verdict.clone() };
    let text = review::text(&request(review).unwrap_or_default()["request"]);
    let findings: Result<Vec<Finding>, _> = findings.iter().cloned().map(serde_json::from_value).collect();
    let (mut findings, subject) = match (findings, serde_json::from_str::<Request>(&text)) {
        (Ok(findings), Ok(request)) => (findings, request.subject()),
        (Err(error), _) | (_, Err(error)) => return Verdict::Error(error.to_string()),
    };
    findings.iter_mut().for_each(|finding| catalogue.complete(finding));
    findings.sort_by(Finding::order);
    let denied = answer::denies(&findings);
    said(
        &json!(!denied),
        &json!(denied.then(|| answer::denial(&subject, &findings, None))),
        &json!(answer::warnings(&findings, None)),
        &json!(answer::audit_annotations(&findings)),
    )
}

/// An answer as the one finding there is; what is empty may be missing in one of two.
fn said(allowed: &Json, message: &Json, warnings: &Json, audit: &Json) -> Verdict {
    let filled = |value: &Json| if *value == json!([]) || *value == json!({}) { Json::Null } else { value.clone() };
    Verdict::Findings(verdict::set([json!({
        "allowed": allowed, "message": message, "warnings": filled(warnings), "audit": filled(audit),
    })]))
}
