//! `walguard lint` against `conftest test` and `gator test`: whole processes, from start to end.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use fastrand::Rng;
use wait4::Wait4 as _;

use crate::Tools;
use crate::measure::{self, Cost};
use crate::table::{Goal, Table};

/// What is drawn is the same in every run.
const SEED: u64 = 20_261_121;
/// Of a hundred documents so many are PostgreSQL clusters.
const CLUSTERS_PERCENT: u32 = 30;
/// A contestant that takes longer than this is measured once.
const LONG: Duration = Duration::from_secs(20);
/// One that takes less than this is run again and again, for [`AGAIN`] in each round: a single run after those of others shows what they left of
/// the caches and of free memory.
const SHORT: Duration = Duration::from_millis(100);
const AGAIN: Duration = Duration::from_secs(1);
/// Where manifests stand that somebody wrote: of this project, unless others are given.
const WRITTEN: [&str; 4] = ["examples", "rules", "tests/incidents", "tests/healthy"];
/// Kinds among them that have no namespace.
const CLUSTER_SCOPED: [&str; 5] =
    ["Namespace", "PersistentVolume", "StorageClass", "VolumeAttributesClass", "VolumeSnapshotClass"];
/// What `gator test` is asked about: it holds everything in memory, and compares each object with all Constraints.
const GATOR_DOCUMENTS: usize = 1000;

/// Measures one file, many documents in one file, a directory of many, and manifests that people wrote.
///
/// # Errors
/// When files cannot be written or a program fails.
pub fn run(tools: &Tools, rounds: u32, files: usize) -> Result<(Table, Vec<Goal>)> {
    let directory = tempfile::tempdir()?;
    let path = directory.path();
    let mut rng = Rng::with_seed(SEED);
    fs::create_dir(path.join("one"))?;
    fs::write(path.join("one/cluster.yaml"), cluster(&mut rng, 0))?;
    fs::create_dir(path.join("stream"))?;
    let documents: Vec<String> = (0..GATOR_DOCUMENTS).map(|index| document(&mut rng, index)).collect();
    fs::write(path.join("stream/all.yaml"), documents.join("---\n"))?;
    let many = path.join("many");
    for index in 0..files {
        // As repositories have them: some dozens in a directory.
        let place = many.join(format!("team-{}", index / 50));
        fs::create_dir_all(&place)?;
        fs::write(place.join(format!("{index}.yaml")), document(&mut rng, index))?;
    }
    let originals = written(tools, &path.join("written"), files)?;
    fs::write(path.join("constraint.yaml"), CONSTRAINT)?;

    let inputs = [
        ("1 file".to_owned(), "one/cluster.yaml", true),
        (format!("{GATOR_DOCUMENTS} documents in a file"), "stream/all.yaml", true),
        (format!("{files} files, {CLUSTERS_PERCENT} % of them of PostgreSQL"), "many", false),
        (format!("{files} files, copies of {originals} that people wrote"), "written", false),
    ];
    let mut table = Table::new(
        "Whole processes: walguard lint | conftest test | gator test",
        &["", "wall", "conftest", "ratio", "gator", "ratio", "CPU", "conftest", "ratio", "memory", "conftest", "gator"],
    );
    let mut goals = Vec::new();
    for (title, input, small) in inputs {
        let mut runs = [Runs::default(), Runs::default(), Runs::default()];
        for _ in 0..rounds {
            let mut walguard = Command::new(&tools.walguard);
            let mut conftest = Command::new(&tools.conftest);
            let mut gator = Command::new(&tools.gator);
            walguard.args(["lint", "--format", "json", input]);
            conftest.arg("test").arg("-p").arg(&tools.rules).args(["-o", "json", input]);
            gator.args(["test", "--output", "json", "--filename"]).arg(&tools.gatekeeper);
            gator.args(["--filename", "constraint.yaml", "--filename", input]);
            let takes_part = [true, true, small];
            let commands = [&mut walguard, &mut conftest, &mut gator];
            for ((command, runs), takes_part) in commands.into_iter().zip(&mut runs).zip(takes_part) {
                let begun = Instant::now();
                while takes_part && !runs.long() {
                    if runs.add(path, command)? > SHORT || begun.elapsed() > AGAIN {
                        break;
                    }
                }
            }
        }
        let [ours, conftest, gator] = &runs;
        table.rows.push(row(&title, ours, conftest, gator));
        goals.extend(self::goals(input, ours, conftest));
    }
    table.notes.push(format!(
        "A contestant that takes more than {} s is measured once, one that takes less than {} ms for {} s in each round. Files that people wrote: {}, each copy in a namespace of its own.",
        LONG.as_secs(),
        SHORT.as_millis(),
        AGAIN.as_secs(),
        match &tools.corpus {
            Some(_) => "samples of the operators".to_owned(),
            None => format!("those below {}", WRITTEN.join(", ")),
        }
    ));
    Ok((table, goals))
}

const CONSTRAINT: &str = "apiVersion: constraints.gatekeeper.sh/v1beta1\nkind: WalguardPostgreSQL\nmetadata:\n  name: all\nspec:\n  match:\n    kinds:\n      - apiGroups: [\"*\"]\n        kinds: [\"*\"]\n";

