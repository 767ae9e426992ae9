//! What Kubewarden and Artifact Hub are told of the policy in `policies/kubewarden`.

use std::fmt::Write as _;

use walguard_engine::{Catalogue, Kind};

use crate::chart;

const HEADING: &str = "# Generated from the METADATA of rules/ by \"make generate\". Do not edit.\n";
const URL: &str = env!("CARGO_PKG_REPOSITORY");
const TITLE: &str = "walguard";
const DESCRIPTION: &str = "Keeps badly tuned and unsafe PostgreSQL clusters from reaching Kubernetes";
const KEYWORDS: [&str; 5] = ["postgresql", "kubewarden", "policy", "cloudnative-pg", "kubeblocks"];
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// When this version was made; Artifact Hub wants to know.
const CREATED_AT: &str = "2026-11-21T00:00:00Z";

/// `policies/kubewarden/metadata.yml`, which `kwctl annotate` writes into the module.
pub fn metadata(catalogue: &Catalogue) -> String {
    let mut text = String::from(HEADING);
    let _ = write!(
        text,
        "rules:\n{}mutating: false\ncontextAwareResources:\n{}executionMode: kubewarden-wapc\npolicyType: kubernetes\n\
         # What is compared with an old object (storage that shrinks) is not seen by a scan.\nbackgroundAudit: true\nannotations:\n",
        rules(catalogue),
        context_aware(catalogue)
    );
    for (name, value) in [
        ("io.artifacthub.displayName", TITLE),
        ("io.artifacthub.resources", &resources(catalogue)),
        ("io.artifacthub.keywords", &KEYWORDS.join(", ")),
        ("io.kubewarden.policy.title", TITLE),
        ("io.kubewarden.policy.version", VERSION),
        ("io.kubewarden.policy.description", DESCRIPTION),
        ("io.kubewarden.policy.author", "walguard"),
        ("io.kubewarden.policy.url", URL),
        ("io.kubewarden.policy.source", &format!("{URL}/tree/main/policies/kubewarden")),
        ("io.kubewarden.policy.license", "Apache-2.0"),
        ("io.kubewarden.policy.severity", "high"),
        ("io.kubewarden.policy.category", "PostgreSQL"),
    ] {
        let _ = writeln!(text, "  {name}: {value:?}");
    }
    text
}

/// `policies/kubewarden/artifacthub-pkg.yml`.
pub fn artifact_hub(catalogue: &Catalogue) -> String {
    let mut text = String::from(HEADING);
    let _ = write!(
        text,
        "version: {VERSION}\nname: {TITLE}\ndisplayName: {TITLE}\ncreatedAt: {CREATED_AT:?}\ndescription: {DESCRIPTION:?}\n\
         license: Apache-2.0\nhomeURL: {URL}\nkeywords: [{}]\nlinks:\n  - name: source\n    url: {URL}/tree/main/policies/kubewarden\n\
         install: |\n  The module is built with `make kubewarden-policy`; policies/kubewarden/README.md says how it is published and installed.\n\
         maintainers:\n  - name: walguard\n    email: walguard@users.noreply.github.com\nprovider:\n  name: walguard\n\
         recommendations:\n  - url: https://artifacthub.io/packages/helm/kubewarden/kubewarden-controller\nannotations:\n",
        chart::quoted(KEYWORDS)
    );
    for (name, body) in
        [("kubewarden/rules", rules(catalogue)), ("kubewarden/contextAwareResources", context_aware(catalogue))]
    {
        let _ = writeln!(text, "  {name}: |\n    {}", body.trim_end().replace('\n', "\n    "));
    }
    let _ = writeln!(text, "  kubewarden/mutation: \"false\"\n  kubewarden/resources: {:?}", resources(catalogue));
    text
}

/// The custom resources of operators. Kinds that are mostly something else are judged too where a rule is added for them.
fn judged(catalogue: &Catalogue) -> Vec<&Kind> {
    catalogue.kinds.iter().filter(|kind| kind.served && kind.judged() && kind.contains.is_empty()).collect()
}

/// Those, and what clusters depend on: a change of it is judged by what becomes of them.
fn rules(catalogue: &Catalogue) -> String {
    let support = |kind: &&Kind| kind.served && kind.depended_on();
    let support: Vec<&Kind> = catalogue.kinds.iter().filter(support).collect();
    let own = chart::webhook_rules(&judged(catalogue), "CREATE, UPDATE");
    // Kubewarden's rules have no scope.
    (own + &chart::webhook_rules(&support, "CREATE, UPDATE, DELETE"))
        .replace("  scope: Namespaced\n", "")
        .replace("  scope: Cluster\n", "")
}

fn resources(catalogue: &Catalogue) -> String {
    let mut kinds: Vec<&str> = judged(catalogue).iter().map(|kind| kind.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.join(", ")
}

/// What the policy asks the policy server for, and so what its user must grant.
fn context_aware(catalogue: &Catalogue) -> String {
    let looked_up = catalogue.inventoried().chain(catalogue.kinds.iter().filter(|kind| kind.named.is_some()));
    let mut lines = Vec::new();
    for kind in looked_up {
        for api_version in kind.api_versions() {
            let line = format!("  - {{apiVersion: {api_version}, kind: {}}}\n", kind.kind);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines.concat()
}
