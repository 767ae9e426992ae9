//! The field paths that the adapters of operators read, taken from their Rego and looked up in the schemas of the CRDs
//! (not part of the project: `crds/` in the directory that `WALGUARD_SHARED` names; what is not there is skipped by name). Nothing
//! declares the paths, so nothing can be forgotten: every path literal that an adapter passes to an accessor is one.
//!
//! A path from the root (`["spec", …]`, `.status.…`) must exist in a kind of the operator. What is read from a part of a resource
//! (`get.string(plugin, "name")`) must exist somewhere in them. A variable stands for any key or index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use walguard_engine::{Catalogue, Role};

use crate::{annotations, root};

/// A path of literals; None for what is only known when the rule runs.
type Keys = Vec<Option<String>>;

/// Keys that no schema names: of every kind's metadata, of a ConfigMap, and of maps of text – the parameters of the Barman plugin and of connections,
/// the sections of pgBouncer.ini and pgbackrest.conf, what the plugin says of a backup, Patroni's dynamic configuration.
const UNTYPED: [&str; 22] = [
    "metadata",
    "data",
    "binaryData",
    "barmanObjectName",
    "auth_hba_file",
    "auth_type",
    "default_pool_size",
    "ignore_startup_parameters",
    "max_client_conn",
    "track_extra_parameters",
    "backup-standby",
    "clusterUID",
    "pg_hba",
    "retry_timeout",
    "slots",
    "synchronous_mode",
    "synchronous_mode_strict",
    "basebackup",
    "cmd",
    "connect_query",
    "recovery-option",
    "shared_preload_libraries",
];

/// Files of adapters that read other resources than those of the operator's CRDs, with the reason.
const PLAIN: [(&str, &str); 2] =
    [("workload", "kinds of Kubernetes itself"), ("server", "a document of walguard's own")];

