//! A host for Kubewarden policies: the parts of policy-server that a policy sees, without a cluster.
//!
//! ```text
//! wapc-host snapshot IN.wasm OUT.wasm        runs the export `wizer-initialize` and writes the module as it is afterwards
//! wapc-host run MODULE.wasm < reviews        judges each line of the standard input in a fresh instance
//! wapc-host call MODULE.wasm OPERATION < payload
//! wapc-host bench MODULE.wasm [ROUNDS [--json]] < reviews
//! ```
//!
//! A review is one line of JSON: an AdmissionRequest (admission.k8s.io/v1) as it is, or with what stands around it:
//!
//! ```text
//! {"request": {…AdmissionRequest…},
//!  "settings": {…},                            default {}
//!  "objects": [{…}, …],                        what the cluster holds; without it every look-up is refused
//!  "unserved": ["storage.k8s.io/v1/VolumeAttributesClass", …],   kinds the API server does not know
//!  "refused": ["v1/PersistentVolume", …]}      kinds that the policy may not read
//! ```
//!
//! `run` answers with one line for each, in order, `response` as the policy gave it to the operation `validate` and `findings`
//! as it gave them to `findings` (null where a policy has no such operation), `error` where it gave nothing:
//!
//! ```text
//! {"response": {"accepted": false, "message": "…", …}, "findings": [{"check": …, "severity": …, "message": …, "path": […]}, …]}
//! {"error": "…"}
//! ```
//!
//! `bench` prints figures for people: size, time to compile, and the time of a review in a fresh instance, as policy-server
//! does it, and in one that is used again. With `--json` they are for programs, in milliseconds:
//!
//! ```text
//! [{"fresh": {"wall": 0.5, "p99": 0.7, "cpu": 0.5}, "reused": {…}}, …]    one for each review
//! ```

mod cluster;

use std::io::{BufRead as _, Read as _, Write as _};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value as Json, json};
use wapc::WapcHost;
use wasmtime_provider::wasmtime::{Config, Engine, Linker, Module, Store};
use wasmtime_provider::wasmtime_wasi::p1::{self, WasiP1Ctx};
use wasmtime_provider::wasmtime_wasi::{HostWallClock, WasiCtxBuilder, random, runtime};
use wasmtime_provider::{EpochDeadlines, WasmtimeEngineProviderBuilder, WasmtimeEngineProviderPre};
use wasmtime_wizer::Wizer;

use cluster::Cluster;

const USAGE: &str = "usage: wapc-host snapshot IN OUT | run MODULE | call MODULE OPERATION | bench MODULE [ROUNDS [--json]]";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["snapshot", input, output] => {
            let module = fs::read(input).with_context(|| format!("cannot read {input}"))?;
            let snapshot = snapshot(&module).map_err(|error| anyhow!("{input}: {error:?}"))?;
            fs::write(output, snapshot).with_context(|| format!("cannot write {output}"))
        }
        ["run", module] => run(&Policy::load(module)?),
        ["call", module, operation] => {
            let mut payload = Vec::new();
            io::stdin().read_to_end(&mut payload)?;
            let answer = Policy::load(module)?.instance(Cluster::closed())?.call(operation, &payload)?;
            Ok(io::stdout().write_all(&answer)?)
        }
        ["bench", module] => bench(module, 200, false),
        ["bench", module, rounds] => bench(module, rounds.parse().context("ROUNDS is a number")?, false),
        ["bench", module, rounds, "--json"] => bench(module, rounds.parse().context("ROUNDS is a number")?, true),
        _ => bail!(USAGE),
    }
}

/// The module after its `wizer-initialize`. It sees the same clock and the same random numbers each time, so that equal
/// modules have equal snapshots, and nothing of the machine it is made on.
fn snapshot(module: &[u8]) -> wasmtime_provider::wasmtime::Result<Vec<u8>> {
    struct Epoch;
    impl HostWallClock for Epoch {
        fn resolution(&self) -> Duration {
            Duration::from_secs(1)
        }
        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }
    let engine = Engine::new(&Config::new())?;
    let mut wasi = WasiCtxBuilder::new();
    wasi.inherit_stderr().wall_clock(Epoch).secure_random(random::Deterministic::new((0..=255).collect()));
    let mut store: Store<WasiP1Ctx> = Store::new(&engine, wasi.build_p1());
    runtime::in_tokio(Wizer::new().run(&mut store, module, async |store, module| {
        let mut linker = Linker::new(store.engine());
        p1::add_to_linker_async(&mut linker, |context| context)?;
        // There is no host to call yet.
        linker.define_unknown_imports_as_traps(module)?;
        linker.instantiate_async(store, module).await
    }))
}

/// A compiled policy.
struct Policy {
    pre: WasmtimeEngineProviderPre,
}

/// A policy in memory of its own, with a cluster to look at.
struct Instance {
    host: WapcHost,
}

impl Policy {
    fn load(path: &str) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {path}"))?;
        // As policy-server has it: code that can be interrupted is a little slower.
        let mut config = Config::new();
        config.epoch_interruption(true);
        let error = |error| anyhow!("{path}: {error:?}");
        let engine = Engine::new(&config).map_err(error)?;
        let module = Module::new(&engine, bytes).map_err(error)?;
        let pre = WasmtimeEngineProviderBuilder::new()
            .engine(engine)
            .module(module)
            .enable_epoch_interruptions(EpochDeadlines { wapc_init: u64::MAX / 2, wapc_func: u64::MAX / 2 })
            .build_pre()?;
        Ok(Self { pre })
    }

    fn instance(&self, cluster: Cluster) -> Result<Instance> {
        let deadlines = EpochDeadlines { wapc_init: u64::MAX / 2, wapc_func: u64::MAX / 2 };
        let host = WapcHost::new(
            Box::new(self.pre.rehydrate(Some(deadlines))?),
            Some(Box::new(move |_, binding, namespace, operation, payload| {
                Ok(cluster.answer(binding, namespace, operation, payload)?)
            })),
        )?;
        Ok(Instance { host })
    }
}

