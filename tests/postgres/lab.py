"""Running servers for claims.py: clusters with a postmaster, SQL through PostgreSQL's own libpq, volumes that can fill up or lose power.

Everything lives in one temporary directory per claim and is undone when the claim ends. What this machine does not allow
raises `Skip` with the reason.
"""

import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from servers import MAJORS, initdb, install, unprivileged

START_SECONDS = 60  # until a server must answer or have given up; a start takes 0.2 s on an idle machine


class Skip(Exception):
    """What the claim needs is not to be had here."""


class Refused(Exception):
    """The server ended instead of starting; the message is what it logged."""


class DatabaseError(Exception):
    """A statement failed, or the connection broke."""


# Notices would go to stderr.
NO_NOTICES = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(lambda _context, _text: None)


def libpq():
    """The client library of the newest server, which speaks to all."""
    library = ctypes.CDLL(str(install(MAJORS[-1]) / "lib/libpq.so.5"))
    pointer, text, integer = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, *arguments in [
        ("PQconnectdb", pointer, text), ("PQstatus", integer, pointer), ("PQfinish", None, pointer), ("PQerrorMessage", text, pointer),
        ("PQexec", pointer, pointer, text), ("PQresultStatus", integer, pointer), ("PQresultErrorMessage", text, pointer),
        ("PQntuples", integer, pointer), ("PQnfields", integer, pointer), ("PQgetvalue", text, pointer, integer, integer),
        ("PQclear", None, pointer), ("PQsetNoticeProcessor", pointer, pointer, type(NO_NOTICES), pointer),
    ]:  # fmt: skip
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class Connection:
    """One session. Values come as text, NULL as the empty string."""

    def __init__(self, library, conninfo):
        self.library = library
        self.handle = library.PQconnectdb(conninfo.encode())
        if library.PQstatus(self.handle) != 0:
            reason = library.PQerrorMessage(self.handle).decode(errors="replace")
            self.close()
            raise DatabaseError(reason)
        library.PQsetNoticeProcessor(self.handle, NO_NOTICES, None)

    def rows(self, sql):
        """The rows of the last statement, each a list of texts."""
        result = self.library.PQexec(self.handle, sql.encode())
        try:
            if self.library.PQresultStatus(result) not in (1, 2):  # COMMAND_OK, TUPLES_OK
                reason = self.library.PQresultErrorMessage(result) or self.library.PQerrorMessage(self.handle)
                raise DatabaseError(reason.decode(errors="replace"))
            columns = range(self.library.PQnfields(result))
            return [[self.library.PQgetvalue(result, row, c).decode() for c in columns] for row in range(self.library.PQntuples(result))]
        finally:
            self.library.PQclear(result)

    def value(self, sql):
        """The first column of the first row: a number where it is one of 64 bits at most (names of segments are not)."""
        text = self.rows(sql)[0][0]
        return int(text) if re.fullmatch(r"-?[0-9]{1,19}", text) else text

    def close(self):
        if self.handle:
            self.library.PQfinish(self.handle)
            self.handle = None