/// Fields of kinds whose CRDs are not at hand, Percona's first generation (pg.percona.com); one that Crunchy's instances and Zalando's
/// resources do not have, which walguard.lib.machine wants a path for; and one of Crunchy's that Percona's resource, read by the same
/// library, does not have; fields of CloudNativePG's Database, of the Service in a template, of cert-manager's Certificate, of ExternalSecrets, of
/// the Stanza of Dalibo's plugin and of Services; a variable of Zalando's pods; what Patroni reads of a section without a
/// schema; of the operators' own Deployment and of StorageClass; and fields of the model. A path with dots is that path alone.
const ELSEWHERE: [(&str, &str); 125] = [
    // Secrets, and PgBouncer's own settings.
    ("crunchy", "client_tls_sslmode"),
    ("crunchy", "logfile"),
    ("crunchy", "max_prepared_statements"),
    ("crunchy", "pg-version-force"),
    ("crunchy", "pool_mode"),
    ("crunchy", "sops"),
    ("crunchy", "stringData"),
    ("percona", "pg-version-force"),
    ("percona", "client_tls_sslmode"),
    ("percona", "max_prepared_statements"),
    ("percona", "pool_mode"),
    ("percona", "sops"),
    ("percona", "stringData"),
    // Patroni's own section.
    ("crunchy", "recovery_conf"),
    ("percona", "recovery_conf"),
    // In any case, as encoding/json takes them.
    ("kubeblocks", "templateref"),
    ("kubeblocks", "unmanagedupdates"),
    ("kubeblocks", "userconfigtemplates"),
    ("percona", "pgPrimary"),
    ("percona", "pgReplicas"),
    ("percona", "volumeSpec"),
    ("percona", "storageclass"),
    ("percona", "nodeSelector"),
    ("crunchy", "nodeSelector"),
    ("zalando", "nodeSelector"),
    ("percona", "disableDefaultPodScheduling"),
    ("percona", "customconfig"),
    ("percona", "unread"),
    ("percona", "storages"),
    ("percona", "endpointUrl"),
    ("percona", "verifyTLS"),
    ("percona", "spec.pgBouncer"),
    ("percona", "exposePostgresUser"),
    ("percona", "tasktype"),
    ("percona", "backrest-restore-from-cluster"),
    ("percona", "backrest-restore-opts"),
    ("percona", "backrest-storage-type"),
    ("stackgres", "callbacks"),
    ("stackgres", "postgresql"),
    ("zalando", "WAL_BUCKET_SCOPE_SUFFIX"),
    ("cnpg", "spec.extensions"),
    ("cnpg", "spec.name"),
    ("cnpg", "spec.selector"),
    ("cnpg", "spec.selector.postgresql"),
    ("cnpg", "spec.secretName"),
    ("cnpg", "spec.selector.cnpg.io/cluster"),
    // A Certificate of cert-manager.
    ("crunchy", "spec.commonName"),
    ("crunchy", "spec.secretName"),
    ("percona", "spec.commonName"),
    ("percona", "spec.secretName"),
    // Annotations, options of pgBackRest and of Patroni.
    ("cnpg", "linkerd.io/inject"),
    ("crunchy", "compress-type"),
    ("crunchy", "exclude"),
    ("crunchy", "maximum_lag_on_failover"),
    ("percona", "compress-type"),
    ("percona", "exclude"),
    ("percona", "maximum_lag_on_failover"),
    // What one of the two calls so and the other otherwise, and a PerconaPGRestore.
    ("crunchy", "pause"),
    ("crunchy", "spec.expose"),
    ("crunchy", "spec.exposeReplicas"),
    ("crunchy", "spec.options"),
    ("crunchy", "spec.proxy.pgBouncer.expose"),
    ("percona", "instrumentation"),
    ("percona", "postGISVersion"),
    ("percona", "spec.proxy.pgBouncer.service"),
    ("percona", "shutdown"),
    ("percona", "spec.replicaService"),
    ("percona", "spec.service"),
    ("percona", "spec.userInterface.pgAdmin"),
    ("percona", "spec.userInterface.pgAdmin.service"),
    // Of a volume, which the schema takes as it is.
    ("zalando", "defaultMode"),
    ("zalando", "items"),
    ("zalando", "secret"),
    // Of a HorizontalPodAutoscaler.
    ("cnpg", "spec.scaleTargetRef.kind"),
    ("cnpg", "spec.scaleTargetRef.name"),
    ("crunchy", "spec.template.spec.containers"),
    ("percona", "spec.template.spec.containers"),
    // Of Flux's HelmRelease.
    ("cnpg", "spec.chart.spec"),
    ("cnpg", "chart"),
    ("percona", "pgmonitor"),
    ("percona", "lost"),
    ("cnpg", "provisioner"),
    ("zalando", "provisioner"),
    ("zalando", "reclaimPolicy"),
    ("cnpg", "spec.dnsNames"),
    ("cnpg", "spec.secretStoreRef.name"),
    ("cnpg", "spec.stanzaConfiguration.name"),
    ("cnpg", "spec.stanzaConfiguration.s3Repositories"),
    ("cnpg", "spec.target.name"),
    // Of Flux's Kustomization, of ExternalSecrets and SealedSecrets, of Argo CD's Application and its settings, of claims and StorageClasses.
    ("cnpg", "spec.postBuild"),
    ("cnpg", "spec.target.template.data"),
    ("cnpg", "spec.template.data"),
    ("zalando", "spec.target.name"),
    ("zalando", "spec.template.metadata.name"),
    ("zalando", "spec.destination.namespace"),
    ("zalando", "spec.syncPolicy.automated.prune"),
    ("zalando", "application.instanceLabelKey"),
    ("kubeblocks", "spec.storageClassName"),
    ("kubeblocks", "allowVolumeExpansion"),
    // A field of the model, a parameter of pg_cron, and the database that it has by default.
    ("cnpg", "resource.kind"),
    ("crunchy", "cron.database_name"),
    ("crunchy", "postgres"),
    ("percona", "cron.database_name"),
    // In case that a later release has it.
    ("cnpg", "spec.cluster.namespace"),
    ("cnpg", "bucket"),
    ("cnpg", "endpoint"),
    ("cnpg", "repoPath"),
    ("crunchy", "spec.ports"),
    ("crunchy", "number"),
    ("percona", "spec.ports"),
    ("percona", "number"),
    // Of a PerconaPGRestore, which the library of both reads.
    ("crunchy", "spec.pgCluster"),
    ("crunchy", "status.state"),
    ("crunchy", "spec.repoName"),
    // Fields that one of the two has.
    ("crunchy", "spec.secrets"),
    ("crunchy", "pmm.enabled"),
    ("crunchy", "secrets.customRootCATLSSecret"),
    ("crunchy", "spec.pmm.secret"),
    ("crunchy", "spec.secrets.customRootCATLSSecret"),
    ("crunchy", "crVersion"),
    ("crunchy", "pmm.secret"),
    // A parameter in Patroni's dynamic configuration.
    ("percona", "wal_level"),
    ("percona", "status.patroni.systemIdentifier"),
    // Of JSON in a ConfigMap.
    ("polardb", "value"),
    ("zalando", "AWS_ENDPOINT"),
];

