//! Pages that follow from the METADATA.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value as Json;
use walguard_engine::{Catalogue, Check, formula};

use crate::annotations;

/// The documents that the checks' `sources` speak of: key, what it is. Measurements, each on its own hardware.
const SOURCES: [(&str, &str); 5] = [
    (
        "S0",
        "KubeBlocks, \"A testing report for optimizing PG performance on Kubernetes\": ESSD under 16 cores, WAL zero-filling, ext4, XFS and ZFS",
    ),
    (
        "S1",
        "digoal, Alibaba Cloud, \"Why Does PolarDB Solve the Performance Problem of FPW?\": full page writes on and off under frequent checkpoints",
    ),
    ("S2", "Postgres Professional with Selectel: PostgreSQL distributions on several architectures (in Russian)"),
    (
        "S3",
        "云猿生聊技术, \"PostgreSQL@K8s 性能优化记\": the Chinese original of S0, which the translation alters in places",
    ),
    (
        "S4",
        "apposha, \"Taming Performance Variability in PostgreSQL\": checkpoints, vacuum and tail latency on PostgreSQL 11",
    ),
];

/// `docs/checks.md`.
pub fn checks(root: &Path, catalogue: &Catalogue) -> Result<String> {
    let mut text = table(catalogue)?;
    for (id, check) in &catalogue.checks {
        write_check(&mut text, root, catalogue, id, check)?;
    }
    text.push_str(&sources());
    Ok(text)
}

/// The page of the site that lists the checks; each has one of its own there.
pub fn index(catalogue: &Catalogue) -> Result<String> {
    Ok(table(catalogue)? + &sources())
}

/// The page of a check.
pub fn page(root: &Path, catalogue: &Catalogue, id: &str, check: &Check) -> Result<String> {
    let mut text = String::new();
    write_check(&mut text, root, catalogue, id, check)?;
    Ok(text.replacen("\n## ", "# ", 1))
}

fn table(catalogue: &Catalogue) -> Result<String> {
    let mut text = String::from(
        "<!-- Generated from the METADATA of rules/checks by \"make generate\". Do not edit. -->\n# Checks\n\n\
         `error`: data loss, corruption, or a server that will not start. `warning`: an outage or a stall under load. `info`: advice.\n\
         Every check can be switched off, or given another severity and settings, in `walguard.yaml`.\n\n\
         | check | severity | finds |\n|---|---|---|\n",
    );
    for (id, check) in &catalogue.checks {
        writeln!(text, "| [{id}](#{}) | {} | {} |", anchor(id), check.severity, check.title)?;
    }
    Ok(text)
}

fn sources() -> String {
    let mut text = String::from(
        "\n## Sources\n\nBesides the documentation and the source of PostgreSQL, the operators and the storage vendors, which each check \
         links, figures come from:\n\n",
    );
    for (key, what) in SOURCES {
        let _ = writeln!(text, "- **{key}** {what}.");
    }
    text
}

/// The heading of a check on the page of all.
pub fn anchor(id: &str) -> String {
    id.replace('/', "")
}

fn write_check(text: &mut String, root: &Path, catalogue: &Catalogue, id: &str, check: &Check) -> Result<()> {
    write!(
        text,
        "\n## {id}\n\n**{}** ({}, since {})\n\n{}\n",
        check.title, check.severity, check.since, check.description
    )?;
    write!(text, "\n**What to do.** {}\n", check.remediation)?;
    if !check.settings.is_empty() {
        text.push_str("\n| setting | default | meaning |\n|---|---|---|\n");
        for (name, setting) in &check.settings {
            writeln!(text, "| `{name}` | {} | {} |", setting.default, setting.description)?;
        }
    }
    if !check.formulas.is_empty() {
        text.push_str("\nThe arithmetic, as `walguard lint --explain` fills it in:\n\n```\n");
        for formula in &check.formulas {
            writeln!(text, "{}", formula::in_words(formula))?;
        }
        text.push_str("```\n");
    }
    let change = root.join("rules/checks").join(id).join("before.yaml").exists();
    let labels = if change {
        ["The object before the change", "A change it finds fault with", "A healthy one"]
    } else {
        ["", "A manifest it finds fault with", "The same, healthy"]
    };
    for (file, label) in ["before.yaml", "fail.yaml", "pass.yaml"].into_iter().zip(labels) {
        if let Ok(yaml) = fs::read_to_string(root.join("rules/checks").join(id).join(file)) {
            let yaml = yaml.trim_end();
            write!(text, "\n<details><summary>{label}</summary>\n\n```yaml\n{yaml}\n```\n\n</details>\n")?;
        }
    }
    write_tables(text, catalogue, check)?;
    if !check.sources.is_empty() {
        write!(text, "\nFigures from: {}.\n", check.sources.join(", "))?;
    }
    if !check.related_resources.is_empty() {
        text.push_str("\nRead more: ");
        let links: Vec<String> = check.related_resources.iter().map(|url| format!("<{url}>")).collect();
        writeln!(text, "{}", links.join(", "))?;
    }
    if !check.shown_by.is_empty() {
        text.push_str("\nShown on real servers by [tests/postgres](../tests/postgres):\n\n");
        for shown in &check.shown_by {
            writeln!(text, "- {} (`run claims {}`)", shown.claim, shown.test)?;
        }
    }
    Ok(())
}

