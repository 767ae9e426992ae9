"""Claims about WAL segments, the volumes they lie on, and shared memory."""

import contextlib
import re
import time

from lab import DatabaseError
from registry import claim

OLD, NEW = 14, 18
MIB = 1 << 20
ONE_MB_SEGMENTS = "--wal-segsize=1"


def write_wal(cluster, mib, table="t", pause=0.0):
    """Writes about so much WAL into a table, which it makes; pauses so many seconds after each MiB, in which a checkpoint keeps up on a disk that others write to."""
    cluster.sql.rows(f"CREATE TABLE IF NOT EXISTS {table} (filler text)")
    cluster.sql.rows(f"ALTER TABLE {table} ALTER filler SET STORAGE plain")
    for _ in range(mib):
        cluster.sql.rows(f"INSERT INTO {table} SELECT repeat('x', 1000) FROM generate_series(1, 950)")
        time.sleep(pause)


def segments_by_fate(log):
    """(removed, recycled) over all checkpoints of a log."""
    fates = re.findall(r"([0-9]+) WAL file\(s\) added, ([0-9]+) removed, ([0-9]+) recycled", log)
    assert fates, log
    return sum(int(removed) for _, removed, _ in fates), sum(int(recycled) for _, _, recycled in fates)


@claim("wal/removed_not_recycled", "wal/init_zero_stall", "wal/init_zero_filesystem")
def small_max_wal_size_removes_segments(lab):
    """The same load removes segments, to create and zero-fill new ones, with a small max_wal_size, and recycles them all with a large one."""
    for major in (OLD, NEW):
        fates = {}
        for limit in ("4MB", "1GB"):
            cluster = lab.cluster(major, ONE_MB_SEGMENTS).start(f"min_wal_size = 2MB\nmax_wal_size = {limit}\ncheckpoint_timeout = 1h")
            for _ in range(4):
                write_wal(cluster, 15)
                cluster.sql.rows("CHECKPOINT")
            fates[limit] = segments_by_fate(cluster.logged())
            cluster.stop()
        removed, _ = fates["4MB"]
        assert removed > 10, fates
        removed, recycled = fates["1GB"]
        assert removed == 0 and recycled > 10, fates


@claim("wal/removed_not_recycled", "wal/init_zero_stall", "storage/bandwidth_below_demand")
def created_segments_are_written_twice(lab):
    """Segments that are created are zero-filled first, which doubles what WAL costs the disk; recycled ones are not."""
    filled_bytes, written_bytes = {}, {}
    # With recycling off every segment is a new one. Which ones a small max_wal_size removes depends on when a checkpoint begins, and so on the disk's other users.
    for recycle in ("off", "on"):
        cluster = lab.cluster(NEW, ONE_MB_SEGMENTS).start(f"min_wal_size = 2MB\nmax_wal_size = 1GB\nwal_recycle = {recycle}\ncheckpoint_timeout = 1h")
        for _ in range(4):  # until segments for one round are there
            write_wal(cluster, 15)
            cluster.sql.rows("CHECKPOINT")
        cluster.sql.rows("SELECT pg_stat_force_next_flush()")
        filled = "SELECT sum(write_bytes) FROM pg_stat_io WHERE object = 'wal' AND context = 'init'"
        before, start = cluster.sql.value(filled), cluster.sql.value("SELECT pg_current_wal_insert_lsn()")
        write_wal(cluster, 10)
        cluster.sql.rows("SELECT pg_stat_force_next_flush()")
        filled_bytes[recycle] = cluster.sql.value(filled) - before
        written_bytes[recycle] = cluster.sql.value(f"SELECT (pg_current_wal_insert_lsn() - '{start}'::pg_lsn)::bigint")
        cluster.stop()
    assert filled_bytes["off"] > written_bytes["off"] * 3 // 4, (filled_bytes, written_bytes)
    assert filled_bytes["on"] <= MIB, (filled_bytes, written_bytes)