class Cluster:
    """A data directory and the server on it. `conf` is appended to what initdb wrote, so that the last value wins."""

    def __init__(self, lab, major, home, data):
        self.lab, self.major, self.home, self.data = lab, major, home, data
        self.root = install(major)
        self.log = home / "log"
        self.written_by_initdb = Path(data, "postgresql.conf").read_text()
        self.process = None
        self.connections = []
        self.sql = None

    def configure(self, conf):
        base = f"""
            listen_addresses = ''
            unix_socket_directories = '{self.home}'
            max_connections = 20
            shared_buffers = 16MB
            autovacuum = off
            log_checkpoints = on
            fsync = off
        """
        Path(self.data, "postgresql.conf").write_text(f"{self.written_by_initdb}\n{base}\n{conf}\n")

    def ended(self):
        return self.process is None or self.process.poll() is not None

    def start(self, conf=None):
        """Returns once the server answers; `self.sql` is a session. Raises Refused where the server ends instead."""
        if conf is not None:
            self.configure(conf)
        before = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            command = [str(self.root / "bin/postgres"), "-D", str(self.data)]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.home, **unprivileged())
        deadline = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(DatabaseError):
                self.sql = self.connect()
                return self
            if self.process.poll() is not None:
                raise Refused(self.logged(before))
            if time.monotonic() > deadline:
                raise TimeoutError(f"PostgreSQL {self.major} neither answers nor ends:\n{self.logged(before)}")
            time.sleep(0.05)

    def ask(self, name):
        """A parameter as the server would have it, worked out without starting."""
        command = [str(self.root / "bin/postgres"), "-C", name, "-D", str(self.data)]
        return subprocess.run(command, cwd=self.home, capture_output=True, text=True, check=True, **unprivileged()).stdout.strip()

    def connect(self, user="postgres"):
        conninfo = f"host={self.home} dbname=postgres user={user} options='-c statement_timeout=60s'"
        connection = Connection(self.lab.library, conninfo)
        self.connections.append(connection)
        return connection

    def reload(self, **settings):
        """ALTER SYSTEM SET …; returns once the server, the checkpointer and this session go by the new values."""
        for name, value in settings.items():
            self.sql.rows(f"ALTER SYSTEM SET {name} = '{value}'")
        before = self.sql.value("SELECT pg_conf_load_time()")
        self.sql.rows("SELECT pg_reload_conf()")
        self.lab.wait_for("postgresql.conf to be read again", lambda: self.sql.value("SELECT pg_conf_load_time()") != before)
        self.sql.rows("CHECKPOINT")

    def processes(self):
        """The ids of all processes of the server."""
        postmaster = self.process.pid
        return [postmaster, *map(int, Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split())]

    def logged(self, since_byte=0):
        return self.log.read_bytes()[since_byte:].decode(errors="replace")

    def file_of(self, table):
        return self.data / self.sql.value(f"SELECT pg_relation_filepath('{table}')")

    def wal_bytes(self):
        return self.sql.value("SELECT sum(size) FROM pg_ls_waldir()")

    def _end(self, how):
        for connection in self.connections:
            connection.close()
        self.connections.clear()
        if not self.ended():
            self.process.send_signal(how)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise

    def stop(self):
        """A clean shutdown, with its checkpoint."""
        self._end(signal.SIGINT)

    def crash(self):
        """Every process of the server ends at once; the next start recovers from WAL."""
        self._end(signal.SIGQUIT)

    def begin_backup(self):
        """Starts a base backup in the present session."""
        call = "pg_backup_start('b', true)" if self.major >= 15 else "pg_start_backup('b', true, false)"
        self.sql.rows(f"SELECT {call}")

    def end_backup(self, wait_for_archive=False):
        """Its backup_label."""
        wait = str(wait_for_archive).lower()
        call = f"pg_backup_stop({wait})" if self.major >= 15 else f"pg_stop_backup(false, {wait})"
        return self.sql.rows(f"SELECT labelfile FROM {call}")[0][0]

    def base_backup(self, name, wal="copied"):
        """A base backup as a cluster of its own that has not been started: with the WAL it needs, or where that is "archived" without."""
        self.begin_backup()
        copy = self.lab.copy(self, name)
        label = self.end_backup(wait_for_archive=wal == "archived")
        shutil.rmtree(copy.data / "pg_wal")
        if wal == "copied":  # as `pg_basebackup --wal-method=fetch` does
            copytree(self.data / "pg_wal", copy.data / "pg_wal")
        else:
            (copy.data / "pg_wal").mkdir(mode=0o700)
            own(copy.data / "pg_wal")
        (copy.data / "backup_label").write_text(label)
        (copy.data / "postmaster.pid").unlink()
        own(copy.data / "backup_label")
        return copy


def own(*paths):
    """Gives files made by root to the user that servers run as."""
    if os.geteuid() == 0:
        for path in paths:
            shutil.chown(path, "nobody")


def copytree(source, target):
    """A copy with its owners. Files may vanish meanwhile, as in any base backup."""
    done = subprocess.run(["cp", "-a", str(source), str(target)], stderr=subprocess.PIPE, text=True)
    errors = [line for line in done.stderr.splitlines() if "No such file" not in line]
    if errors:
        raise OSError("\n".join(errors))


class Templates:
    """Directories that initdb made, shared by all claims of a run."""

    def __init__(self, directory):
        self.directory = directory
        self.lock = threading.Lock()
        self.made = {}

    def get(self, major, options):
        with self.lock:
            lock = self.made.setdefault((major, options), threading.Lock())
        with lock:
            target = self.directory / f"{major}{''.join(options)}"
            if not target.exists():
                done = initdb(major, target, options)
                if done.returncode != 0:
                    raise Refused(done.stderr)
        return target


