"""Claims about what a server does with its configuration as it starts: refuse, or start and say nothing."""

from pathlib import Path

from lab import Refused, Skip, own
from registry import claim
from servers import initdb

OLD, NEW = 14, 18
SUPPORTED = [14, 15, 16, 17, 18]


def refused(lab, major, conf, reason, *initdb_options):
    """The server does not start with `conf`, says `reason`, and does start without."""
    cluster = lab.cluster(major, *initdb_options)
    try:
        cluster.start(conf)
    except Refused as refusal:
        assert reason in str(refusal), f"PostgreSQL {major} with {conf!r} refuses for another reason:\n{refusal}"
        return
    raise AssertionError(f"PostgreSQL {major} starts with {conf!r}")


def starts(lab, major, conf, *initdb_options):
    """The server starts with `conf`; returns it running."""
    return lab.cluster(major, *initdb_options).start(conf)


@claim("parameters/unknown")
def unknown_parameter_refuses_start(lab):
    """A name that PostgreSQL does not know ends the server before it starts."""
    for major in SUPPORTED:
        refused(lab, major, "max_wal_sise = 1GB", 'unrecognized configuration parameter "max_wal_sise"')


@claim("access/hba_invalid")
def unreadable_line_of_pg_hba_refuses_start(lab):
    """One line of pg_hba.conf that cannot be read ends the server before it starts, whatever the others say."""
    bad = {
        "local all all": "end-of-line before authentication method",
        "host all all": "end-of-line before IP address specification",
        "hosts all all all md5": 'invalid connection type "hosts"',
        "host all all 10.0.0.1 md5": 'invalid IP mask "md5"',
        "host all all 10.0.0.0/33 md5": 'invalid CIDR mask in address "10.0.0.0/33"',
        "host all all db.example.com/24 md5": 'specifying both host name and CIDR mask is invalid: "db.example.com/24"',
        "host all all 10.0.0.0/8,11.0.0.0/8 md5": "multiple values specified for host address",
        "host all all all scram": 'invalid authentication method "scram"',
        "host all all all peer": "peer authentication is only supported on local sockets",
        "host all all all cert": "cert authentication is only supported on hostssl connections",
        "local all all trust extra": "authentication option not in name=value format: extra",
    }
    for major in (OLD, NEW):
        cluster = lab.cluster(major)
        cluster.configure("")
        hba = cluster.data / "pg_hba.conf"
        good = hba.read_text()
        for line, reason in bad.items():
            hba.write_text(f"{good}\n{line}\n")
            try:
                cluster.start()
            except Refused as refusal:
                assert reason in str(refusal) and "could not load" in str(refusal), f"{line!r} is refused for another reason:\n{refusal}"
            else:
                raise AssertionError(f"PostgreSQL {major} starts with {line!r}")
        hba.write_text(f"{good}\nhost a, b all 10.0.0.0/08 md5\nhost all all 10.0.0.0 255.0.0.0 md5\nhost all all * md5\n")
        cluster.start()


@claim("parameters/unknown")
def unknown_name_with_dot_is_ignored(lab):
    """A name with a dot is accepted without a word, whatever it says."""
    cluster = starts(lab, NEW, "nobody.autoprepare_threshold = 7")
    assert cluster.sql.value("SHOW nobody.autoprepare_threshold") == 7
    assert "autoprepare" not in cluster.logged()


@claim("parameters/removed")
def removed_parameter_refuses_start(lab):
    """A parameter that a major removed ends the server of that major, and is fine one major before."""
    removed = [
        ("wal_keep_segments = 8", 13),
        ("stats_temp_directory = 'pg_stat_tmp'", 15),
        ("vacuum_defer_cleanup_age = 0", 16),
        ("old_snapshot_threshold = -1", 17),
    ]
    for conf, major in removed:
        starts(lab, major - 1, conf).stop()
        refused(lab, major, conf, "unrecognized configuration parameter")