@claim("checkpoint/frequent", "durability/full_page_writes")
def frequent_checkpoints_multiply_full_page_writes(lab):
    """The same updates write several times the WAL when checkpoints come often, as each page is written whole after each; wal_compression shrinks that."""
    written = {}
    for name, conf, often in (("rare", "", False), ("often", "", True), ("compressed", "wal_compression = on", True), ("off", "full_page_writes = off", True)):
        cluster = lab.cluster(NEW).start(f"{conf}\ncheckpoint_timeout = 1h\nmax_wal_size = 2GB")
        cluster.sql.rows("CREATE TABLE t (id int PRIMARY KEY, n int, filler text) WITH (fillfactor = 50)")
        cluster.sql.rows("INSERT INTO t SELECT i, 0, repeat('x', 100) FROM generate_series(1, 10000) i")
        cluster.sql.rows("CHECKPOINT")
        start = cluster.sql.value("SELECT pg_current_wal_insert_lsn()")
        for _ in range(10):
            cluster.sql.rows("UPDATE t SET n = n + 1 WHERE id % 25 = 0")
            if often:
                cluster.sql.rows("CHECKPOINT")
        written[name] = cluster.sql.value(f"SELECT (pg_current_wal_insert_lsn() - '{start}'::pg_lsn)::bigint")
        cluster.stop()
    assert written["often"] > 3 * written["rare"], written
    assert written["compressed"] < written["often"] // 2, written
    assert written["off"] < written["often"] // 3, written


@claim("wal/slot_retention_unbounded", "wal/max_wal_vs_volume")
def slot_keeps_wal_beyond_max_wal_size(lab):
    """A replication slot that nobody reads keeps WAL far beyond max_wal_size; max_slot_wal_keep_size ends that, and the slot."""
    for major in (OLD, NEW):
        cluster = lab.cluster(major, ONE_MB_SEGMENTS).start("min_wal_size = 2MB\nmax_wal_size = 4MB")
        cluster.sql.rows("SELECT pg_create_physical_replication_slot('gone', true)")
        write_wal(cluster, 40)
        cluster.sql.rows("CHECKPOINT")
        assert cluster.wal_bytes() >= 36 * MIB, cluster.wal_bytes()
        cluster.reload(max_slot_wal_keep_size="8MB")
        for _ in range(2):  # the first lets go of the slot, the next of its WAL
            cluster.sql.rows("CHECKPOINT")
        status = cluster.sql.value("SELECT wal_status FROM pg_replication_slots")
        assert status == "lost", status
        assert cluster.wal_bytes() <= 16 * MIB, cluster.wal_bytes()
        cluster.stop()


@claim("wal/max_wal_vs_volume", "wal/slot_retention_unbounded", "wal/volume_shared")
def full_wal_volume_panics_the_server(lab):
    """When the WAL volume is full the server panics and every session ends; with room again it recovers all that was committed."""
    for major in (OLD, NEW):
        volume = lab.volume("tmpfs", 24)
        cluster = lab.cluster(major, ONE_MB_SEGMENTS, wal_volume=volume).start("min_wal_size = 2MB\nmax_wal_size = 1GB")
        cluster.sql.rows("CREATE TABLE t (filler text)")
        committed = 0
        with contextlib.suppress(DatabaseError):
            for _ in range(200):
                cluster.sql.rows("INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 200)")
                committed += 200
        lab.wait_for("a panic", lambda: "PANIC" in cluster.logged())
        assert re.search(r"PANIC: .*(No space left on device)", cluster.logged()), cluster.logged()
        cluster.crash()
        volume.grow(64)
        assert cluster.start().sql.value("SELECT count(*) FROM t") >= committed > 0
        cluster.stop()


def current_segment(cluster):
    """The segment that WAL goes to now, one that the server itself has created."""
    made_by_initdb = {path.name for path in (cluster.data / "pg_wal").iterdir()}
    while True:
        cluster.sql.rows("SELECT pg_switch_wal(); CREATE TABLE IF NOT EXISTS t (filler text); INSERT INTO t VALUES ('x')")
        name = cluster.sql.value("SELECT pg_walfile_name(pg_current_wal_lsn())")
        if name not in made_by_initdb:
            return cluster.data / "pg_wal" / name