fn goals(input: &str, ours: &Runs, conftest: &Runs) -> Vec<Goal> {
    let (our_wall, their_wall) = (measure::medians(&ours.costs).wall, measure::medians(&conftest.costs).wall);
    let memory = |runs: &Runs| measure::median(runs.peak_bytes.clone());
    match input {
        "one/cluster.yaml" => vec![Goal {
            what: "one file, from start to end",
            goal: "≤ 10 ms".to_owned(),
            measured: measure::text(our_wall),
            met: our_wall <= Duration::from_millis(10),
        }],
        "written" => {
            let (ratio, part) =
                (their_wall.as_secs_f64() / our_wall.as_secs_f64(), memory(ours) as f64 / memory(conftest) as f64);
            vec![
                Goal {
                    what: "files that people wrote, against conftest",
                    goal: "≥ 30×".to_owned(),
                    measured: measure::times(ratio),
                    met: ratio >= 30.0,
                },
                Goal {
                    what: "memory for them, of conftest's",
                    goal: "≤ 1/3".to_owned(),
                    measured: format!("{:.0} %", 100.0 * part),
                    met: part <= 1.0 / 3.0,
                },
            ]
        }
        _ => Vec::new(),
    }
}

/// Copies of manifests that people wrote, as many as there are to be; says of how many.
fn written(tools: &Tools, into: &Path, files: usize) -> Result<usize> {
    let places = match &tools.corpus {
        Some(corpus) => vec![corpus.clone()],
        None => WRITTEN.iter().map(|place| tools.root.join(place)).collect(),
    };
    let mut originals = Vec::new();
    for place in places {
        collect(&place, &mut originals)?;
    }
    originals.sort();
    // What is no manifest conftest cannot read, or takes for one.
    let texts: Vec<String> =
        originals.iter().filter_map(|path| fs::read_to_string(path).ok()).filter(|text| plain(text)).collect();
    ensure!(!texts.is_empty(), "there are no manifests");
    for index in 0..files {
        let (copy, original) = (index / texts.len(), index % texts.len());
        let place = into.join(format!("copy-{copy}/{}", original / 50));
        fs::create_dir_all(&place)?;
        fs::write(place.join(format!("{original}.yaml")), in_namespace(&texts[original], copy))?;
    }
    Ok(texts.len())
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension() == Some(OsStr::new("yaml")) {
            files.push(path);
        }
    }
    Ok(())
}

/// Manifests and nothing else: no template, no configuration of a tool.
fn plain(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("apiVersion:"))
        && text.lines().any(|line| line.starts_with("kind:"))
        && !text.contains("{{")
}

/// The same objects in another namespace, so that no two copies are one.
fn in_namespace(text: &str, copy: usize) -> String {
    let moved = text.split("\n---\n").map(|document| {
        let kind = document.lines().find_map(|line| line.strip_prefix("kind:")).unwrap_or_default();
        if CLUSTER_SCOPED.contains(&kind.trim()) { document.to_owned() } else { moved(document, copy) }
    });
    moved.collect::<Vec<_>>().join("\n---\n")
}

