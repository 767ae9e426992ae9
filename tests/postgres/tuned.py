"""Sets of parameters that `walguard tune` proposes, on real servers of every major: the server starts with them, and has every value.
Beside them what pgtune adds whatever the build is, and a server without it does not start with (docs/tune.md).

Prints a line for each set; exits 1 when a server refused one or has another value. WALGUARD names the program (target/debug/walguard).
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab import Lab, Refused, Templates, own
from servers import MAJORS

PROGRAM = os.environ.get("WALGUARD", str(Path(__file__).parents[2] / "target/debug/walguard"))
# Small, so that shared memory of any machine holds their buffers; the formulas are the same for large ones.
MACHINES = [
    ["--cpu", "1", "--memory", "512Mi", "--disk", "aws-gp3:10Gi", "--workload", "web"],
    ["--cpu", "4", "--memory", "2Gi", "--disk", "ali-essd-pl1:460Gi", "--workload", "oltp", "--connections", "300"],
    ["--cpu", "32", "--memory", "3Gi", "--disk", "gcp-pd-ssd:2Ti", "--wal-disk", "gcp-pd-ssd:100Gi", "--workload", "dw"],
    ["--cpu", "500m", "--memory", "256Mi", "--disk", "1Gi", "--workload", "mixed"],
]


def proposed(major, machine):
    command = [PROGRAM, "tune", *machine, "--pg-version", str(major), "-o", "conf"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def settings(conf):
    """The lines that set something, as (name, value)."""
    lines = [line.split(" = ", 1) for line in conf.splitlines() if line and not line.startswith("#")]
    return [(name, value.strip("'")) for name, value in lines]


def differences(sql, wanted):
    """What the server has otherwise, in words."""
    for name, value in wanted:
        has = sql.value(f"SELECT current_setting('{name}')")
        same = f"pg_size_bytes(current_setting('{name}')) = pg_size_bytes('{value}')"
        if str(has) != value and not (value.endswith("B") and sql.value(f"SELECT {same}") == "t"):
            yield f"{name} is {has}, not {value}"


# As pgtune writes them for Linux; the servers here are built without lz4 and liburing.
OF_BUILDS = [(15, "wal_compression = lz4"), (18, "io_method = io_uring")]


def starts(lab, major, conf):
    try:
        lab.cluster(major).start(conf)
    except Refused:
        return False
    return True


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="walguard-tuned-") as directory:
        own(directory)
        Path(directory).chmod(0o755)
        templates = Templates(Path(directory))
        for major in MAJORS:
            for machine in MACHINES:
                conf = proposed(major, machine)
                wanted = settings(conf)
                title = f"PostgreSQL {major}, {' '.join(machine)}"
                with Lab(templates) as lab:
                    try:
                        found = list(differences(lab.cluster(major).start(conf).sql, wanted))
                    except Refused as reason:
                        found = [f"refused: {reason}"]
                if not wanted:
                    found = ["nothing is proposed"]
                failed += bool(found)
                print(f"{title}: {'; '.join(found) or f'starts with {len(wanted)} values'}", flush=True)
        for major, line in OF_BUILDS:
            with Lab(templates) as lab:
                started = starts(lab, major, line)
            failed += started
            print(f"PostgreSQL {major}, {line}: {'starts, but this build was to lack it' if started else 'refused by a build without it'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