/// The paths in a module: from the root, and from somewhere.
#[derive(Debug, Default, PartialEq, Eq)]
struct Read {
    rooted: BTreeSet<Keys>,
    relative: BTreeSet<Keys>,
}

/// Reads the path literals of a module.
fn paths(source: &str) -> Read {
    let mut read = Read::default();
    let source: String =
        source.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join("\n");
    let mut rest = source.as_str();
    // Arrays that begin at the root, wherever they stand.
    while let Some(at) = rest.find('[') {
        rest = &rest[at + 1..];
        if let Some(keys) = array(rest)
            && matches!(keys.first(), Some(Some(first)) if first == "spec" || first == "status")
        {
            read.rooted.insert(keys);
        }
    }
    // What accessors are given.
    for function in ["get.", "object.get(", "shared.", "array.concat("] {
        for (at, _) in source.match_indices(function) {
            let Some(open) = source[at..].find('(') else { continue };
            if !source[at..at + open].chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_')) {
                continue;
            }
            for (position, argument) in arguments(&source[at + open + 1..]).into_iter().enumerate() {
                let argument = argument.trim();
                let second = position == 1 && function != "shared." && function != "array.concat(";
                let keys = match argument.strip_prefix('[') {
                    Some(inside) => array(inside).filter(|_| position == 1),
                    None if second => literal(argument).map(|key| vec![Some(key)]),
                    None => None,
                };
                match keys {
                    Some(keys) if matches!(keys.first(), Some(Some(first)) if first == "spec" || first == "status") => {
                    }
                    Some(keys) if keys.iter().any(Option::is_some) => {
                        read.relative.insert(keys);
                    }
                    _ => {}
                }
            }
        }
    }
    // Plain references: o.spec.clone, other.status.x.
    for start in [".spec.", ".status."] {
        for (at, _) in source.match_indices(start) {
            let end = source[at + 1..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
            let text = end.map_or(&source[at + 1..], |end| &source[at + 1..at + 1 + end]);
            read.rooted.insert(text.split('.').map(|key| Some(key.to_owned())).collect());
        }
    }
    read
}

/// The elements of an array literal whose opening bracket was read; None for an empty one, and for what is no path.
fn array(inside: &str) -> Option<Keys> {
    let mut keys = Keys::new();
    for element in arguments_until(inside, ']')? {
        let element = element.trim();
        if element.is_empty() {
            continue;
        }
        match literal(element) {
            Some(key) => keys.push(Some(key)),
            None if element.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) => keys.push(None),
            None => return None,
        }
    }
    (!keys.is_empty()).then_some(keys)
}

fn literal(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains(['"', '\\'])).then(|| inside.to_owned())
}

fn arguments(inside: &str) -> Vec<&str> {
    arguments_until(inside, ')').unwrap_or_default()
}

/// The parts of a list up to its closing bracket, cut at its commas.
fn arguments_until(inside: &str, close: char) -> Option<Vec<&str>> {
    let (mut depth, mut start, mut quoted, mut escaped) = (0, 0, false, false);
    let mut parts = Vec::new();
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            _ if depth == 0 && c == close => {
                parts.push(&inside[start..at]);
                return Some(parts);
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// Where a key leads from a node of a schema; `maps`: also any key of a map.
fn step<'s>(node: &'s Json, key: Option<&str>, maps: bool) -> Vec<&'s Json> {
    let properties = node.get("properties").and_then(Json::as_object);
    let mut next = Vec::new();
    match key {
        Some(key) => next.extend(properties.and_then(|properties| properties.get(key))),
        None => {
            next.extend(properties.into_iter().flat_map(|properties| properties.values()));
            next.extend(node.get("items"));
        }
    }
    if maps || key.is_none() {
        next.extend(node.get("additionalProperties").filter(|schema| schema.is_object() || **schema == true));
    }
    next
}