fn moved(document: &str, copy: usize) -> String {
    let mut lines = Vec::new();
    for line in document.lines() {
        match line.strip_prefix("metadata:").map(str::trim) {
            Some("") => lines.extend([line.to_owned(), format!("  namespace: copy-{copy}")]),
            Some(fields) if fields.starts_with('{') && !fields.contains("namespace:") => {
                lines.push(format!("metadata: {{namespace: copy-{copy}, {}", &fields[1..]));
            }
            _ if line.starts_with("  namespace: ") => {}
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

#[derive(Default)]
struct Runs {
    costs: Vec<Cost>,
    peak_bytes: Vec<u64>,
}

impl Runs {
    /// Whether it takes so long that once is enough.
    fn long(&self) -> bool {
        self.costs.iter().any(|cost| cost.wall > LONG)
    }

    /// One run more, and how long it took.
    fn add(&mut self, directory: &Path, command: &mut Command) -> Result<Duration> {
        let started = Instant::now();
        let child = command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let used = child.wait4()?;
        let wall = started.elapsed();
        // 1 says that there are findings.
        ensure!(matches!(used.status.code(), Some(0 | 1)), "{command:?}: {}", used.status);
        self.costs.push(Cost { wall, cpu: used.rusage.utime + used.rusage.stime });
        self.peak_bytes.push(used.rusage.maxrss);
        Ok(wall)
    }
}

fn row(title: &str, ours: &Runs, conftest: &Runs, gator: &Runs) -> Vec<String> {
    let [our_cost, conftest_cost, gator_cost] = [ours, conftest, gator].map(|runs| measure::medians(&runs.costs));
    let measured = |runs: &Runs, text: String| if runs.costs.is_empty() { "–".to_owned() } else { text };
    let memory = |runs: &Runs| measured(runs, measure::mebibytes(measure::median(runs.peak_bytes.clone())));
    vec![
        title.to_owned(),
        measure::text(our_cost.wall),
        measure::text(conftest_cost.wall),
        measure::ratio(our_cost.wall, conftest_cost.wall),
        measured(gator, measure::text(gator_cost.wall)),
        measured(gator, measure::ratio(our_cost.wall, gator_cost.wall)),
        measure::text(our_cost.cpu),
        measure::text(conftest_cost.cpu),
        measure::ratio(our_cost.cpu, conftest_cost.cpu),
        memory(ours),
        memory(conftest),
        memory(gator),
    ]
}

fn document(rng: &mut Rng, index: usize) -> String {
    if rng.u32(0..100) < CLUSTERS_PERCENT { cluster(rng, index) } else { other(rng, index) }
}

/// A cluster of CloudNativePG, Zalando or Crunchy, healthy or not.
fn cluster(rng: &mut Rng, index: usize) -> String {
    let mut parameters = String::new();
    let operator = rng.u32(0..3);
    let indent = ["      ", "      ", "          "][operator as usize];
    let choices: [(&str, &[&str]); 9] = [
        ("shared_buffers", &["1GB", "4GB", "16GB", "256MB"]),
        ("max_connections", &["100", "200", "500", "2000"]),
        ("max_wal_size", &["4GB", "32GB", "200GB"]),
        ("full_page_writes", &["on", "on", "on", "off"]),
        ("wal_init_zero", &["on", "on", "off"]),
        ("checkpoint_timeout", &["5min", "15min", "30min"]),
        ("work_mem", &["4MB", "64MB"]),
        ("wal_compression", &["lz4", "off"]),
        ("random_page_cost", &["1.1", "4"]),
    ];
    for (name, values) in choices {
        if let Some(value) = rng.choice(values) {
            let _ = writeln!(parameters, "{indent}{name}: \"{value}\"");
        }
    }
    let size = rng.u32(2..200) * 10;
    let instances = rng.u32(1..4);
    let cpu = rng.u32(1..17);
    match operator {
        0 => format!(
            "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata:\n  name: db-{index}\n  namespace: team-{}\nspec:\n  instances: {instances}\n  \
             imageName: ghcr.io/cloudnative-pg/postgresql:17.5\n  postgresql:\n    parameters:\n{parameters}  resources:\n    limits: {{cpu: \"{cpu}\", memory: 32Gi}}\n  \
             storage:\n    size: {size}Gi\n    storageClass: essd\n",
            index / 50,
        ),
        1 => format!(
            "apiVersion: acid.zalan.do/v1\nkind: postgresql\nmetadata:\n  name: acid-db-{index}\n  namespace: team-{}\nspec:\n  teamId: acid\n  numberOfInstances: {instances}\n  \
             postgresql:\n    version: \"17\"\n    parameters:\n{parameters}  volume:\n    size: {size}Gi\n    storageClass: gp3\n  resources:\n    limits: {{cpu: \"{cpu}\", memory: 16Gi}}\n",
            index / 50,
        ),
        _ => format!(
            "apiVersion: postgres-operator.crunchydata.com/v1beta1\nkind: PostgresCluster\nmetadata:\n  name: db-{index}\n  namespace: team-{}\nspec:\n  postgresVersion: 17\n  \
             patroni:\n    dynamicConfiguration:\n      postgresql:\n        parameters:\n{parameters}  instances:\n    - name: a\n      replicas: {instances}\n      \
             resources:\n        limits: {{cpu: \"{cpu}\"}}\n      dataVolumeClaimSpec:\n        accessModes: [ReadWriteOnce]\n        storageClassName: premium\n        \
             resources:\n          requests:\n            storage: {size}Gi\n",
            index / 50,
        ),
    }
}

/// What a repository holds besides: a Deployment, a Service or a ConfigMap.
fn other(rng: &mut Rng, index: usize) -> String {
    let (namespace, replicas) = (index / 50, rng.u32(1..9));
    match rng.u32(0..4) {
        0 => format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: web-{index}\n  namespace: team-{namespace}\nspec:\n  selector: {{app: web-{index}}}\n  ports:\n    - {{name: http, port: 80, targetPort: http}}\n"
        ),
        1 => format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web-{index}\n  namespace: team-{namespace}\ndata:\n  LOG_LEVEL: info\n  nginx.conf: |\n    worker_processes {replicas};\n    events {{ worker_connections 1024; }}\n"
        ),
        _ => format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{index}\n  namespace: team-{namespace}\n  labels: {{app: web-{index}}}\nspec:\n  replicas: {replicas}\n  selector:\n    \
             matchLabels: {{app: web-{index}}}\n  template:\n    metadata:\n      labels: {{app: web-{index}}}\n    spec:\n      containers:\n        - name: web\n          \
             image: registry.example.com/web:{replicas}.2\n          ports:\n            - {{name: http, containerPort: 8080}}\n          env:\n            - {{name: DATABASE_HOST, value: db-{index}-rw}}\n          \
             resources:\n            requests: {{cpu: 100m, memory: 128Mi}}\n            limits: {{memory: 256Mi}}\n"
        ),
    }
}