/// The tables that a check rests on, and which of them are old beside the others: no clock, so that the page follows from the rules alone.
fn write_tables(text: &mut String, catalogue: &Catalogue, check: &Check) -> std::fmt::Result {
    let today = catalogue.tables.iter().map(|table| &*table.newest).max().unwrap_or_default();
    for table in catalogue.tables.iter().filter(|table| check.tables.contains(&table.name)) {
        write!(
            text,
            "\nRests on [{}](../rules/{}.json), last compared with its sources on {}.",
            table.title, table.name, table.newest
        )?;
        if table.older_than_a_year(today) {
            text.push_str(" **That is more than a year ago: compare it before you rely on this check.**");
        }
        text.push('\n');
    }
    Ok(())
}

/// `docs/storage.md`: the vendors, from the METADATA of `rules/storage/*`.
pub fn storage(root: &Path) -> Result<String> {
    let mut text = String::from(
        "<!-- Generated from the METADATA of rules/storage by \"make generate\". Do not edit. -->\n# Storage vendors\n\n\
         | vendor | what is known | provisioners |\n|---|---|---|\n",
    );
    let mut disks = BTreeMap::new();
    let directory = root.join("rules/storage");
    if !directory.exists() {
        return Ok(text);
    }
    for path in annotations::rego_files(&directory)? {
        let Some(annotations) = annotations::read(&path)? else { continue };
        let provisioners: Vec<String> = annotations
            .custom
            .get("provisioners")
            .and_then(yaml_serde::Value::as_sequence)
            .map(|list| list.iter().filter_map(yaml_serde::Value::as_str).map(|p| format!("`{p}`")).collect())
            .unwrap_or_default();
        let description = annotations.description.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(text, "| {} | {description} | {} |", annotations.title, provisioners.join(", "))?;
        let vendor = path.file_stem().unwrap_or_default().to_string_lossy();
        disks.extend(self::disks(root, &vendor, &annotations.custom)?);
    }
    text.push_str(
        "\n## Disks by name\n\n`walguard disk NAME` compares the sizes of one, `walguard disk NAME:SIZE --cpu 16` says whether it is enough; \
         `walguard lint --disk NAME:SIZE` checks a server outside Kubernetes with it ([servers.md](servers.md)).\n\n| name | disk | parameters of a StorageClass |\n|---|---|---|\n",
    );
    for (name, profile) in disks {
        let title = profile["title"].as_str().unwrap_or_default();
        let select = profile["select"].as_object().into_iter().flatten();
        let parameters: Vec<String> =
            select.map(|(key, value)| format!("`{key}: {}`", value.as_str().unwrap_or_default())).collect();
        writeln!(text, "| `{name}` | {title} | {} |", parameters.join(", "))?;
    }
    text.push_str(MEASURED);
    Ok(text)
}

/// What to do with a disk that no table knows, or that gives less than its table says.
const MEASURED: &str = r"
## Measured figures

The tables hold what vendors promise. `walguard disk --fio FILE` takes what [fio](https://fio.readthedocs.io) measured on the volume instead, with or without
the name of a disk. Measure on an empty volume of the class and size that the cluster will have, and in no production environment:

```sh
fio --name=wal --directory=/data --size=8G --direct=1 --ioengine=libaio --rw=write --bs=256k --iodepth=16 \
  --time_based --runtime=600 --output-format=json --output=result.json
walguard disk aws-gp3:300Gi --cpu 16 --fio result.json
```

Jobs that ran together are added up; of several groups (`stonewall`) the best throughput and the most IOPS count. Writing counts; reading only where nothing
was written. The job of `kubectl cnpg fio` reads blocks of 8 KiB for a minute and keeps logs instead of JSON, which its pod serves once it is ready:

```sh
kubectl cnpg fio volume-test -n staging --storageClass fast --pvcSize 300Gi
kubectl port-forward -n staging deployment/volume-test 8000
curl --remote-name-all http://localhost:8000/read_bw.1.log http://localhost:8000/read_iops.1.log
walguard disk --cpu 16 --fio read_bw.1.log --fio read_iops.1.log
```

`walguard disk` says where such figures mislead: reading instead of writing, the page cache, small blocks, a short run.
";

/// The disks of a vendor by the names that people give them, as its table describes them: what its METADATA calls `prefix`, and the
/// id of the profile without what every id of the vendor begins with.
pub fn disks(root: &Path, vendor: &str, custom: &yaml_serde::Value) -> Result<BTreeMap<String, Json>> {
    let path = root.join(format!("rules/storage/{vendor}/profiles.json"));
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let profiles: BTreeMap<String, Json> = serde_json::from_str(&fs::read_to_string(&path)?)?;
    let prefix = custom.get("prefix").and_then(yaml_serde::Value::as_str);
    let prefix = prefix.with_context(|| format!("{vendor}: a vendor with profiles needs a prefix for their names"))?;
    let name = |id: &str| format!("{prefix}-{}", id.strip_prefix("cloud_").unwrap_or(id).replace('_', "-"));
    Ok(profiles.into_iter().map(|(id, profile)| (name(&id), profile)).collect())
}