/// A node below which a schema says nothing.
fn open(node: &Json) -> bool {
    node.get("x-kubernetes-preserve-unknown-fields") == Some(&Json::Bool(true)) || *node == true
}

/// Whether a path from the root leads somewhere.
fn leads(node: &Json, keys: &[Option<String>]) -> bool {
    match keys.split_first() {
        None => true,
        Some(_) if open(node) => true,
        Some((key, rest)) => step(node, key.as_deref(), true).into_iter().any(|next| leads(next, rest)),
    }
}

/// Whether a path leads on from somewhere in a schema. Its first key is one that the schema names – any key is somewhere in a map –
/// and what follows may be a key of a map.
fn somewhere(node: &Json, keys: &[Option<String>]) -> bool {
    let Some((key, rest)) = keys.split_first() else { return true };
    step(node, key.as_deref(), false).into_iter().any(|next| leads(next, rest))
        || step(node, None, true).into_iter().any(|next| somewhere(next, keys))
}

/// The schemas of every served version, by "group/Kind".
fn schemas(directory: &Path) -> BTreeMap<String, Vec<Json>> {
    use serde::Deserialize as _;
    let mut found: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml") {
                let text = fs::read_to_string(&path).unwrap();
                for document in yaml_serde::Deserializer::from_str(&text) {
                    let Ok(crd) = Json::deserialize(document) else { continue };
                    let text = |pointer: &str| crd.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
                    let kind = format!("{}/{}", text("/spec/group"), text("/spec/names/kind"));
                    for version in crd.pointer("/spec/versions").and_then(Json::as_array).into_iter().flatten() {
                        found
                            .entry(kind.clone())
                            .or_default()
                            .extend(version.pointer("/schema/openAPIV3Schema").cloned());
                    }
                }
            }
        }
    }
    found
}

/// The modules of an operator that read its resources: without tests, and without the skeleton, which writes one for a machine.
fn modules(root: &Path, operator: &str) -> Vec<String> {
    let mut files = annotations::rego_files(&root.join("rules/operators").join(operator)).unwrap();
    files.retain(|file| !file.components().any(|part| part.as_os_str() == "skeleton"));
    let source: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    // What Crunchy and Percona have in common.
    let shared = root.join("rules/lib").join(operator);
    if shared.is_dir() {
        files.extend(annotations::rego_files(&shared).unwrap());
    }
    if source.contains("import data.walguard.lib.crunchy") {
        files.extend(annotations::rego_files(&root.join("rules/lib/crunchy")).unwrap());
    }
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// The schemas of the kinds that an operator's METADATA names; the names of those that are not there.
fn of_operator<'s>(
    catalogue: &Catalogue,
    operator: &str,
    schemas: &'s BTreeMap<String, Vec<Json>>,
) -> (Vec<&'s Json>, Vec<String>) {
    let mut found = Vec::new();
    let mut missing = Vec::new();
    for kind in catalogue.kinds.iter().filter(|kind| kind.operator == operator && kind.contains.is_empty()) {
        let name = format!("{}/{}", kind.group, kind.kind);
        match schemas.get(&name) {
            Some(schemas) => found.extend(schemas),
            None if kind.role == Role::Support && kind.group.ends_with("k8s.io") => {}
            None => missing.push(name),
        }
    }
    (found, missing)
}

