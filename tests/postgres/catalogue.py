"""Writes rules/postgres/parameters.json from real servers, or compares it with them: catalogue.py write | check.

Everything comes from pg_settings of each major, from a sweep of the binary for names that pg_settings hides, and from probing
which spellings an enum parameter accepts. Majors of which no server can be had come from source-<major>.json, which source.py
reads from PostgreSQL's source. Only what neither can tell is written here: the tables just below. The form of an entry is
documented in rules/postgres/postgres.rego.
"""

import difflib
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from servers import MAJORS, Server

OUT = Path(__file__).parents[2] / "rules/postgres/parameters.json"
FROM_SOURCE = {int(path.stem.split("-")[1]): path for path in Path(__file__).parent.glob("source-*.json")}

# Names that servers accept but pg_settings never lists (GUC_NO_SHOW_ALL), with the facts of guc_tables.c.
HIDDEN = {
    "default_with_oids": {"type": "bool", "context": "user", "default": "off", "check": "off_only"},
    "is_superuser": {"type": "bool", "context": "internal", "default": "off"},
    "role": {"type": "string", "context": "user", "default": "none"},
    "seed": {"type": "real", "context": "user", "default": "0", "min": -1, "max": 1},
    "session_authorization": {"type": "string", "context": "user", "default": ""},
    "ssl_renegotiation_limit": {"type": "integer", "context": "user", "default": "0", "min": 0, "max": 0},
}
# Old spellings that servers still map to a new name (map_old_guc_names), with the first major that does.
RENAMED = {"sort_mem": ("work_mem", 12), "vacuum_mem": ("maintenance_work_mem", 12), "ssl_ecdh_curve": ("ssl_groups", 18)}
# What took the place of a parameter under another name; servers do not accept the old one any more.
SUCCESSORS = {
    "force_parallel_mode": "debug_parallel_query",
    "io_workers": "io_max_workers",
    "logical_decoding_mode": "debug_logical_replication_streaming",
    "logical_replication_mode": "debug_logical_replication_streaming",
    "wal_keep_segments": "wal_keep_size",
}
# Parameters that came with a minor release: {name: {major: first minor that has it}}. Servers older than that do not know them.
MINORS = {
    "file_extend_method": {16: 12, 17: 8, 18: 2},
    "output_plugin_libraries": {14: 24, 15: 19, 16: 15, 17: 11, 18: 6},
}
# Enum values that only some builds have; the servers fetched here lack all three libraries. First major that knows the value.
BUILD = {
    "default_toast_compression": {"lz4": 14},
    "io_method": {"io_uring": 18},
    "wal_compression": {"lz4": 15, "zstd": 15},
}
# Defaults that belong to one build or one minor release, not to PostgreSQL.
NO_DEFAULT = {"krb_server_keyfile", "server_version", "server_version_num", "ssl_library", "unix_socket_directories"}
# Values that pass the parser but not the parameter's check hook; what each word means is in rules/postgres/postgres.rego.
CHECKS = {
    "backtrace_functions": "function_names",
    "bonjour": "not_on_linux",
    "client_encoding": "encoding",
    "commit_timestamp_buffers": "multiple_of_16",
    "createrole_self_grant": ["set", "inherit"],
    "datestyle": "date_style",
    "debug_io_direct": ["data", "wal", "wal_init"],
    "default_table_access_method": "access_method",
    "io_max_concurrency": "not_zero",
    "listen_addresses": "identifiers",
    "log_connections": ["receipt", "authentication", "authorization", "setup_durations", "all"],
    "log_timezone": "time_zone",
    "log_min_messages": {19: "log_levels"},
    "log_destination": {12: ["stderr", "csvlog", "syslog"], 15: ["stderr", "csvlog", "jsonlog", "syslog"]},
    "multixact_member_buffers": "multiple_of_16",
    "multixact_offset_buffers": "multiple_of_16",
    "notify_buffers": "multiple_of_16",
    "primary_slot_name": "slot_name",
    "recovery_target": "immediate",
    "recovery_target_lsn": "lsn",
    "recovery_target_name": "restore_point",
    "recovery_target_time": "point_in_time",
    "restrict_nonsystem_relation_kind": ["view", "foreign-table"],
    "search_path": "identifiers",
    "serializable_buffers": "multiple_of_16",
    "standard_conforming_strings": {19: "on_only"},
    "subtransaction_buffers": "multiple_of_16",
    "synchronized_standby_slots": "slot_names",
    "synchronous_standby_names": "standby_names",
    "temp_tablespaces": "identifiers",
    "timezone": "time_zone",
    "timezone_abbreviations": "abbreviations",
    "transaction_buffers": "multiple_of_16",
    "unix_socket_directories": "directories",
    "vacuum_buffer_usage_limit": "zero_or_128",
    "wal_consistency_checking": {
        12: ["all", "heap2", "heap", "btree", "hash", "gin", "gist", "sequence", "spgist", "brin", "generic"],
        15: "resource_managers",  # extensions bring some of their own
    },
}
# Numbers that are silently raised to a least value when they are not negative, by the first major of each.
RAISED = {"autovacuum_work_mem": {12: 1024, 17: 64}, "wal_buffers": {12: 4}}
BOOLEAN_LISTS = {"log_connections"}  # lists of keywords that also take a boolean
# Spellings an enum may accept without showing them: PostgreSQL's own older words and the boolean ones.
CANDIDATES = "true false yes no on off 1 0 archive hot_standby info debug warn none current default local".split()