@claim("parameters/too_new", "wal/compression_available")
def newer_parameter_refuses_start(lab):
    """A parameter, or a value, that came with a later major ends the server: io_method on 17, wal_compression=lz4 on 14."""
    starts(lab, 18, "io_method = worker").stop()
    refused(lab, 17, "io_method = worker", 'unrecognized configuration parameter "io_method"')
    refused(lab, 14, "wal_compression = lz4", 'parameter "wal_compression" requires a Boolean value')
    starts(lab, 15, "wal_compression = pglz").stop()
    refused(lab, 14, "wal_compression = pglz", 'parameter "wal_compression" requires a Boolean value')


@claim("parameters/vendor_only")
def vendor_parameter_refuses_start(lab):
    """Parameters of Postgres Pro Enterprise and PolarDB end a server built from PostgreSQL's own sources."""
    for conf in ["autoprepare_threshold = 2", "polar_enable_shared_storage_mode = on"]:
        refused(lab, NEW, conf, "unrecognized configuration parameter")


@claim("parameters/out_of_range", "parameters/invalid_value")
def invalid_value_refuses_start(lab):
    """A value out of range, a unit in the wrong case, a decimal comma or a word that is none of the values end the server."""
    for major in (OLD, NEW):
        refused(lab, major, "checkpoint_timeout = 5s", "is outside the valid range for parameter")
        refused(lab, major, "shared_buffers = 16gb", 'invalid value for parameter "shared_buffers"')
        refused(lab, major, "shared_buffers = 16G", 'invalid value for parameter "shared_buffers"')
        refused(lab, major, "random_page_cost = '1,1'", 'invalid value for parameter "random_page_cost"')
        refused(lab, major, "wal_level = archive_all", 'invalid value for parameter "wal_level"')


@claim("parameters/duplicate")
def last_duplicate_wins(lab):
    """Of two lines for one parameter, in any case, the last wins and nothing is logged."""
    cluster = starts(lab, NEW, "work_mem = 8MB\nWORK_MEM = 2MB")
    assert cluster.sql.rows("SHOW work_mem") == [["2MB"]]
    assert "work_mem" not in cluster.logged().lower()


@claim("parameters/platform_unsupported")
def other_platforms_method_refuses_start(lab):
    """wal_sync_method=fsync_writethrough, which is for macOS and Windows, ends a server on Linux."""
    for major in (OLD, NEW):
        refused(lab, major, "wal_sync_method = fsync_writethrough", 'invalid value for parameter "wal_sync_method"')


@claim("parameters/platform_unsupported", "wal/compression_available")
def missing_build_option_refuses_start(lab):
    """lz4, zstd and io_uring end a server that was built without them, in a major that has them."""
    refused(lab, 15, "wal_compression = lz4", 'invalid value for parameter "wal_compression"')
    refused(lab, NEW, "wal_compression = zstd", 'invalid value for parameter "wal_compression"')
    refused(lab, NEW, "io_method = io_uring", 'invalid value for parameter "io_method"')


@claim("wal/segment_size_immutable", "parameters/not_settable")
def initdb_options_in_conf_refuse_start(lab):
    """wal_segment_size and data_checksums among the parameters end the server, even with the value that the cluster has."""
    for major in (OLD, NEW):
        refused(lab, major, "wal_segment_size = 16MB", 'parameter "wal_segment_size" cannot be changed')
        refused(lab, major, "data_checksums = on", 'parameter "data_checksums" cannot be changed')


@claim("wal/segment_size_vs_wal_size")
def wal_limits_below_two_segments_refuse_start(lab):
    """min_wal_size or max_wal_size below two segments end the server; two segments are enough."""
    segment = "--wal-segsize=64"
    for major in (OLD, NEW):
        for name in ("min_wal_size", "max_wal_size"):
            refused(lab, major, f"{name} = 127MB", f'"{name}" must be at least twice "wal_segment_size"', segment)
        starts(lab, major, "min_wal_size = 128MB\nmax_wal_size = 128MB", segment).stop()


@claim("wal/segment_size_vs_wal_size")
def min_above_max_wal_size_starts(lab):
    """min_wal_size above max_wal_size starts without a word: PostgreSQL does not protect from it."""
    for major in (OLD, NEW):
        cluster = starts(lab, major, "min_wal_size = 2GB\nmax_wal_size = 1GB")
        assert "wal_size" not in cluster.logged()