def sparse_without_zero_fill(lab, filesystem, size_mib):
    volume = lab.volume(filesystem, size_mib)
    cluster = lab.cluster(NEW, wal_volume=volume)
    for setting in ("off", "on"):
        file = current_segment(cluster.start(f"wal_init_zero = {setting}\nmin_wal_size = 32MB\nmax_wal_size = 64MB"))
        status = file.stat()
        allocated = status.st_blocks * 512
        assert status.st_size == 16 * MIB
        assert allocated >= status.st_size if setting == "on" else allocated < status.st_size, f"wal_init_zero={setting}: {allocated} bytes"
        cluster.stop()


@claim("wal/init_zero_filesystem")
def segment_without_zero_fill_is_sparse_on_ext4(lab):
    """On ext4 a segment made with wal_init_zero=off has fewer blocks than its size; zero-filled it has all of them."""
    sparse_without_zero_fill(lab, "ext4", 200)


@claim("wal/init_zero_filesystem")
def segment_without_zero_fill_is_sparse_on_xfs(lab):
    """On XFS, too, a segment made with wal_init_zero=off has fewer blocks than its size."""
    sparse_without_zero_fill(lab, "xfs", 400)


def commits_on_a_full_volume(lab, filesystem, size_mib):
    """wal_init_zero → what becomes of commits into the current segment once its volume is full."""
    outcomes = {}
    for setting in ("off", "on"):
        volume = lab.volume(filesystem, size_mib)
        cluster = lab.cluster(NEW, wal_volume=volume).start(f"wal_init_zero = {setting}\nmin_wal_size = 32MB\nmax_wal_size = 1GB")
        current_segment(cluster)
        volume.fill()
        try:
            write_wal(cluster, 2)  # of the 16 that the segment is for
            outcomes[setting] = "succeed"
        except DatabaseError:
            lab.wait_for("a panic", lambda: "PANIC" in cluster.logged())
            assert re.search(r"PANIC: .*could not write to.*No space left on device", cluster.logged()), cluster.logged()
            outcomes[setting] = "panic"
        cluster.crash()
    return outcomes


@claim("wal/init_zero_filesystem")
def sparse_segment_panics_on_a_full_ext4_volume(lab):
    """On a full ext4 volume a commit into a sparse segment panics the server; into a zero-filled one it succeeds."""
    outcomes = commits_on_a_full_volume(lab, "ext4", 200)
    assert outcomes == {"off": "panic", "on": "succeed"}, outcomes


@claim("wal/init_zero_filesystem")
def sparse_segment_panics_on_a_full_xfs_volume(lab):
    """XFS is no different there: what it is spared with wal_init_zero=off is the stall, not the risk of a full volume."""
    outcomes = commits_on_a_full_volume(lab, "xfs", 400)
    assert outcomes == {"off": "panic", "on": "succeed"}, outcomes


@claim("wal/init_zero_stall")
def zero_filling_a_segment_takes_its_size_by_the_bandwidth(lab):
    """On a disk held to 256 MB/s the first commit into a new segment of 1 GB waits the 4 s that filling it takes, into one of 16 MB 65 ms; without zero-filling it does not write the segment at all."""
    bytes_per_second = 256_000_000
    written = {}
    for segment_mib, setting in ((16, "on"), (16, "off"), (1024, "on")):
        volume = lab.volume("ext4", 4 * segment_mib + 200)
        cluster = lab.cluster(NEW, f"--wal-segsize={segment_mib}", wal_volume=volume)
        sizes = f"min_wal_size = {2 * segment_mib}MB\nmax_wal_size = {2 * segment_mib}MB"
        cluster.start(f"{sizes}\ncheckpoint_timeout = 1h\nwal_init_zero = {setting}\nfsync = on")
        cluster.sql.rows("CREATE TABLE t (n int)")
        cluster.sql.rows("CHECKPOINT")
        made = {path.name for path in (volume / "pg_wal").iterdir()}
        lab.throttle(volume, cluster, bytes_per_second)
        session = cluster.connect()
        filled = "SELECT sum(write_bytes) FROM pg_stat_io WHERE object = 'wal' AND context = 'init'"
        session.rows("SELECT pg_stat_force_next_flush()")
        before = session.value(filled)
        started, name = time.monotonic(), None
        while name in made or name is None:  # until a segment is created
            session.rows("INSERT INTO t VALUES (1); SELECT pg_switch_wal(); INSERT INTO t VALUES (1)")
            name = session.value("SELECT pg_walfile_name(pg_current_wal_insert_lsn())")
        seconds = time.monotonic() - started
        session.rows("SELECT pg_stat_force_next_flush()")
        written[segment_mib, setting] = session.value(filled) - before
        cluster.stop()
        if setting == "on":
            # What a throttled disk takes cannot be less; how much more it is depends on what else the machine does.
            assert seconds >= 0.9 * segment_mib * MIB / bytes_per_second, (segment_mib, seconds)
    assert written[16, "on"] >= 16 * MIB and written[1024, "on"] >= 1024 * MIB, written
    assert written[16, "off"] < MIB, written


