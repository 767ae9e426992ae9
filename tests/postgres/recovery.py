"""Claims about crashes, damage, backups and replicas."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from lab import DatabaseError, Refused, Skip, own, unprivileged
from registry import claim

OLD, NEW = 14, 18
PAGE_BYTES = 8192
CHECKSUMS = {OLD: ("--data-checksums",), NEW: ()}
NO_CHECKSUMS = {OLD: (), NEW: ("--no-data-checksums",)}


def page(file, number=0):
    with file.open("rb") as opened:
        opened.seek(number * PAGE_BYTES)
        return opened.read(PAGE_BYTES)


def put_page(file, content, number=0):
    with file.open("r+b") as opened:
        opened.seek(number * PAGE_BYTES)
        opened.write(content)


def answer(cluster, sql):
    """What the session says to a query: a value, or the text of the error."""
    try:
        return cluster.sql.value(sql)
    except DatabaseError as error:
        return str(error)


def after_torn_write(lab, major, initdb_options, full_page_writes):
    """A cluster, not started, that crashed while the second half of a page was not yet on the disk.

    Its table t has two rows, which fill the second half of a page; an update after a checkpoint put their new versions into the
    first half. Shared buffers are so few that the page is written before the next checkpoint. What the disk holds after the
    crash is the new first half with the old second one."""
    conf = f"full_page_writes = {full_page_writes}\nshared_buffers = 128kB\ncheckpoint_timeout = 1h\nmax_wal_size = 1GB"
    cluster = lab.cluster(major, *initdb_options).start(conf)
    cluster.sql.rows("CREATE TABLE t (version int, filler text); CREATE TABLE other (filler text)")
    cluster.sql.rows("INSERT INTO t SELECT 1, repeat('x', 1900) FROM generate_series(1, 2)")
    # Hint bits now: to set one after the checkpoint writes the page to WAL, with checksums even if full_page_writes is off.
    cluster.sql.rows("SELECT count(*) FROM t")
    cluster.sql.rows("CHECKPOINT")
    file = cluster.file_of("t")
    old = page(file)
    cluster.sql.rows("UPDATE t SET version = 2")
    cluster.sql.rows("INSERT INTO other SELECT repeat('y', 1000) FROM generate_series(1, 1000)")  # needs the buffers
    new = page(file)
    assert file.stat().st_size == PAGE_BYTES and new[:4096] != old[:4096] and new[4096:] != old[4096:], "the new page was not written"
    cluster.crash()
    put_page(file, new[:4096] + old[4096:])
    return cluster


@claim("durability/full_page_writes", "durability/data_checksums")
def full_page_writes_repair_a_torn_page(lab):
    """After a crash that tore a page, full_page_writes=on restores it from WAL, with or without checksums."""
    for major in (OLD, NEW):
        for options in (CHECKSUMS[major], NO_CHECKSUMS[major]):
            cluster = after_torn_write(lab, major, options, "on").start()
            assert cluster.sql.rows("SELECT count(*), sum(version) FROM t") == [["2", "4"]]


@claim("durability/full_page_writes", "durability/data_checksums")
def checksum_detects_a_torn_page_and_cannot_repair_it(lab):
    """With full_page_writes=off and checksums a torn page is an error after the crash – or the server does not start: its rows are lost."""
    for major in (OLD, NEW):
        cluster = after_torn_write(lab, major, CHECKSUMS[major], "off")
        try:
            told = answer(cluster.start(), "SELECT count(*) FROM t")
        except Refused as refusal:
            told = str(refusal)
        assert "invalid page in block 0" in str(told), told


@claim("durability/full_page_writes", "durability/data_checksums")
def torn_page_without_checksum_is_silent(lab):
    """With full_page_writes=off and no checksums a torn page is read without an error, and queries give wrong answers: every row twice."""
    for major in (OLD, NEW):
        cluster = after_torn_write(lab, major, NO_CHECKSUMS[major], "off").start()
        found = cluster.sql.rows("SELECT count(*), sum(version) FROM t")
        assert found == [["4", "6"]], found


def with_damaged_page(lab, major, initdb_options, conf=""):
    """A running cluster whose table t has 200 rows; of one, in the first page, the disk changed a letter."""
    cluster = lab.cluster(major, *initdb_options).start(conf)
    cluster.sql.rows("CREATE TABLE t (word text); INSERT INTO t SELECT 'word' || repeat('d', 100) FROM generate_series(1, 200)")
    file = cluster.file_of("t")
    cluster.stop()
    good = page(file)
    put_page(file, good.replace(b"word", b"wOrd", 1))
    assert page(file) != good
    return cluster.start()


@claim("durability/data_checksums")
def damage_is_silent_without_checksums(lab):
    """A byte that the disk changed is returned as data without checksums, and is an error with them."""
    for major in (OLD, NEW):
        cluster = with_damaged_page(lab, major, NO_CHECKSUMS[major])
        assert cluster.sql.rows("SELECT count(*) FROM t WHERE word LIKE 'wOrd%'") == [["1"]]
        told = answer(with_damaged_page(lab, major, CHECKSUMS[major]), "SELECT count(*) FROM t")
        assert "invalid page in block 0" in str(told), told


@claim("durability/corruption_masking")
def masked_corruption_loses_rows_without_an_error(lab):
    """zero_damaged_pages=on drops all rows of a damaged page and goes on; ignore_checksum_failure=on returns what the disk made of it."""
    for major in (OLD, NEW):
        cluster = with_damaged_page(lab, major, CHECKSUMS[major], "zero_damaged_pages = on")
        left = cluster.sql.value("SELECT count(*) FROM t")
        assert 0 < left < 200, left
        assert "zeroing out page" in cluster.logged()
        cluster = with_damaged_page(lab, major, CHECKSUMS[major], "ignore_checksum_failure = on")
        assert cluster.sql.rows("SELECT count(*), count(*) FILTER (WHERE word LIKE 'wOrd%') FROM t") == [["200", "1"]]


def rows_after_power_cut(lab, fsync):
    """How many of 200 commits, each acknowledged, are there after the volume lost power; None where the server does not start."""
    volume = lab.volume("xfs", 400)
    cluster = lab.cluster(NEW, volume=volume).start(f"fsync = {fsync}\nwal_init_zero = on")
    cluster.sql.rows("CREATE TABLE t (id int)")
    cluster.sql.rows("CHECKPOINT")
    os.sync()
    for row in range(200):
        cluster.sql.rows(f"INSERT INTO t VALUES ({row})")
    volume.cut_power()
    cluster.crash()
    volume.unmount()
    volume.mount()
    try:
        return int(cluster.start().sql.value("SELECT count(*) FROM t"))
    except (Refused, DatabaseError):
        return None


@claim("durability/fsync")
def fsync_off_loses_acknowledged_commits(lab):
    """When an XFS volume loses power, every acknowledged commit survives with fsync=on; with fsync=off commits, or the database, are lost."""
    assert rows_after_power_cut(lab, "on") == 200
    left = rows_after_power_cut(lab, "off")
    assert left is None or left < 200, left


@claim("durability/write_barriers")
def xfs_refuses_nobarrier_and_ext4_takes_it(lab):
    """ext4 mounts with barrier=0 and with data=writeback without a word; XFS with nobarrier is not mounted at all."""
    ext4 = lab.volume("ext4", 32)
    for options in ("barrier=0", "data=writeback"):
        ext4.unmount()
        ext4.mount(options)
        mounted = [line for line in Path("/proc/mounts").read_text().splitlines() if f" {ext4.path} " in line]
        assert len(mounted) == 1 and options.replace("barrier=0", "nobarrier") in mounted[0], mounted
    xfs = lab.volume("xfs", 400)
    xfs.unmount()
    try:
        xfs.mount("nobarrier")
    except subprocess.CalledProcessError:
        return
    raise AssertionError("XFS mounts with nobarrier")


@claim("durability/synchronous_commit")
def asynchronous_commit_loses_the_last_commits_only(lab):
    """After a crash with synchronous_commit=off the last acknowledged commits are gone, none before them, and the database is whole."""
    for major in (OLD, NEW):
        for setting in ("on", "off"):
            # A long delay makes the window one that a test can hit.
            cluster = lab.cluster(major).start(f"synchronous_commit = {setting}\nwal_writer_delay = 10s\nwal_writer_flush_after = 1GB")
            cluster.sql.rows("CREATE TABLE t (id int PRIMARY KEY)")
            cluster.sql.rows("CHECKPOINT")
            for row in range(1, 301):
                cluster.sql.rows(f"INSERT INTO t VALUES ({row})")
            cluster.crash()
            cluster.start()
            rows, last = map(int, cluster.sql.rows("SELECT count(*), coalesce(max(id), 0) FROM t")[0])
            assert rows == last, "a commit is missing before one that is there"
            assert rows == 300 if setting == "on" else rows < 300, f"{setting}: {rows} of 300"
            cluster.stop()


def primary_and_standby(lab, major, conf="", *initdb_options):
    """A primary with table t of 100 rows, and a standby that streams from it; both running."""
    primary = lab.cluster(major, *initdb_options).start(conf)
    primary.sql.rows("CREATE TABLE t (id int); INSERT INTO t SELECT generate_series(1, 100)")
    primary.stop()
    standby = lab.standby(primary)
    primary.start()
    return primary, standby.start()


def catch_up(primary, standby):
    """Lets the standby replay everything and make a restartpoint of it."""
    primary.sql.rows("CHECKPOINT")
    target = primary.sql.value("SELECT pg_current_wal_lsn()")
    primary.lab.wait_for("the standby to replay", lambda: standby.sql.value(f"SELECT pg_last_wal_replay_lsn() >= '{target}'") == "t")
    standby.sql.rows("CHECKPOINT")


@claim("durability/full_page_writes_standby_backup", "durability/full_page_writes")
def standby_backup_fails_without_full_page_writes(lab):
    """With full_page_writes=off on the primary a base backup of the standby is refused; one of the primary works and can be restored."""
    for major in (OLD, NEW):
        primary, standby = primary_and_standby(lab, major)
        catch_up(primary, standby)
        standby.begin_backup()
        assert "START WAL LOCATION" in standby.end_backup()

        primary.reload(full_page_writes="off")
        primary.sql.rows("INSERT INTO t SELECT generate_series(101, 200)")
        catch_up(primary, standby)
        try:
            standby.begin_backup()
            standby.end_backup()
        except DatabaseError as error:
            assert "full_page_writes=off" in str(error) and "replayed since last restartpoint" in str(error), error
        else:
            raise AssertionError(f"PostgreSQL {major} takes a base backup of the standby")

        restored = primary.base_backup(f"restored{major}").start("")
        assert restored.sql.value("SELECT count(*) FROM t") == 200
        for cluster in (restored, standby, primary):
            cluster.stop()
        shutil.rmtree(standby.home)


def find_pg_rewind():
    """(path, major) of a pg_rewind that fits one of the servers."""
    places = [os.environ.get("PATH", ""), *(f"/usr/lib/postgresql/{major}/bin" for major in (18, 17, 16, 15, 14))]
    path = shutil.which("pg_rewind", path=":".join(places))
    if path is None:
        raise Skip("pg_rewind is not installed; the servers' package does not have it")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    return path, int(re.search(r" ([0-9]+)", version)[1])


@claim("durability/full_page_writes_rewind")
def pg_rewind_refuses_a_source_without_full_page_writes(lab):
    """After a failover pg_rewind refuses a new primary with full_page_writes=off, and re-joins the old one with on."""
    pg_rewind, major = find_pg_rewind()
    former, promoted = primary_and_standby(lab, major, "wal_log_hints = on")
    catch_up(former, promoted)
    promoted.sql.rows("SELECT pg_promote()")
    former.sql.rows("INSERT INTO t SELECT generate_series(101, 150)")  # what the other one never got
    former.stop()
    promoted.sql.rows("INSERT INTO t SELECT generate_series(101, 200)")
    promoted.sql.rows("CHECKPOINT")
    source = f"--source-server=host={promoted.home} user=postgres dbname=postgres"
    command = [pg_rewind, f"--target-pgdata={former.data}", source, "--no-ensure-shutdown", "--no-sync"]

    promoted.reload(full_page_writes="off")
    done = subprocess.run(command, capture_output=True, text=True, cwd=former.home, **unprivileged())
    assert done.returncode != 0 and "full_page_writes" in done.stderr and "must be enabled" in done.stderr, done.stderr
    promoted.reload(full_page_writes="on")
    done = subprocess.run(command, capture_output=True, text=True, cwd=former.home, **unprivileged())
    assert done.returncode == 0, done.stderr


def archiving(lab, major, keeps):
    """(primary with table t of 100 rows that archives, or seems to; the restore_command that goes with it)."""
    archive = lab.home / f"archive-{major}-{keeps}"
    archive.mkdir()
    own(archive)
    command = f"cp %p {archive}/%f" if keeps else "/bin/true"
    primary = lab.cluster(major).start(f"archive_mode = on\narchive_command = '{command}'")
    primary.sql.rows("CREATE TABLE t (id int); INSERT INTO t SELECT generate_series(1, 100)")
    return primary, f"restore_command = 'cp {archive}/%f %p'\n"


def recover(cluster, conf):
    """Starts a base backup so that it takes WAL from the archive."""
    (cluster.data / "recovery.signal").touch()
    own(cluster.data / "recovery.signal")
    return cluster.start(conf)


@claim("backup/archiving_discards")
def discarding_archiver_makes_base_backups_useless(lab):
    """With archive_command=/bin/true a base backup that leaves its WAL to the archive completes, and no server starts from it."""
    for major in (OLD, NEW):
        for keeps in (False, True):
            primary, restore = archiving(lab, major, keeps)
            restored = primary.base_backup(f"restored-{major}-{keeps}", wal="archived")
            assert primary.sql.value("SELECT failed_count FROM pg_stat_archiver") == 0
            primary.stop()
            try:
                recover(restored, restore)
            except Refused as refusal:
                assert not keeps and "could not locate required checkpoint record" in str(refusal), refusal
            else:
                assert keeps, f"PostgreSQL {major} starts without WAL"
                assert restored.sql.value("SELECT count(*) FROM t") == 100
                restored.stop()


@claim("backup/archiving_discards")
def discarding_archiver_loses_point_in_time_recovery(lab):
    """With archive_command=/bin/true archiving looks healthy, and a base backup cannot be brought to any later point in time."""
    for major in (OLD, NEW):
        for keeps in (False, True):
            primary, restore = archiving(lab, major, keeps)
            restored = primary.base_backup(f"restored-{major}-{keeps}")
            primary.sql.rows("INSERT INTO t SELECT generate_series(101, 200)")
            primary.sql.rows("SELECT pg_create_restore_point('noon')")
            segment = primary.sql.value("SELECT pg_walfile_name(pg_switch_wal())")
            archived = f"SELECT last_archived_wal >= '{segment}' AND failed_count = 0 FROM pg_stat_archiver"
            lab.wait_for("the segment to be archived", lambda: primary.sql.value(archived) == "t")
            primary.stop()
            ended = "recovery ended before configured recovery target was reached"
            try:
                recover(restored, f"{restore}recovery_target_name = 'noon'\nrecovery_target_action = 'promote'")
                if keeps:
                    lab.wait_for("recovery to end", lambda: restored.sql.value("SELECT pg_is_in_recovery()") == "f")
                    assert restored.sql.value("SELECT count(*) FROM t") == 200
                    restored.stop()
                else:  # it answers, read-only, until it gives up
                    lab.wait_for("recovery to end the server", restored.ended)
                    assert ended in restored.logged(), restored.logged()
            except Refused as refusal:
                assert not keeps and ended in str(refusal), refusal
