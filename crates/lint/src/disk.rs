//! `walguard disk`: what a disk gives, and what follows for PostgreSQL. What is known of disks is asked of the rules.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value as Json, json};
use walguard_engine::Engine;
use walguard_report::{self as report, Color, Exit, Listing, paint};

use crate::{config, fio, rules, server};

/// The package of the rules that describes a disk.
const PACKAGE: &str = "walguard.disks";

/// Show what a disk gives, and what follows for PostgreSQL
///
/// Without a disk the known ones are listed; without a size the sizes of a disk are compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  walguard disk                                            the disks that are known
  walguard disk ali-essd-pl1                               what each size gives
  walguard disk ali-essd-pl1:300Gi --cpu 16                whether it is enough, and the smallest change if it is not
  walguard disk aws-gp3:1Ti:iops=6000,throughput=500       with parameters of a StorageClass
  walguard disk aws-gp3:300Gi --cpu 16 --fio result.json   what fio measured on it, instead of the table")]
pub struct Args {
    /// Disks: a name, a size and parameters of a StorageClass
    #[arg(value_name = "NAME[:SIZE[:KEY=VALUE,…]]")]
    disks: Vec<String>,

    /// CPU cores of the server that writes to it
    #[arg(long, value_name = "CORES")]
    cpu: Option<String>,

    /// What fio measured on the volume: its JSON, or the logs of kubectl cnpg fio
    ///
    /// fio --output-format=json, or read_bw.1.log and read_iops.1.log of a job with write_bw_log and write_iops_log. May be given several
    /// times; the best figures count.
    #[arg(long, value_name = "FILE")]
    fio: Vec<PathBuf>,

    /// How disks are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Listing,

    /// Policy configuration: what a core demands [default: walguard.yaml here or above]
    #[arg(long, value_name = "FILE", env = "WALGUARD_CONFIG")]
    config: Option<PathBuf>,

    /// When to colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,

    /// Rules of an OPA bundle beside the built-in ones (opa build --target plan)
    #[arg(long, value_name = "BUNDLE")]
    rules: Option<PathBuf>,
}

/// A disk as the rules describe it (`walguard.disks.sheet` documents every field), and at which sizes what it gives.
#[derive(Debug, Serialize, Deserialize)]
struct Sheet {
    name: String,
    title: String,
    vendor: String,
    parameters: Map<String, Json>,
    remarks: Vec<String>,
    #[serde(skip_serializing)]
    sizes_bytes: Vec<u64>,
    #[serde(default, skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<Sheet>,
    size_text: Option<String>,
    throughput_bytes_per_second: Option<Number>,
    throughput_text: Option<String>,
    throughput_parameter: Option<String>,
    cap_bytes_per_second: Option<Number>,
    cap_text: Option<String>,
    knee_text: Option<String>,
    iops: Option<u64>,
    cores: Option<u64>,
    mbps_per_core: Option<Json>,
    write_seconds: Option<u64>,
    zero_16mib_milliseconds: Option<u64>,
    zero_1gib_milliseconds: Option<u64>,
    filesystem: Option<String>,
    demand: Option<String>,
    /// How the figures were measured, where they are not those of a table.
    measured: Option<String>,
    #[serde(flatten)]
    rest: Map<String, Json>,
}

/// Asks the rules.
struct Desk<'a> {
    engine: Engine,
    cpu: Option<&'a str>,
    configuration: Option<Json>,
    measured: Option<fio::Measured>,
}