KEYS = ("name", "from", "type", "unit", "context", "since", "minors", "removed", "renamed", "successor", "default", "min", "max", "raised", "enum", "aliases", "build", "check", "keywords", "booleans", "changes")


def number(text):
    value = float(text)
    if abs(value) > 1e300:  # DBL_MAX: no limit
        return None
    return int(value) if value == int(value) else value


def at_major(fact, major):
    if not isinstance(fact, dict):
        return fact
    return fact.get(max((since for since in fact if since <= major), default=None))


def facts(row, major):
    """One row of pg_settings in the form of the table."""
    name = row["name"].lower()
    entry = {"type": row["vartype"], "context": row["context"]}
    if row["name"] != name:
        entry["name"] = row["name"]
    if row["unit"]:
        entry["unit"] = row["unit"]
    if name not in NO_DEFAULT:
        entry["default"] = row["boot_val"] or ""
    if row["context"] == "internal":
        if row["enumvals"]:
            entry["enum"] = row["enumvals"]
    else:
        for key in ("min", "max"):
            if row[f"{key}_val"] is not None and number(row[f"{key}_val"]) is not None:
                entry[key] = number(row[f"{key}_val"])
    if name in RAISED:
        entry["raised"] = at_major(RAISED[name], major)
    check = at_major(CHECKS.get(name), major)
    if isinstance(check, list) and row["vartype"] == "string":
        entry |= {"check": "keywords", "keywords": check}
        if name in BOOLEAN_LISTS:
            entry["booleans"] = True
    elif isinstance(check, str):
        entry["check"] = check
    return name, entry


def enum_facts(row, values, major):
    """What an enum takes: values is {spelling: what the server makes of it}."""
    build = [value for value, since in BUILD.get(row["name"], {}).items() if major >= since]
    enum = [value for value in row["enumvals"] if values.get(value) == value and value not in build]
    enum += sorted(set(values.values()) - {*enum, *build})  # "info" is a value of its own and not listed
    enum += build
    spellings_of = values | {value.lower(): value for value in enum}  # an enum is read in any case: TLSv1.2
    entry = {"enum": enum, "aliases": {word: shown for word, shown in sorted(spellings_of.items()) if word != shown}}
    if row["name"] in BUILD:
        entry["build"] = sorted(build)
    return entry


def spellings(server, rows):
    """For each enum parameter what it accepts: {name: {spelling: what the server makes of it}}."""
    enums = {row["name"]: row["enumvals"] for row in rows if row["vartype"] == "enum" and row["context"] != "internal"}
    accepted = {"transaction_isolation": {v: v for v in enums.pop("transaction_isolation")}}  # a server overrides it as it starts
    enums["log_min_messages"] = enums.pop("log_min_messages")  # last: it would silence the complaints about those after it
    accepted |= {name: {} for name in enums}
    for word in sorted({*CANDIDATES, *(value for values in enums.values() for value in values)}):
        _, log = server.configure("".join(f"{name} = '{word}'\n" for name in enums), "enable_seqscan")
        refused = set(re.findall(r'invalid value for parameter "([^"]+)"', log))
        for name in enums.keys() - refused:
            shown, log = server.configure(f"{name} = '{word}'\n", name)
            if shown is None:
                raise RuntimeError(f"{name} = {word}: {log}")
            accepted[name][word] = shown
    for name, values in enums.items():
        missing = set(values) - accepted[name].keys()
        if missing:
            raise RuntimeError(f"PostgreSQL {server.major} lists {missing} for {name} and refuses it")
    return accepted


