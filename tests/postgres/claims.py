"""What the checks claim about PostgreSQL, shown on real servers: claims.py [--list | --write | NAME…].

A claim is a function of refusals.py, recovery.py or wal.py: its docstring says it in a sentence, its decorator names the checks
that rest on it. Without argument all claims are tried, and claims.json, which docs/checks.md is generated from, is compared with
them; --write writes it, --list prints the claims of each check. Prints `name: PASS`, `name: SKIP (reason)` or `name: FAIL` with
the reason after it, then the counts; exits 1 when anything failed.
"""

import json
import os
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import recovery  # noqa: F401 – registers its claims, as the two below
import refusals  # noqa: F401
import wal  # noqa: F401
from lab import Lab, Skip, Templates, own
from registry import CLAIMS

HERE = Path(__file__).parent
TABLE = HERE / "claims.json"
CATALOGUE = HERE.parents[1] / "rules/catalogue.json"
AT_ONCE = (os.cpu_count() or 1) + 1  # one more than can compute: some wait for a disk
# Begun first, so that nothing is left waiting for them at the end.
LONG = ("what_is_kept_does_not_add_to_max_wal_size", "zero_filling_a_segment_takes_its_size_by_the_bandwidth")


def table():
    """claims.json: claim → its sentence and the checks that rest on it."""
    entries = {name: {"claim": " ".join(function.__doc__.split()), "checks": sorted(checks)} for name, (function, checks) in CLAIMS.items()}
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def faults():
    """What is wrong with claims.json."""
    known = json.loads(CATALOGUE.read_text())["checks"]
    found = [f"{name} names {check}, which is no check" for name, (_, checks) in CLAIMS.items() for check in checks if check not in known]
    if not TABLE.exists() or TABLE.read_text() != table():
        found.append("not up to date: run tests/postgres/run claims --write, then make generate")
    return found


def outcome(name, templates):
    """(line to print, what it counts as)."""
    function, _ = CLAIMS[name]
    lab = Lab(templates)
    try:
        with lab:
            function(lab)
    except Skip as reason:
        return f"{name}: SKIP ({reason})", "skipped"
    except Exception:
        return f"{name}: FAIL\n{traceback.format_exc()}", "failed"
    return f"{name}: PASS", "passed"


def run(names):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory(prefix="walguard-initdb-") as directory:
        own(directory)
        Path(directory).chmod(0o755)
        templates = Templates(Path(directory))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            running = {pool.submit(outcome, name, templates): name for name in sorted(names, key=lambda name: name not in LONG)}
            again = []
            for done in as_completed(running):
                line, kind = done.result()
                if kind == "failed":
                    again.append(running[done])
                else:
                    counts[kind] += 1
                    print(line, flush=True)
        # Checkpoints come late on a disk that others write to, and then more WAL is kept: what fails beside others is tried by itself.
        for name in again:
            line, kind = outcome(name, templates)
            counts[kind] += 1
            print(f"{line} (by itself)" if kind == "passed" else line, flush=True)
    return counts


def main(arguments):
    if arguments == ["--write"]:
        TABLE.write_text(table())
        return 0
    if arguments == ["--list"]:
        for check in sorted({check for _, checks in CLAIMS.values() for check in checks}):
            print(f"{check}: {', '.join(name for name, (_, checks) in CLAIMS.items() if check in checks)}")
        return 0
    unknown = [name for name in arguments if name not in CLAIMS]
    if unknown:
        print(f"no such claim: {', '.join(unknown)}", file=sys.stderr)
        return 2
    counts = run(arguments or list(CLAIMS))
    if not arguments:
        for fault in faults():
            counts["failed"] += 1
            print(f"claims.json: FAIL\n{fault}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