#[test]
fn every_path_that_an_adapter_reads_is_in_the_schema() {
    let root = root().unwrap();
    let Some(shared) = std::env::var_os("WALGUARD_SHARED") else {
        eprintln!("skipped: WALGUARD_SHARED names no directory with the operators' CRDs");
        return;
    };
    let directory = Path::new(&shared).join("crds");
    let schemas = schemas(&directory);
    let catalogue = annotations::catalogue(&root).unwrap();
    let operators: BTreeSet<&str> = catalogue.kinds.iter().map(|kind| kind.operator.as_str()).collect();
    let mut wrong = Vec::new();
    for operator in operators {
        if !root.join("rules/operators").join(operator).is_dir() {
            continue;
        }
        if let Some((_, reason)) = PLAIN.iter().find(|(plain, _)| *plain == operator) {
            eprintln!("{operator}: skipped, {reason}");
            continue;
        }
        let (kinds, missing) = of_operator(&catalogue, operator, &schemas);
        let mut read = Read::default();
        for source in modules(&root, operator) {
            let more = paths(&source);
            read.rooted.extend(more.rooted);
            read.relative.extend(more.relative);
        }
        let elsewhere = |keys: &Keys| {
            let path = keys.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(".");
            let named = |key: &str| path == key || keys.iter().flatten().any(|k| k == key);
            ELSEWHERE.iter().any(|(whose, key)| *whose == operator && named(key))
        };
        for keys in read.rooted.iter().filter(|keys| !elsewhere(keys)) {
            if !kinds.iter().any(|kind| leads(kind, keys)) {
                wrong.push(format!("{operator}: {keys:?} is in no schema"));
            }
        }
        for keys in read.relative.iter().filter(|keys| !elsewhere(keys)) {
            let untyped = keys.iter().flatten().any(|key| UNTYPED.contains(&key.as_str()));
            if !untyped && !kinds.iter().any(|kind| somewhere(kind, keys)) {
                wrong.push(format!("{operator}: {keys:?} is nowhere in a schema"));
            }
        }
        let skipped =
            if missing.is_empty() { String::new() } else { format!("; no schema here of {}", missing.join(", ")) };
        eprintln!("{operator}: {} paths from the root, {} from below{skipped}", read.rooted.len(), read.relative.len());
        assert!(!read.rooted.is_empty(), "{operator} reads nothing");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn path_literals_are_found() {
    let key = |key: &str| Some(key.to_owned());
    let read = paths(
        "# get.string(o, \"comment\")\nsize := get.text_at(spec, [\"volume\", \"size\"])\nat := [\"spec\", \"env\", i, \"value\"]\n\
         a := object.get(o, \"x\", {\"y\": [\"z\"]})\nb := other.spec.clone\nc := {\"on\", \"off\"}\nd := [\"restart\", \"stop\"]\n\
         e := array.concat(path, [\"pvc\", name])\nf := get.map(get.map(o, \"outer\"), \"inner\")\n",
    );
    assert_eq!(
        read.rooted,
        BTreeSet::from([vec![key("spec"), key("env"), None, key("value")], vec![key("spec"), key("clone")]])
    );
    assert_eq!(
        read.relative,
        BTreeSet::from([
            vec![key("volume"), key("size")],
            vec![key("x")],
            vec![key("pvc"), None],
            vec![key("outer")],
            vec![key("inner")],
        ])
    );
}

#[test]
fn paths_that_no_schema_has_are_wrong() {
    let schema = serde_json::json!({"properties": {"spec": {"properties": {
        "list": {"items": {"properties": {"name": {}}}},
        "map": {"additionalProperties": {"properties": {"size": {}}}},
        "any": {"x-kubernetes-preserve-unknown-fields": true},
    }}}});
    let keys = |text: &str| -> Keys { text.split('.').map(|key| (key != "_").then(|| key.to_owned())).collect() };
    for right in ["spec.list._.name", "spec.map.x.size", "spec.any.what.ever", "spec._._.name"] {
        assert!(leads(&schema, &keys(right)), "{right}");
    }
    for wrong in ["spec.lists", "spec.list._.nam", "spec.map.x.sizes", "status"] {
        assert!(!leads(&schema, &keys(wrong)), "{wrong}");
    }
    for right in ["name", "list._", "map.x.size", "any.what.ever"] {
        assert!(somewhere(&schema, &keys(right)), "{right}");
    }
    for wrong in ["ever", "x.size", "map.x.sizes"] {
        assert!(!somewhere(&schema, &keys(wrong)), "{wrong}");
    }
}