impl Instance {
    fn call(&self, operation: &str, payload: &[u8]) -> Result<Vec<u8>> {
        self.host.call(operation, payload).map_err(|error| anyhow!("{operation}: {error}"))
    }

    fn json(&self, operation: &str, payload: &[u8]) -> Result<Json> {
        let answer = self.call(operation, payload)?;
        serde_json::from_slice(&answer).with_context(|| format!("{operation} did not answer with JSON"))
    }

}

/// One line of the standard input.
struct Review {
    payload: Vec<u8>,
    cluster: Cluster,
}

impl Review {
    fn parse(line: &str) -> Result<Self> {
        let review: Json = serde_json::from_str(line).context("a line is no JSON")?;
        let (request, settings) = match review.get("request") {
            Some(request) => (request.clone(), review.get("settings").cloned()),
            None => (review.clone(), None),
        };
        let payload =
            serde_json::to_vec(&json!({"request": request, "settings": settings.unwrap_or_else(|| json!({}))}))?;
        let cluster = if review.get("request").is_some() { Cluster::parse(&review)? } else { Cluster::closed() };
        Ok(Self { payload, cluster })
    }
}

fn run(policy: &Policy) -> Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = judge(policy, &line).unwrap_or_else(|error| json!({"error": format!("{error:#}")}));
        writeln!(out, "{answer}")?;
        // Who asks may wait for this answer before the next question.
        out.flush()?;
    }
    Ok(())
}

fn judge(policy: &Policy, line: &str) -> Result<Json> {
    let review = Review::parse(line)?;
    let response = policy.instance(review.cluster.clone())?.json("validate", &review.payload)?;
    let findings = policy.instance(review.cluster)?.json("findings", &review.payload).unwrap_or(Json::Null);
    Ok(json!({"response": response, "findings": findings}))
}

fn bench(path: &str, rounds: usize, for_programs: bool) -> Result<()> {
    let lines: Vec<String> = io::stdin().lock().lines().collect::<io::Result<_>>()?;
    let lines = lines.iter().filter(|line| !line.trim().is_empty());
    let reviews = lines.map(|line| Review::parse(line)).collect::<Result<Vec<_>>>()?;
    let started = Instant::now();
    let policy = Policy::load(path)?;
    if !for_programs {
        println!("size                {:>9.2} MB", fs::metadata(path)?.len() as f64 / 1e6);
        println!("compilation         {:>9.0} ms", started.elapsed().as_secs_f64() * 1e3);
        print("instantiation", &times(rounds, || policy.instance(Cluster::closed()).map(drop))?);
    }
    let mut measured = Vec::new();
    for (index, review) in reviews.iter().enumerate() {
        // A policy server has its cluster at hand.
        let clusters: Vec<Cluster> = vec![review.cluster.clone(); rounds.max(1)];
        let mut clusters = clusters.into_iter();
        let fresh = times(rounds, || {
            policy.instance(clusters.next().unwrap_or_default())?.call("validate", &review.payload).map(drop)
        })?;
        let instance = policy.instance(review.cluster.clone())?;
        let reused = times(rounds, || instance.call("validate", &review.payload).map(drop))?;
        if for_programs {
            measured.push(json!({"fresh": fresh.json(), "reused": reused.json()}));
            continue;
        }
        print(&format!("review {}: fresh", index + 1), &fresh);
        print("  reused", &reused);
    }
    if for_programs {
        println!("{}", Json::from(measured));
    }
    Ok(())
}

/// How long rounds took.
struct Times {
    /// Each, sorted.
    wall: Vec<Duration>,
    /// Of this thread and on average, where Linux says it: what else the machine does disturbs it less. It is counted in ticks that are
    /// longer than a round.
    cpu: Option<Duration>,
}

impl Times {
    fn json(&self) -> Json {
        let milliseconds = |time: Option<&Duration>| time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
        let late = (self.wall.len() * 99).div_ceil(100).saturating_sub(1);
        json!({
            "wall": milliseconds(self.wall.get(self.wall.len() / 2)),
            "p99": milliseconds(self.wall.get(late)),
            "cpu": milliseconds(self.cpu.as_ref()),
        })
    }
}

fn times(rounds: usize, mut act: impl FnMut() -> Result<()>) -> Result<Times> {
    let rounds = u32::try_from(rounds)?.max(1);
    let (mut wall, before) = (Vec::new(), cpu());
    for _ in 0..rounds {
        let started = Instant::now();
        act()?;
        wall.push(started.elapsed());
    }
    let cpu = before.zip(cpu()).map(|(before, after)| after.saturating_sub(before) / rounds);
    wall.sort();
    Ok(Times { wall, cpu })
}

fn cpu() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

fn print(what: &str, times: &Times) {
    let milliseconds = |time: Option<&Duration>| time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
    println!(
        "{what:<20}{:>9.3} ms median, {:.3} ms least, {:.3} ms of CPU time on average",
        milliseconds(times.wall.get(times.wall.len() / 2)),
        milliseconds(times.wall.first()),
        milliseconds(times.cpu.as_ref())
    );
}
