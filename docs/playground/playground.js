// The page: what is typed goes to walguard in the worker, and what it finds is shown.

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
let asked = 0;
worker.onmessage = ({ data: { id, answer, error } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error) reject(new Error(error));
  else resolve(answer);
};
worker.onerror = () => waiting.forEach(({ reject }) => reject(new Error("walguard could not be loaded")));
const walguard = (words, input) =>
  new Promise((resolve, reject) => {
    waiting.set((asked += 1), { resolve, reject });
    worker.postMessage({ id: asked, words, input });
  });

const $ = (id) => document.getElementById(id);
const manifest = $("manifest");

// Text only ever becomes text.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function goTo(line, column) {
  const lines = manifest.value.split("\n");
  const at = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  manifest.focus();
  manifest.setSelectionRange(at + column - 1, at + (lines[line - 1] ?? "").length);
  manifest.scrollTop = Math.max(0, (line - 8) * 20);
}

function change({ op, path, value }) {
  const field = path.slice(1).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
  return op === "remove" ? `remove ${field}` : `set ${field} to ${JSON.stringify(value)}`;
}

function shown(finding) {
  const { check, severity, message, remediation, line, column, fix = [], resource } = finding;
  const why = element("pre", { hidden: "" });
  const explain = async () => {
    why.hidden = !why.hidden;
    if (!why.textContent) why.textContent = (await walguard(["checks", "explain", check])).stdout;
  };
  return element(
    "article",
    { class: severity },
    element(
      "h2",
      {},
      element("b", {}, severity),
      element("code", {}, check),
      `${resource.kind} ${resource.name}`,
      line ? element("button", { onclick: () => goTo(line, column) }, `line ${line}`) : null,
      element("button", { onclick: explain }, "why"),
    ),
    element("p", {}, message),
    fix.length ? element("p", { class: "fix" }, `Fix: ${fix.map(change).join("; ")}`) : null,
    !fix.length && remediation ? element("p", {}, remediation) : null,
    why,
  );
}

const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

async function findings() {
  const words = ["lint", "--format", "json", "--fail-on", "never"];
  if ($("info").checked) words.push("--info");
  const { stdout, stderr } = await walguard([...words, "-"], manifest.value);
  let report;
  try {
    report = JSON.parse(stdout);
  } catch {
    return [stderr.trim() || "nothing to check", [element("p", { class: "failure" }, stderr)]];
  }
  const order = ["error", "warning", "info"];
  const found = report.findings.filter(({ severity }) => $("info").checked || severity !== "info");
  found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  const failures = report.errors.map((error) => element("p", { class: "failure" }, `${error.line ? `line ${error.line}: ` : ""}${error.message}`));
  const { clusters, error, warning } = report.summary;
  const notes = report.notes.map((note) => element("p", {}, note));
  const none = found.length + failures.length ? [] : [element("p", { class: "none" }, clusters ? "No findings." : "There is no PostgreSQL cluster in this.")];
  return [
    `${counted(error, "error", "errors")}, ${counted(warning, "warning", "warnings")} · ${counted(clusters, "cluster", "clusters")}`,
    [...failures, ...found.map(shown), ...none, ...notes],
  ];
}

async function tune() {
  const { code, stdout, stderr } = await walguard(["tune", "-"], manifest.value);
  return [code === 0 ? "what walguard tune proposes" : "", [element("pre", { class: code === 0 ? "tune" : "failure" }, stdout || stderr)]];
}

// Of walguard's report in HTML the pictures of each cluster. Its body is parsed, not run: scripts stay text, and the page allows none.
async function pictures() {
  const { stdout, stderr } = await walguard(["lint", "--format", "html", "--fail-on", "never", "-"], manifest.value);
  const page = new DOMParser().parseFromString(stdout.slice(stdout.indexOf("<body>")), "text/html");
  const drawn = [...page.querySelectorAll(".pictures")].map((picture) => document.importNode(picture, true));
  const none = stderr.trim() || "Nothing to draw: that takes a cluster with sizes, and the StorageClass of its disks.";
  return [counted(drawn.length, "cluster", "clusters"), drawn.length ? drawn : [element("p", {}, none)]];
}

const tabs = { "tab-findings": findings, "tab-pictures": pictures, "tab-tune": tune };

let latest = 0;
async function refresh() {
  const mine = (latest += 1);
  $("numbers").textContent = manifest.value.split("\n").map((_, index) => index + 1).join("\n");
  $("numbers").scrollTop = manifest.scrollTop;
  const begun = performance.now();
  try {
    const [summary, parts] = await tabs[document.querySelector("[role=tab][aria-selected=true]").id]();
    if (mine !== latest) return;
    $("answer").replaceChildren(...parts);
    $("summary").textContent = `${summary} · ${Math.round(performance.now() - begun)} ms`;
  } catch (error) {
    $("summary").textContent = "";
    $("answer").replaceChildren(element("p", { class: "failure" }, String(error)));
  }
}

let timer;
manifest.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(refresh, 250);
});
manifest.addEventListener("scroll", () => ($("numbers").scrollTop = manifest.scrollTop));
$("info").addEventListener("change", refresh);
for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => {
    for (const other of document.querySelectorAll("[role=tab]")) other.setAttribute("aria-selected", String(other === tab));
    refresh();
  });
}

const examples = await (await fetch("examples.json")).json();
for (const name of Object.keys(examples)) $("examples").append(element("option", { value: name }, name));
$("examples").addEventListener("change", () => {
  manifest.value = examples[$("examples").value];
  refresh();
});
$("examples").value = "cnpg/bad/wal-outgrows-volume";
manifest.value = examples[$("examples").value] ?? "";
refresh();