@claim("wal/volume_shared", "wal/max_wal_vs_volume")
def shared_volume_panics_where_a_separate_one_does_not(lab):
    """A table that fills the data volume fails that statement; where WAL lies on the same volume, WAL has no room either and the server panics."""
    for shared in (True, False):
        volume = lab.volume("tmpfs", 100)
        cluster = lab.cluster(NEW, ONE_MB_SEGMENTS, volume=volume, wal_volume=None if shared else lab.volume("tmpfs", 64))
        cluster.start("min_wal_size = 2MB\nmax_wal_size = 1GB\nshared_buffers = 1MB")
        cluster.sql.rows("CREATE UNLOGGED TABLE bulk (filler text)")  # fills the volume without WAL
        try:
            while True:
                cluster.sql.rows("INSERT INTO bulk SELECT repeat('x', 1000) FROM generate_series(1, 1000)")
        except DatabaseError as error:
            assert "could not extend file" in str(error) and "No space left on device" in str(error), error
        volume.fill()
        try:
            for _ in range(30):  # WAL and nothing else
                cluster.sql.rows("SELECT pg_logical_emit_message(true, '', repeat('x', 1000000))")
        except DatabaseError:
            lab.wait_for("a panic", lambda: "PANIC" in cluster.logged())
            assert shared, cluster.logged()
        else:
            assert not shared and "PANIC" not in cluster.logged()
        cluster.crash()


@claim("checkpoint/recovery_time")
def recovery_replays_wal_since_the_last_checkpoint(lab):
    """After a crash the server replays all WAL since the last checkpoint: as much as max_wal_size allows."""
    replayed_bytes = {}
    for limit in ("4MB", "1GB"):
        cluster = lab.cluster(NEW, ONE_MB_SEGMENTS).start(f"min_wal_size = 2MB\nmax_wal_size = {limit}\ncheckpoint_timeout = 1h")
        write_wal(cluster, 40, pause=0.05)
        cluster.crash()
        cluster.start()
        start, end = (re.search(rf"redo {word} at ([0-9A-F]+)/([0-9A-F]+)", cluster.logged()) for word in ("starts", "done"))
        replayed_bytes[limit] = int(end[2], 16) - int(start[2], 16)
        cluster.stop()
    assert replayed_bytes["1GB"] > 35 * MIB and replayed_bytes["4MB"] < 8 * MIB, replayed_bytes


@claim("connections/pool_exceeds_server", "connections/reserved")
def connections_beyond_the_limit_are_refused(lab):
    """Others than superusers get max_connections less the reserved ones; the next connection is refused."""
    for major in (OLD, NEW):
        cluster = lab.cluster(major).start("max_connections = 10\nsuperuser_reserved_connections = 3")
        cluster.sql.rows("CREATE ROLE app LOGIN")
        cluster.sql.close()
        got = 0
        try:
            while got < 10:
                cluster.connect("app")
                got += 1
        except DatabaseError as error:
            assert "connection slots are reserved" in str(error), error
        assert got <= 7, got
        cluster.connect()  # the superuser still gets in
        cluster.stop()