class Lab:
    """What one claim uses."""

    def __init__(self, templates):
        self.templates = templates
        self.library = libpq()
        self.stack = contextlib.ExitStack()
        self.home = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="walguard-claim-", ignore_cleanup_errors=True)))
        self.home.chmod(0o755)
        self.clusters = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def _adopt(self, major, name, data):
        home = self.home / name
        cluster = Cluster(self, major, home, data)
        self.clusters.append(cluster)
        self.stack.callback(cluster.crash)
        return cluster

    def _home(self, name):
        home = self.home / name
        home.mkdir()
        own(home)
        return home

    def cluster(self, major, *initdb_options, volume=None, wal_volume=None):
        """A fresh data directory in the temporary directory, or on `volume`; its pg_wal on `wal_volume`."""
        template = self.templates.get(major, initdb_options)
        name = f"c{len(self.clusters)}"
        home = self._home(name)
        data = (volume or home) / "data"
        copytree(template, data)
        if wal_volume:
            copytree(data / "pg_wal", wal_volume / "pg_wal")
            shutil.rmtree(data / "pg_wal")
            (data / "pg_wal").symlink_to(wal_volume / "pg_wal")
        return self._adopt(major, name, data)

    def copy(self, cluster, name):
        """The data directory of another cluster as it is now."""
        home = self._home(name)
        copytree(cluster.data, home / "data")
        return self._adopt(cluster.major, name, home / "data")

    def standby(self, primary, name="standby"):
        """A copy of a stopped primary that will stream from it; configured, not started."""
        standby = self.copy(primary, name)
        signal_file = standby.data / "standby.signal"
        signal_file.touch()
        own(signal_file)
        standby.configure(f"primary_conninfo = 'host={primary.home} user=postgres'\nhot_standby = on")
        return standby

    def volume(self, filesystem, size_mib):
        """A mounted, empty volume of its own: tmpfs, or ext4 or xfs in a file."""
        if os.geteuid() != 0:
            raise Skip(f"mounting {filesystem} needs root")
        path = self._home(f"volume{len(list(self.home.iterdir()))}")
        if filesystem == "tmpfs":
            command = ["mount", "-t", "tmpfs", "-o", f"size={size_mib}m", "tmpfs", str(path)]
        else:
            maker = shutil.which(f"mkfs.{filesystem}", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
            if maker is None:
                raise Skip(f"mkfs.{filesystem} is not installed")
            image = path.with_suffix(".img")
            with image.open("wb") as file:
                file.truncate(size_mib << 20)
            subprocess.run([maker, "-q", str(image)], check=True, capture_output=True)
            command = ["mount", "-o", "loop", "-t", filesystem, str(image), str(path)]
        volume = Volume(self, path, command)
        try:
            volume.mount()
        except subprocess.CalledProcessError as error:
            raise Skip(f"mounting {filesystem} is refused: {error.stderr.strip()}") from error
        self.stack.callback(volume.unmount)
        own(path)
        return volume

    def throttle(self, volume, cluster, bytes_per_second):
        """Lets the server write to a loop-mounted volume no faster than that, by the I/O controller of cgroups (version 2, or 1)."""
        device = os.stat(subprocess.run(["findmnt", "-no", "SOURCE", str(volume.path)], capture_output=True, text=True, check=True).stdout.strip())
        number = f"{os.major(device.st_rdev)}:{os.minor(device.st_rdev)}"
        if Path("/sys/fs/cgroup/cgroup.controllers").exists():
            root, limit = Path("/sys/fs/cgroup"), ("io.max", f"{number} wbps={bytes_per_second}")
        else:
            root, limit = Path("/sys/fs/cgroup/blkio"), ("blkio.throttle.write_bps_device", f"{number} {bytes_per_second}")
        group = root / f"{self.home.name}-{volume.path.name}"
        try:
            if limit[0] == "io.max" and "io" not in (root / "cgroup.subtree_control").read_text().split():
                (root / "cgroup.subtree_control").write_text("+io")
            group.mkdir()
            self.stack.callback(self._leave, cluster, group, root)
            (group / limit[0]).write_text(limit[1])
            for process in cluster.processes():
                (group / "cgroup.procs").write_text(str(process))
        except OSError as error:
            raise Skip(f"no I/O controller of cgroups: {error}") from error

    def _leave(self, cluster, group, root):
        """A group can be removed once no process is left in it."""
        cluster.crash()
        for process in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                (root / "cgroup.procs").write_text(process)
        group.rmdir()

    def wait_for(self, what, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {seconds} s for {what}")
            time.sleep(0.05)


class Volume:
    """A mount point. `volume / name` is a path on it."""

    def __init__(self, lab, path, command):
        self.lab, self.path, self.command, self.mounted = lab, path, command, False

    def __truediv__(self, name):
        return self.path / name

    def mount(self, *options):
        subprocess.run([*self.command, *(word for option in options for word in ("-o", option))], check=True, capture_output=True, text=True)
        self.mounted = True

    def unmount(self):
        """Waits for the last process of a crashed server to let go of it."""
        if self.mounted:
            command = ["umount", str(self.path)]
            self.lab.wait_for(f"{self.path} to be unmounted", lambda: subprocess.run(command, capture_output=True).returncode == 0)
        self.mounted = False

    def grow(self, size_mib):
        """Gives a tmpfs another size."""
        subprocess.run(["mount", "-o", f"remount,size={size_mib}m", str(self.path)], check=True, capture_output=True)

    def fill(self):
        """Takes all the space that is left."""
        for block_bytes in (65536, 512):
            with contextlib.suppress(OSError), Path(self.path, f"ballast{block_bytes}").open("wb", buffering=0) as file:
                while True:
                    file.write(b"x" * block_bytes)

    def cut_power(self):
        """What the filesystem has not written by now is lost, as when the node fails."""
        tool = shutil.which("xfs_io", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
        if tool is None:
            raise Skip("xfs_io is not installed")
        subprocess.run([tool, "-x", "-c", "shutdown", str(self.path)], check=True, capture_output=True)
