// The HTML report and the site in a real browser: node tests/browser/run.mjs WALGUARD SITE [SCREENSHOTS]
//
// Without Chromium every test is skipped, without a site those of the site; both by name. Nothing may be fetched from elsewhere, and nothing
// may be written to the console.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [walguard, site, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const root = resolve(import.meta.dirname, "../..");
const browsers = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = browsers.find((path) => path && existsSync(path));
const temporary = mkdtempSync(join(tmpdir(), "walguard-browser-"));
if (screenshots) mkdirSync(screenshots, { recursive: true });

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".png": "image/png" };
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
  const file = join(site, path.endsWith("/") ? `${path}index.html` : path);
  if (!existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
});

/** The report of manifests as a page. */
function report(name, ...paths) {
  const file = join(temporary, `${name}.html`);
  const { status, stderr } = spawnSync(walguard, ["lint", "--fail-on", "never", "--info", "--quiet", "--output", `html=${file}`, ...paths], { cwd: root, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return pathToFileURL(file).href;
}

let browser;
/** A page that may neither complain nor ask anybody else. */
async function open(address, { scheme = "light", width = 1280, height = 900 } = {}) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height } });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin && !request.url().startsWith("data:")) complaints.push(`fetches ${request.url()}`);
  });
  page.on("requestfailed", (request) => complaints.push(`cannot fetch ${request.url()}`));
  await page.goto(address);
  page.quiet = async () => {
    assert.deepEqual(complaints, []);
    await context.close();
  };
  page.keep = async (name, options = {}) => {
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`), ...options });
  };
  return page;
}

const visible = (page, selector) => page.locator(selector).filter({ visible: true }).count();
const tests = {
  async "report: pictures, fixes and the overview"() {
    for (const scheme of ["light", "dark"]) {
      const page = await open(report("disk", "examples/cnpg/bad/small-essd.yaml", "examples/cnpg/bad/wal-outgrows-volume.yaml"), { scheme });
      assert((await page.locator("svg polyline.curve").count()) >= 1, "no curve");
      assert((await page.locator("svg line.demand").count()) >= 1, "no demand");
      assert((await page.locator("figure.budget").count()) >= 2, "no budgets");
      assert((await page.locator("pre.diff .added").count()) >= 1, "no fix");
      assert((await page.locator("table tbody tr").count()) >= 2, "no overview");
      // Whatever is drawn lies within its picture.
      const outside = await page.evaluate(() =>
        [...document.querySelectorAll(".figures svg text, .figures svg rect, .figures svg circle")].flatMap((part) => {
          const [inner, outer] = [part.getBoundingClientRect(), part.ownerSVGElement.getBoundingClientRect()];
          const within = inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
          return within ? [] : [`${part.outerHTML}`];
        }),
      );
      assert.deepEqual(outside, []);
      await page.keep(`report-${scheme}`, { fullPage: true });
      await page.quiet();
    }
  },
  async "report: a narrow window"() {
    const page = await open(report("narrow", "examples/cnpg/bad"), { width: 390, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, `the page is ${wide} pixels wider than the window`);
    await page.keep("report-narrow");
    await page.quiet();
  },
  async "report: search and severities"() {
    const page = await open(report("search", "examples/cnpg"));
    const all = await visible(page, "article");
    await page.fill("#search", "full_page_writes");
    const some = await visible(page, "article");
    assert(some > 0 && some < all, `${some} of ${all}`);
    await page.fill("#search", "no such words");
    assert.equal(await visible(page, "article"), 0);
    assert.equal(await visible(page, "section.place"), 0);
    await page.fill("#search", "");
    assert.equal(await visible(page, "article"), all);
    await page.uncheck("#error");
    assert.equal(await visible(page, "article.error"), 0);
    await page.quiet();
  },
  async "report: what a manifest says is never markup"() {
    const file = join(temporary, "evil.yaml");
    const good = readFileSync(join(root, "examples/cnpg/bad/small-essd.yaml"), "utf8");
    writeFileSync(file, good.replace(/^  name: .*$/m, '  name: "<img src=x onerror=alert(1)><script>alert(2)</script>"'));
    const page = await open(report("evil", file));
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("script").count(), 1);
    await page.quiet();
  },
  async "report: all examples"() {
    const page = await open(report("examples", "examples/"));
    assert((await page.locator("article").count()) > 50);
    assert((await page.locator(".pictures").count()) > 10);
    await page.keep("examples");
    await page.quiet();
  },
  async "site: every page is there, and what it needs"() {
    const address = origin();
    const [seen, dead] = [new Set(["/index.html"]), []];
    const waiting = [...seen];
    while (waiting.length) {
      const path = waiting.pop();
      const text = readFileSync(join(site, path), "utf8");
      for (const [, link] of text.matchAll(/(?:href|src)="([^"#?]+)/g)) {
        const target = new URL(link, address + path);
        if (target.origin !== address) continue;
        const file = target.pathname.endsWith("/") ? `${target.pathname}index.html` : target.pathname;
        if (!existsSync(join(site, decodeURIComponent(file)))) dead.push(`${path}: ${link}`);
        else if (file.endsWith(".html") && !seen.has(file)) {
          seen.add(file);
          waiting.push(file);
        }
      }
    }
    assert.deepEqual(dead, []);
    const checks = readdirSync(join(site, "checks"), { recursive: true }).filter((name) => name.endsWith(".html")).length;
    assert(seen.size > checks, `${seen.size} pages for ${checks} checks`);
  },
  async "site: search without a network"() {
    const page = await open(`${origin()}/index.html`);
    await page.keyboard.press("s");
    // Key by key, since the page listens to keys.
    await page.locator("#mdbook-searchbar, #searchbar").pressSequentially("wal_init_zero");
    await page.waitForSelector("#mdbook-searchresults li, #searchresults li");
    await page.keep("site-search");
    await page.quiet();
    for (const scheme of ["light", "dark"]) {
      const check = await open(`${origin()}/checks/wal/max_wal_vs_volume.html`, { scheme });
      await check.keep(`site-check-${scheme}`);
      await check.quiet();
    }
  },
  async "playground: findings, pictures, tune"() {
    for (const scheme of ["light", "dark"]) {
      const page = await open(`${origin()}/playground/`, { scheme });
      await page.waitForSelector("#answer article");
      await page.fill("#manifest", readFileSync(join(root, "examples/cnpg/bad/small-essd.yaml"), "utf8"));
      await page.waitForSelector("#answer article:has-text('storage/bandwidth_below_demand')");
      await page.keep(`playground-findings-${scheme}`);
      await page.click("#answer article button:has-text('why')");
      await page.waitForFunction(() => document.querySelector("#answer article pre:not([hidden])")?.textContent.length > 200);
      await page.click("#tab-pictures");
      await page.waitForSelector("#answer polyline.curve");
      await page.keep(`playground-pictures-${scheme}`);
      await page.click("#tab-tune");
      await page.waitForSelector("#answer pre.tune:has-text('shared_buffers')");
      await page.keep(`playground-tune-${scheme}`);
      await page.click("#tab-findings");
      await page.fill("#manifest", "a: [1\nkind: Cluster\n");
      await page.waitForSelector("#answer .failure");
      await page.quiet();
    }
  },
};

function origin() {
  return `http://127.0.0.1:${server.address().port}`;
}

let [passed, failed, skipped] = [0, 0, 0];
const built = existsSync(join(site, "playground/walguard.wasm"));
try {
  if (executablePath) {
    const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
    browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0, args: quiet });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
  }
  for (const [name, test] of Object.entries(tests)) {
    const why = !executablePath ? "no Chromium is installed" : !built && !name.startsWith("report") ? "make site has not built it" : undefined;
    if (why) {
      console.log(`SKIPPED: ${name}: ${why}`);
      skipped += 1;
      continue;
    }
    try {
      await test();
      passed += 1;
    } catch (error) {
      console.log(`FAILED: ${name}\n${error.stack}`);
      failed += 1;
    }
  }
} finally {
  await browser?.close();
  server.close();
  rmSync(temporary, { recursive: true });
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed ? 1 : 0;