impl Desk<'_> {
    /// The disk with a size, or with all that are worth a comparison.
    fn sheet(&mut self, disk: &str) -> anyhow::Result<Sheet> {
        let volume = match disk.contains(':') {
            true => server::volume("the disk", Some(disk), None)?,
            false => json!({"disk": disk}),
        };
        self.check(&volume)?;
        let mut sheet = self.describe(disk, &volume)?;
        if volume.get("size").is_none() && self.measured.is_none() {
            for size_bytes in std::mem::take(&mut sheet.sizes_bytes) {
                let sized = json!({"disk": volume["disk"], "size": size_bytes.to_string()});
                sheet.sizes.push(self.describe(disk, &sized)?);
            }
            // A larger one that gives no more says nothing new.
            sheet.sizes.dedup_by_key(|size| (size.throughput_text.clone(), size.iops));
        }
        Ok(sheet)
    }

    /// That the disk is known, and that its size, its parameters and the cores can be read.
    fn check(&mut self, volume: &Json) -> anyhow::Result<()> {
        let Some(misstated) = server::misstated(&self.spec(volume), &mut self.engine)? else { return Ok(()) };
        let flag = if misstated.path.last().is_some_and(|key| key.to_string() == "cpu") { "--cpu: " } else { "" };
        bail!("{flag}{} (`walguard disk` lists the disks)", misstated.reason);
    }

    /// A server with this volume and the cores that were asked for.
    fn spec(&self, volume: &Json) -> Map<String, Json> {
        let mut spec = Map::from_iter([("volumes".to_owned(), json!({"data": volume}))]);
        if let Some(cpu) = self.cpu {
            spec.insert("cpu".to_owned(), cpu.into());
        }
        spec
    }

    fn describe(&mut self, disk: &str, volume: &Json) -> anyhow::Result<Sheet> {
        let input = json!({
            "review": {"object": server::resource(disk, self.spec(volume))},
            "parameters": self.configuration.clone().unwrap_or_else(|| json!({})),
            "measured": self.measured,
        });
        let rule = if self.measured.is_some() { "measured" } else { "sheet" };
        server::ask(&mut self.engine, PACKAGE, rule, input).with_context(|| format!("{disk} cannot be described"))
    }
}

/// Lists or describes disks.
///
/// # Errors
/// When the rules or the configuration cannot be read, or there is no such disk.
pub fn run(args: Args) -> anyhow::Result<Exit> {
    let rules = rules::load(args.rules.as_deref())?;
    let mut engine = Engine::new(&rules).context("the rules cannot be used")?;
    let configuration = config::load(args.config.as_ref(), engine.catalogue())?;
    let measured = (!args.fio.is_empty()).then(|| fio::measured(&args.fio)).transpose()?;
    if measured.is_some() && args.disks.len() > 1 {
        bail!("--fio is about one volume: name one disk, or none");
    }
    let listing = args.disks.is_empty() && measured.is_none();
    let names = if listing { server::ask(&mut engine, PACKAGE, "names", json!({}))? } else { args.disks };
    let mut desk = Desk {
        engine,
        cpu: args.cpu.as_deref(),
        configuration: configuration.map(|configuration| configuration.value),
        measured,
    };
    let mut sheets = Vec::new();
    if names.is_empty() {
        let volume = json!({});
        desk.check(&volume)?;
        sheets.push(desk.describe("the volume", &volume)?);
    }
    for name in &names {
        sheets.push(match listing {
            true => {
                let volume = json!({"disk": name});
                desk.check(&volume)?;
                desk.describe(name, &volume)?
            }
            false => desk.sheet(name)?,
        });
    }

    let mut out = args.color.stdout();
    let written = match args.format {
        Listing::Json => writeln!(out, "{:#}", json!({"version": 1, "disks": sheets})),
        Listing::Human if listing => list(&mut out, &sheets),
        Listing::Human => sheets.iter().try_for_each(|sheet| describe(&mut out, sheet)),
    };
    report::finish(written, &mut out).context("cannot write the disks")?;
    Ok(Exit::Clean)
}

fn list(out: &mut dyn Write, sheets: &[Sheet]) -> io::Result<()> {
    let dim = paint::DIM;
    let column = |field: fn(&Sheet) -> &str| sheets.iter().map(|sheet| field(sheet).len()).max().unwrap_or_default();
    let (names, titles) = (column(|sheet| &sheet.name), column(|sheet| &sheet.title));
    for sheet in sheets {
        let most = sheet.cap_text.as_ref().map_or_else(String::new, |cap| format!("{cap} at most"));
        writeln!(out, "{:names$}  {:titles$}  {most}", sheet.name, sheet.title)?;
    }
    writeln!(out, "\n{dim}{} disks; `walguard disk NAME` says what each size gives{dim:#}", sheets.len())
}

