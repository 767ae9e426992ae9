//! `walguard lint` against `conftest test`: whole processes, from start to end.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use fastrand::Rng;
use wait4::Wait4 as _;

use crate::Tools;
use crate::measure::{self, Cost};
use crate::table;

/// What is drawn is the same in every run.
const SEED: u64 = 20_261_121;
/// Of a hundred documents so many are PostgreSQL clusters.
const CLUSTERS_PERCENT: u32 = 30;
/// A run longer than this is measured three times only.
const LONG: Duration = Duration::from_secs(10);

/// Measures one file, many documents in one file, and a directory of many.
///
/// # Errors
/// When files cannot be made or a program fails.
pub fn run(tools: &Tools, rounds: u32, files: usize) -> Result<String> {
    let directory = tempfile::tempdir()?;
    let path = directory.path();
    let mut rng = Rng::with_seed(SEED);
    fs::create_dir(path.join("one"))?;
    fs::write(path.join("one/cluster.yaml"), cluster(&mut rng, 0))?;
    fs::create_dir(path.join("stream"))?;
    let documents: Vec<String> = (0..1000).map(|index| document(&mut rng, index)).collect();
    fs::write(path.join("stream/all.yaml"), documents.join("---\n"))?;
    let many = path.join("many");
    for index in 0..files {
        // As repositories have them: some dozens in a directory.
        let place = many.join(format!("team-{}", index / 50));
        fs::create_dir_all(&place)?;
        fs::write(place.join(format!("{index}.yaml")), document(&mut rng, index))?;
    }
    let many_title = format!("{files} files");
    let inputs =
        [("1 file", "one/cluster.yaml"), ("1,000 documents in a file", "stream/all.yaml"), (&many_title, "many")];
    let mut rows = Vec::new();
    for (title, input) in inputs {
        let (mut ours, mut theirs) = (Runs::default(), Runs::default());
        for round in 0..rounds {
            if round >= 3 && theirs.costs.iter().any(|cost| cost.wall > LONG) {
                break;
            }
            ours.add(path, Command::new(&tools.walguard).args(["lint", "--format", "json", input]))?;
            let mut conftest = Command::new(&tools.conftest);
            theirs.add(path, conftest.arg("test").arg("-p").arg(&tools.rules).args(["-o", "json", input]))?;
        }
        rows.push(row(title, &ours, &theirs));
    }
    let header = ["", "wall", "conftest", "", "CPU", "conftest", "", "memory", "conftest"];
    Ok(table::layout("walguard lint | conftest test | ratio", &header, &rows))
}

#[derive(Default)]
struct Runs {
    costs: Vec<Cost>,
    peak_bytes: Vec<u64>,
}

impl Runs {
    fn add(&mut self, directory: &Path, command: &mut Command) -> Result<()> {
        let started = Instant::now();
        let child = command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let used = child.wait4()?;
        let wall = started.elapsed();
        // 1 says that there are findings.
        ensure!(matches!(used.status.code(), Some(0 | 1)), "{command:?}: {}", used.status);
        self.costs.push(Cost { wall, cpu: used.rusage.utime + used.rusage.stime });
        self.peak_bytes.push(used.rusage.maxrss);
        Ok(())
    }
}

fn row(title: &str, ours: &Runs, theirs: &Runs) -> Vec<String> {
    let (our_cost, their_cost) = (measure::medians(&ours.costs), measure::medians(&theirs.costs));
    let mut row = vec![title.to_owned()];
    row.extend([our_cost.wall, their_cost.wall].map(measure::text));
    row.push(measure::ratio(our_cost.wall, their_cost.wall));
    row.extend([our_cost.cpu, their_cost.cpu].map(measure::text));
    row.push(measure::ratio(our_cost.cpu, their_cost.cpu));
    row.extend([ours, theirs].map(|runs| format!("{} MB", measure::median(runs.peak_bytes.clone()) / 1_000_000)));
    row
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