@claim("memory/huge_pages_resource", "memory/shared_buffers_exceeds")
def shared_memory_follows_shared_buffers(lab):
    """PostgreSQL maps at least shared_buffers × 1.019 + 8 MB, at most × 1.027 + 40 MB + 0.08 MB per connection."""
    for major in (15, 16, 17, NEW):  # the first that say it
        cluster = lab.cluster(major)
        for buffers_mib in (128, 1024, 8192, 65536, 524288):
            for connections in (20, 100, 500):
                cluster.configure(f"shared_buffers = {buffers_mib}MB\nmax_connections = {connections}")
                shown_mib = int(cluster.ask("shared_memory_size"))
                least_mib = buffers_mib * 1.019 + 8
                most_mib = buffers_mib * 1.027 + 40 + connections * 0.08
                case = f"PostgreSQL {major}, {buffers_mib} MB, {connections} connections: {shown_mib} MB"
                assert least_mib <= shown_mib <= most_mib, case
                assert buffers_mib < 1024 or most_mib <= shown_mib * 1.04, case


@claim("memory/huge_pages_resource")
def shown_shared_memory_is_what_is_mapped(lab):
    """shared_memory_size is the size of the one mapping that a running server shares among its processes."""
    for major in (15, NEW):
        cluster = lab.cluster(major).start("shared_buffers = 256MB\nhuge_pages = off")
        maps = open(f"/proc/{cluster.process.pid}/maps", encoding="ascii", errors="replace").read()
        ranges = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) rw-s .*/dev/zero", maps, re.MULTILINE)
        mapped_mib = max(int(end, 16) - int(start, 16) for start, end in ranges) / MIB
        shown_mib = cluster.sql.value("SELECT setting FROM pg_settings WHERE name = 'shared_memory_size'")
        assert shown_mib - 1 <= mapped_mib <= shown_mib, (mapped_mib, shown_mib)
        cluster.stop()


@claim("wal/max_wal_vs_volume", "wal/slot_retention_unbounded")
def what_is_kept_does_not_add_to_max_wal_size(lab):
    """pg_wal reaches max_wal_size or, where more is kept, the larger of wal_keep_size and what a slot may hold plus max_wal_size ÷ (1 + checkpoint_completion_target), which is the WAL from one checkpoint to the next: not the sum of the three."""
    limit_mib, between_mib, round_mib = 64, 64 / 1.9, 5
    for major in (OLD, NEW):
        for keep_mib, slot_mib in ((0, 0), (32, 0), (128, 0), (0, 128), (64, 128), (128, 64)):
            cluster = lab.cluster(major, ONE_MB_SEGMENTS).start(
                f"""
                min_wal_size = 2MB
                max_wal_size = {limit_mib}MB
                checkpoint_completion_target = 0.9
                checkpoint_timeout = 1h
                shared_buffers = 128MB
                wal_keep_size = {keep_mib}MB
                max_slot_wal_keep_size = {slot_mib}MB
                """
            )
            if slot_mib:
                cluster.sql.rows("SELECT pg_create_physical_replication_slot('behind', true)")
            kept_mib = max(keep_mib, slot_mib)
            most_mib = written_mib = 0
            while written_mib < kept_mib + 4 * between_mib:
                if written_mib > slot_mib > 0:  # its reader stays as far behind as it may: a slot left alone is lost at the next checkpoint
                    behind = f"pg_current_wal_lsn() - {(slot_mib - round_mib - 3) * MIB}::numeric"
                    cluster.sql.rows(f"SELECT pg_replication_slot_advance('behind', {behind})")
                write_wal(cluster, round_mib, pause=0.02)
                written_mib += round_mib
                most_mib = max(most_mib, cluster.wal_bytes() / MIB)
            cluster.stop()
            bound_mib = max(limit_mib, kept_mib + between_mib)
            case = f"PostgreSQL {major}, max_wal_size {limit_mib}, wal_keep_size {keep_mib}, slot {slot_mib}: {most_mib:.0f} MB, {bound_mib:.0f} expected"
            # max_wal_size is a soft limit, and the next segments are there already.
            assert most_mib <= bound_mib + 16, case
            assert most_mib >= 0.8 * bound_mib, case
            assert kept_mib == 0 or most_mib < limit_mib + kept_mib, case