fn describe(out: &mut dyn Write, sheet: &Sheet) -> io::Result<()> {
    let (bold, dim) = (paint::BOLD, paint::DIM);
    let size = sheet.size_text.as_ref().map_or_else(String::new, |size| format!("{size} of "));
    let parameters: Vec<String> =
        sheet.parameters.iter().map(|(key, value)| format!("{key}: {}", plain(value))).collect();
    let origin = match &sheet.measured {
        Some(how) => how.clone(),
        None => format!("{} · {}", sheet.vendor, parameters.join(", ")),
    };
    writeln!(out, "{bold}{size}{}{bold:#} {dim}· {origin}{dim:#}\n", sheet.title)?;
    if sheet.sizes.is_empty() {
        facts(out, sheet)?;
    } else {
        table(out, &sheet.sizes)?;
    }
    let width = report::width();
    for sentence in sheet.demand.iter().chain(&sheet.remarks) {
        write!(out, "\n{}", report::wrap(sentence, width, "  "))?;
    }
    if sheet.measured.is_some() {
        return writeln!(out);
    }
    let told = |key: &str| sheet.rest.get(key).and_then(Json::as_str).unwrap_or("unknown");
    writeln!(
        out,
        "\n  {dim}Figures of {}: {}. A machine may allow less than the disk gives.{dim:#}",
        told("as_of"),
        told("confidence")
    )?;
    for source in sheet.rest.get("sources").and_then(Json::as_array).into_iter().flatten() {
        writeln!(out, "  {dim}{}{dim:#}", plain(source))?;
    }
    writeln!(out)
}

/// One line for each thing that is known.
fn facts(out: &mut dyn Write, sheet: &Sheet) -> io::Result<()> {
    let mut line = |name: &str, value: Option<String>| match value {
        Some(value) => writeln!(out, "  {name:24}{value}"),
        None => Ok(()),
    };
    line("throughput", Some(throughput(sheet)))?;
    line("IOPS", sheet.iops.map(report::grouped))?;
    line("10 GiB are written in", sheet.write_seconds.map(|seconds| format!("{} s", report::grouped(seconds))))?;
    line(
        "a new WAL segment takes",
        sheet
            .zero_16mib_milliseconds
            .zip(sheet.zero_1gib_milliseconds)
            .map(|(small, large)| format!("{} s of 16 MB, {} s of 1 GB", seconds(small), seconds(large))),
    )?;
    let demand = sheet.mbps_per_core.as_ref().map_or_else(String::new, |mbps| format!(" at {mbps} MB/s each"));
    line("enough for", sheet.cores.map(|cores| report::counted(cores as usize, "core", "cores") + &demand))?;
    line("filesystem", sheet.filesystem.as_ref().map(|name| format!("{name}, unless the StorageClass names another")))
}

fn throughput(sheet: &Sheet) -> String {
    let [cap, given] = [&sheet.cap_bytes_per_second, &sheet.throughput_bytes_per_second]
        .map(|bytes_per_second| bytes_per_second.as_ref().and_then(Number::as_f64));
    let way = match (&sheet.knee_text, &sheet.throughput_parameter) {
        (Some(knee), _) => format!(" from {knee}"),
        (None, Some(parameter)) => format!(", by the parameter {parameter}"),
        (None, None) => String::new(),
    };
    let most = sheet.cap_text.as_ref().filter(|_| cap > given).map(|cap| format!("{cap} at most{way}"));
    let given = sheet.throughput_text.clone();
    [given, most].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// A line for each size.
fn table(out: &mut dyn Write, sizes: &[Sheet]) -> io::Result<()> {
    let dim = paint::DIM;
    let optional = |number: Option<u64>, unit: &str| number.map_or_else(String::new, |n| report::grouped(n) + unit);
    let heading = ["size", "throughput", "IOPS", "10 GiB written", "enough for"].map(str::to_owned);
    let rows = sizes.iter().map(|sheet| {
        [
            sheet.size_text.clone().unwrap_or_default(),
            sheet.throughput_text.clone().unwrap_or_default(),
            optional(sheet.iops, ""),
            optional(sheet.write_seconds, " s"),
            sheet.cores.map_or_else(String::new, |cores| report::counted(cores as usize, "core", "cores")),
        ]
    });
    let rows: Vec<[String; 5]> = std::iter::once(heading).chain(rows).collect();
    let widths: [usize; 5] = std::array::from_fn(|i| rows.iter().map(|row| row[i].len()).max().unwrap_or_default());
    for (i, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        match i {
            0 => writeln!(out, "  {dim}{}{dim:#}", cells.join("   "))?,
            _ => writeln!(out, "  {}", cells.join("   "))?,
        }
    }
    Ok(())
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Milliseconds in seconds, with hundredths below one.
fn seconds(milliseconds: u64) -> String {
    match milliseconds {
        0..1000 => format!("0.{:02}", milliseconds.div_ceil(10).min(99)),
        _ => report::grouped((milliseconds + 500) / 1000),
    }
}