@claim("wal/segment_size_invalid")
def initdb_refuses_odd_segment_sizes(lab):
    """initdb takes a power of two from 1 to 1024 MB as the segment size, and nothing else."""
    for major in (OLD, NEW):
        parent = lab.home / f"initdb{major}"
        parent.mkdir()
        own(parent)
        for size in ("0", "3", "48", "2048"):
            done = initdb(major, Path(parent, size), (f"--wal-segsize={size}",))
            assert done.returncode != 0 and "wal-segsize" in done.stderr, f"PostgreSQL {major}, {size}: {done.stderr}"


@claim("wal/segment_size_vs_wal_size", "wal/segment_size_small", "wal/max_wal_vs_volume")
def initdb_scales_wal_limits_by_segment(lab):
    """initdb writes min_wal_size as 5 segments and max_wal_size as 64 into postgresql.conf, whatever the segment size."""
    for major, sizes in ((OLD, (1, 64)), (NEW, (1, 16, 64))):
        for size in sizes:
            options = () if size == 16 else (f"--wal-segsize={size}",)
            cluster = starts(lab, major, "", *options)
            query = "SELECT setting FROM pg_settings WHERE name = '{}'"
            limits = [cluster.sql.value(query.format(name)) for name in ("min_wal_size", "max_wal_size")]
            assert limits == [5 * size, 64 * size], f"PostgreSQL {major}, {size} MB segments: {limits} MB"
            cluster.stop()


@claim("durability/data_checksums")
def checksums_are_default_since_18(lab):
    """initdb without a word about checksums makes a cluster without them up to 17, with them since 18."""
    for major in SUPPORTED:
        cluster = starts(lab, major, "")
        assert cluster.sql.value("SHOW data_checksums") == ("on" if major >= 18 else "off"), f"PostgreSQL {major}"
        cluster.stop()


@claim("memory/huge_pages_resource")
def huge_pages_on_without_pages_refuses_start(lab):
    """huge_pages=on ends the server where no huge pages are to be had; try goes on without them."""
    free = int(Path("/proc/meminfo").read_text().split("HugePages_Free:")[1].split()[0])
    if free:
        raise Skip(f"the machine has {free} free huge pages")
    for major in (OLD, NEW):
        refused(lab, major, "huge_pages = on", "could not map anonymous shared memory")
        starts(lab, major, "huge_pages = try").stop()


@claim("wal/minimal_level")
def minimal_level_refuses_replication_and_archiving(lab):
    """wal_level=minimal ends a server whose max_wal_senders is above 0, as it is by default, or that archives."""
    for major in (OLD, NEW):
        refused(lab, major, "wal_level = minimal", "WAL streaming")
        refused(lab, major, "wal_level = minimal\nmax_wal_senders = 0\narchive_mode = on", "WAL archival cannot be enabled when")
        starts(lab, major, "wal_level = minimal\nmax_wal_senders = 0").stop()


@claim("connections/reserved")
def reserved_connections_refuse_start(lab):
    """Reserved connections that leave none for others end the server; since 16 reserved_connections counts too."""
    for major in (OLD, NEW):
        refused(lab, major, "max_connections = 20\nsuperuser_reserved_connections = 20", "must be less than")
    refused(lab, NEW, "max_connections = 20\nsuperuser_reserved_connections = 5\nreserved_connections = 15", "must be less than")
    starts(lab, NEW, "max_connections = 20\nsuperuser_reserved_connections = 5\nreserved_connections = 14").stop()


@claim("durability/fsync", "durability/full_page_writes")
def unsafe_settings_start_silently(lab):
    """fsync=off and full_page_writes=off together start without a word: PostgreSQL does not protect from them."""
    for major in SUPPORTED:
        cluster = starts(lab, major, "fsync = off\nfull_page_writes = off")
        assert cluster.sql.rows("SHOW fsync") + cluster.sql.rows("SHOW full_page_writes") == [["off"], ["off"]]
        assert not any(word in cluster.logged() for word in ("WARNING", "fsync", "full_page_writes"))
        cluster.stop()