def hidden(server, rows):
    """Names the server answers to but does not list. Every tail of every string of the binary is asked for: linkers merge tails."""
    words = set(re.findall(rb"([A-Za-z_][A-Za-z0-9_]{3,62})\0", (server.root / "bin/postgres").read_bytes()))
    tails = {word[i:].decode().lower() for word in words for i in range(len(word) - 3) if not word[i : i + 1].isdigit()}
    known = server.query(
        "SELECT json_agg(word) FROM unnest('{%s}'::text[]) word WHERE current_setting(word, true) IS NOT NULL" % ",".join(sorted(tails))
    )
    return set(known) - {row["name"].lower() for row in rows}


def dump(major):
    """The whole catalogue of one major: {lower-case name: entry}."""
    with Server(major) as server:
        rows = server.query(
            """SELECT json_agg(row_to_json(s)) FROM (SELECT name, unit, context, vartype, min_val, max_val, enumvals, boot_val
               FROM pg_settings) s"""
        )
        table = dict(facts(row, major) for row in rows)
        for name, values in spellings(server, rows).items():
            entry = table[name.lower()]
            entry |= enum_facts(next(row for row in rows if row["name"] == name), values, major)
        for name in hidden(server, rows):
            if name in RENAMED and major >= RENAMED[name][1]:
                table[name] = {"renamed": RENAMED[name][0]}
            elif name in HIDDEN:
                table[name] = HIDDEN[name]
            else:
                raise RuntimeError(f"PostgreSQL {major} answers to {name}, which neither pg_settings nor HIDDEN describes")
        absent = {old for old, (_, since) in RENAMED.items() if major >= since} - table.keys()
        if absent:
            raise RuntimeError(f"PostgreSQL {major} does not know the old names {absent}")
        return table


def merge(tables):
    """{major: {name: entry}} → {name: entry of the first major that has it, with "changes": the entries that took its place since}."""
    tables = {major: {name: ordered(entry) for name, entry in table.items()} for major, table in tables.items()}
    merged, all_majors = {}, sorted(tables)
    for name, minors in MINORS.items():
        newest = tables[all_majors[-1]][name]
        for major in minors:
            tables[major].setdefault(name, newest)
    for name in sorted(set().union(*tables.values())):
        majors = [major for major in all_majors if name in tables[major]]
        if majors != [major for major in all_majors if majors[0] <= major <= majors[-1]]:
            raise RuntimeError(f"{name} comes and goes: {majors}")
        entry = dict(tables[majors[0]][name])
        if majors[0] > all_majors[0]:
            entry["since"] = majors[0]
        if majors[-1] < all_majors[-1]:
            entry["removed"] = majors[-1] + 1
        if name in MINORS:
            entry["minors"] = MINORS[name]
        if name in SUCCESSORS:
            entry["successor"] = SUCCESSORS[name]
        changes, now = [], tables[majors[0]][name]
        for major in majors[1:]:
            then = tables[major][name]
            if then != now and "renamed" in then:
                entry |= {"removed": major, "renamed": then["renamed"]}
                break
            if then != now:
                kept = {key: entry[key] for key in ("since", "minors", "removed", "successor") if key in entry}
                changes.append(ordered(then | kept | {"from": major}))
            now = then
        merged[name] = ordered(entry | {"changes": changes})
    return merged


def ordered(entry):
    return {key: entry[key] for key in KEYS if entry.get(key) not in (None, {}, [])}


def render(table):
    lines = [f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in table.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(mode):
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        tables = dict(zip(MAJORS, pool.map(dump, MAJORS)))
    tables |= {major: json.loads(path.read_text())["parameters"] for major, path in FROM_SOURCE.items() if major not in tables}
    text = render(merge(tables))
    if mode == "write":
        OUT.write_text(text)
    committed = OUT.read_text()
    if committed != text:
        sys.stdout.writelines(
            difflib.unified_diff(committed.splitlines(True), text.splitlines(True), "rules/postgres/parameters.json", "what they say", n=0)
        )
        sys.exit("rules/postgres/parameters.json differs from the servers; run tests/postgres/run catalogue --write")
    count = text.count("\n") - 2
    sources = "".join(f" and of {major} from its source" for major in sorted(FROM_SOURCE) if major not in MAJORS)
    print(f"{count} parameters of PostgreSQL {MAJORS[0]}–{MAJORS[-1]}{sources}: the committed table is what they say")


if __name__ == "__main__":
    main(sys.argv[1])
