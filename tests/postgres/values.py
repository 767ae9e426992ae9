"""Compares how rules/postgres reads values with how real servers do: values.py [MAJOR…].

Every parameter of every major (or of those named) is set to every value of its class; server and Rego must agree on whether it
is accepted, and on the resulting setting. The newest also reads a thousand odd lines of postgresql.conf. A server is asked by a
postgresql.conf that it reads as it starts; what it makes of the accepted values of a parameter that need no restart, by one that
a running server reads again, many in one file. A parameter that came with a later minor release than the server's is skipped by
name, once the server has refused it. Prints the counts; exits 1 when anything differs.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab import DatabaseError, Lab, Refused, Templates, own
from servers import MAJORS, Server, minor_of

ROOT = Path(__file__).parents[2]
RULES = ROOT / "rules/postgres"
LIBRARIES = [ROOT / "rules/lib/get", ROOT / "rules/lib/placeholder"]  # what RULES import
AT_ONCE = os.cpu_count() or 1

# Texts that a server also compares with what is there – files, roles, limits of the machine. The rules let them all pass; the
# test demands that nothing a server accepts is refused.
LENIENT = {
    "client_encoding": "encodings have many aliases",
    "datestyle": "keywords that exclude one another",
    "lc_messages": "locales of the image",
    "lc_monetary": "locales of the image",
    "lc_numeric": "locales of the image",
    "lc_time": "locales of the image",
    "log_timezone": "time zone files of the image",
    "max_stack_depth": "ulimit -s of the process",
    "recovery_target_time": "the whole timestamp grammar",
    "role": "roles of the database",
    "session_authorization": "roles of the database",
    "timezone": "time zone files of the image",
    "timezone_abbreviations": "files of the image",
}

# What a server takes as it reads its file, and refuses only where it goes on to start. Here a difference is settled by a start.
STARTED = {
    "listen_addresses": "a list, taken apart for the sockets",
    "unix_socket_directories": "a list, taken apart for the sockets",
    "wal_consistency_checking": "kinds of records, which libraries may add to",
}

# Before 18 the sum of these had to stay below a limit, which the largest value of one alone already exceeds.
SUMMED = {"autovacuum_max_workers", "max_connections", "max_wal_senders", "max_worker_processes"}

# Settings the server normalises beyond what the value says, so that what it shows is not the text.
REWRITTEN = {
    "application_name": "other characters than ASCII replaced, cut to 63 bytes",
    "client_encoding": "canonical name",
    "cluster_name": "other characters than ASCII replaced, cut to 63 bytes",
    "config_file": "made absolute",
    "data_directory": "made absolute",
    "datestyle": "canonical form",
    "default_table_access_method": "cut to 63 bytes",
    "default_tablespace": "cut to 63 bytes",
    "hba_file": "made absolute",
    "ident_file": "made absolute",
    "transaction_deferrable": "overridden at start",
    "transaction_isolation": "overridden at start",
    "transaction_read_only": "overridden at start",
}

# Asked one by one: most change what the log looks like, so that complaints about others cannot be read; two recovery targets end
# the server before it has read the rest; of the others it complains without naming them.
ALONE = {
    "bonjour", "default_with_oids", "lc_messages", "log_destination", "log_error_verbosity", "log_line_prefix", "log_min_error_statement",
    "log_min_messages", "log_timezone", "logging_collector", "primary_slot_name", "syslog_facility", "recovery_target",
    "recovery_target_lsn", "recovery_target_name", "recovery_target_time", "recovery_target_xid",
}  # fmt: skip

# What a running server reads again without a restart, and those of it that would cut off the session that looks at them.
RELOADED = {"sighup", "superuser", "user"}
UNREADABLE = {"debug_parallel_query", "exit_on_error", "force_parallel_mode", "idle_in_transaction_session_timeout", "idle_session_timeout",
              "statement_timeout", "temp_file_limit", "transaction_timeout"}  # fmt: skip

UNITS = ["B", "kB", "MB", "GB", "TB", "us", "ms", "s", "min", "h", "d"]
BOOLEANS = """on ON On of OF off oFF o true TRUE tru tr t T false fals f F yes ye y Y no n N 1 0 2 -1 01 10 yess offf enabled none null""".split()
BOOLEANS += ["", " ", " on", "on ", "on\t", "'on'", '"on"', "0.0", "+1"]
ODD_NUMBERS = """+5 -0 007 010 08 019 0x10 0X1f 0x 0x1G -0x10 1e3 1E2 1e+2 1e-1 1e e5 1e400 1e-400 1.5 2.5 3.5 0.5 .5 -.5 +.5 1. . 1.5.5
    08.5 010.5 00 0e3 1_000 1,5 1,000 --5 +-5 5% nan inf infinity -inf 2147483648 -2147483649 99999999999 9223372036854775807
    9223372036854775808 99999999999999999999999 0.30000000000000004 abc on ١""".split()
ODD_NUMBERS += ["", " ", " 5", "5 ", "\t5\n", "\v5\f", "5 5", "- 5", " .5", "5\u00a0", "'5'"]
ODD_UNITS = """64mb 64M 64Mi 64KB 64kb 64K 64k 64G 1gb 16Gb 5S 5sec 5m 5H 5day 5D 500MS 5msec 64kBB 64kBkB 64MB0 MB 0x10MB 010kB 1e1MB 1e2ms
    0x1B 0x1d 0x10s 1.5GB 30.1GB 0.5kB 1.9kB 0.001TB 2.7MB 1.5h 2.5s 2.5min 1.5d 90s 150s 210s 0.1ms 1500us 2500us 500us 999us 1e3us
    100000000000000B 3TB 4096TB 0.0000001TB""".split()
ODD_UNITS += ["64 MB", "64\tMB ", "64  kB x", "6 4MB", " 64MB", "5 s", "5 min ", "64MB;", "1.5 GB", ".5GB", " .5GB"]
STRINGS = ["", " ", "x", "X y", "a,b", "a, b", "a b", '"a"', '"a b",c', '"', "'", "a'b", "\\", "*", "%", "/tmp", "on", "off", "all", "none",
    "1", "-1", "0x10", "1.5", ",", "a,,b", "é", "x" * 63, "x" * 64, "immediate", "latest", "pglz", "stderr", "UTF8", "UTC"]  # fmt: skip

# postgresql.conf line by line: a parameter that takes any text, what may stand between it and its value, values, what follows.
FREE = "dynamic_library_path"
NAMES = [FREE, f"  {FREE.upper()}", f"\t{FREE}"]
SEPARATORS = [" = ", "=", " ", "", "\t=\r ", " == ", "-", "."]
RAW = ["x", "'x'", "'a b'", "''", "'it''s'", r"'it\'s'", r"'a\\b'", r"'\101\7z\n\t\q'", "'a' 'b'", "'open", '"x"', "a.b", "a.b.c", "a.5", "a-b:c/d_e.f", "a$", "é",
    "'é'", "5", "-5", "+5", "5min", "-0x1Fkb", "0x", "1e3", "1.5", "1.5e3", "1.5GB", ".", ".5", "5.", "-.5", "+.", "_a", "$a", "a=b", "a,b", "'a\tb'", "#x", ""]  # fmt: skip
TRAILERS = ["", " ", "\r", " # note 'x'", "#note", " x", ";"]


def number_text(value):
    return str(value) if isinstance(value, int) else repr(value)


def values(entry):
    """The values a parameter is tried with."""
    if entry["type"] == "bool":
        return BOOLEANS
    if entry["type"] == "enum":
        spellings = [*entry["enum"], *entry.get("aliases", {})]
        return [*spellings, *map(str.upper, spellings), *(s[:-1] for s in spellings if s), *(f"{s} " for s in spellings), *BOOLEANS, "archive", "bogus"]
    if entry["type"] == "string":
        return [*STRINGS, entry.get("default", "x")]
    tried = [entry.get("default", "0"), "0", "1", "-1", "-2", "2147483647", "-2147483648", *ODD_NUMBERS]
    for limit in (entry.get("min"), entry.get("max")):
        if limit is not None:
            tried += [number_text(limit), number_text(limit - 1), number_text(limit + 1), f"{number_text(limit)}.4", f" {number_text(limit)} "]
    units = [f"{amount}{unit}" for unit in UNITS for amount in (1, 5, 1024)]
    return tried + units + (ODD_UNITS if "unit" in entry else ODD_UNITS[::4])


def entry_of(row, major):
    if not row.get("since", MAJORS[0]) <= major < row.get("removed", math.inf):
        return None
    return [row, *(change for change in row.get("changes", []) if change["from"] <= major)][-1]


def catalogue():
    return json.loads((RULES / "parameters.json").read_text())


def newer(major):
    """{parameter: minor release that has it} where that is later than the one of the server here, which does not know it."""
    minors = {name: row["minors"].get(str(major)) for name, row in catalogue().items() if "minors" in row}
    return {name: minor for name, minor in minors.items() if minor is not None and minor > minor_of(major)}


def cases(major):
    """[(name, text)] without doubles."""
    table = catalogue()
    too_new = newer(major)
    pairs = {}
    for name, row in table.items():
        entry = row if "type" not in row else entry_of(row, major)
        if entry and name not in too_new:
            for text in values(entry if "type" in entry else entry_of(table[entry["renamed"]], major)):
                if text.lower() not in entry.get("build", []):
                    pairs[name, text] = None
    return list(pairs)


def opa():
    return subprocess.run([str(ROOT / "tests/tools/build"), "opa"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


MODULE = """package truth

import data.walguard.postgres

entries := [{name: {"entry": entry, "settable": count([1 | postgres.settable(entry)]) == 1} |
	some name, _ in postgres.parameters
	entry := postgres.entry(name, major)
} | some major in input.majors]

readings := [[reading | reading := postgres.parse(input.entries[case[0]], case[1])] | some case in input.cases]

lines := [postgres.conf(line) | some line in input.lines]
"""


def evaluate(rule, question):
    """A rule of MODULE for an input, from one run of opa."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "truth.rego").write_text(MODULE)
        Path(directory, "input.json").write_text(json.dumps(question))
        answer = subprocess.run(
            [opa(), "eval", "--format", "raw", *(word for path in (RULES, *LIBRARIES, f"{directory}/truth.rego") for word in ("--data", path)),
             "--ignore", "*.json", "--ignore", "*_test.rego", "--input", f"{directory}/input.json", f"data.truth.{rule}"],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    return json.loads(answer.stdout)


def rego(asked):
    """Rego's answer to each pair of each major: {major: {pair: value or None when refused}}.

    How a text is read depends on the entry alone, and most entries are the same in all majors: each is asked once."""
    entries = dict(zip(asked, evaluate("entries", {"majors": list(asked)}), strict=True))
    texts = {major: {name: json.dumps(found["entry"], sort_keys=True) for name, found in table.items()} for major, table in entries.items()}
    questions = list(dict.fromkeys((texts[major][name], text) for major, pairs in asked.items() for name, text in pairs))
    numbers = {text: number for number, text in enumerate(dict.fromkeys(entry for entry, _ in questions))}
    parsed = [json.loads(text) for text in numbers]
    parts = [questions[worker::AT_ONCE] for worker in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = pool.map(lambda part: evaluate("readings", {"entries": parsed, "cases": [[numbers[entry], text] for entry, text in part]}), parts)
        readings = {question: answer for part, found in zip(parts, answers) for question, answer in zip(part, found, strict=True)}
    expected = {}
    for major, pairs in asked.items():
        expected[major] = {}
        for name, text in pairs:
            reading = readings[texts[major][name], text]
            if len(reading) != 1:
                raise RuntimeError(f"parse() is undefined for {name} = {text!r} of PostgreSQL {major}")
            accepted = reading[0]["ok"] and entries[major][name]["settable"]
            expected[major][name, text] = reading[0]["value"] if accepted else None
    return expected


def line(name, text):
    escaped = text.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n")
    return f"{name} = '{escaped}'\n"


def accepted_by(server, pairs, expected):
    """The pairs a server accepts. Asked in rounds, one value of every parameter in one file; where the answer is not what was
    expected, or a complaint names no parameter, once more alone, because settings also judge one another."""
    accepted, alone = set(), []
    for batch in rounds_of(pairs):
        alone += [pair for pair in batch if pair[0] in ALONE]
        batch = [pair for pair in batch if pair[0] not in ALONE]
        _, log = server.configure("".join(line(*pair) for pair in batch), "enable_seqscan")
        refused, unclear = set(), False
        for message in re.findall(r"(?:LOG|WARNING|FATAL):  (.*)", log):
            named = re.search(r'parameter "([^"]+)"', message)
            if named:
                refused.add(named[1].lower())
            elif not re.match(r"skipping missing|configuration file .* contains errors", message):
                unclear = True
        for pair in batch:
            answer = pair[0] not in refused
            if unclear or answer != (expected[pair] is not None):
                alone.append(pair)
            elif answer:
                accepted.add(pair)
    accepted |= {pair for pair, shown in zip(alone, ask(server, alone)) if shown is not None}
    return accepted


def ask(server, pairs, conf=line):
    """What a server shows for each (name, text), each in a process of its own; None where it refuses. conf writes the file."""
    directories = [server.home / f"conf{worker}" for worker in range(AT_ONCE)]
    for directory in directories:
        directory.mkdir(exist_ok=True)

    def answers(worker):
        return [server.configure(conf(*pair), pair[0], directories[worker])[0] for pair in pairs[worker::AT_ONCE]]

    shown = [None] * len(pairs)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for worker, part in enumerate(pool.map(answers, range(AT_ONCE))):
            shown[worker::AT_ONCE] = part
    return shown


def rounds_of(pairs):
    """The pairs in rounds, each with one text of every name at most."""
    texts = {}
    for name, text in pairs:
        texts.setdefault(name, []).append(text)
    for index in range(max(map(len, texts.values()), default=0)):
        yield [(name, column[index]) for name, column in texts.items() if index < len(column)]


def shown_alike(major, pairs, expected):
    """Those of the pairs of which a running server that reads its file again shows what was expected, taken from that file.

    The others were perhaps judged beside one another, or are shown in another form: they are to be asked alone."""
    alike = set()
    with tempfile.TemporaryDirectory(prefix="walguard-values-") as directory:
        own(directory)
        Path(directory).chmod(0o755)
        with Lab(Templates(Path(directory))) as lab:
            cluster = lab.cluster(major).start("")
            for batch in rounds_of(pairs):
                try:
                    if cluster.ended():
                        cluster.start("")
                    before = cluster.sql.value("SELECT pg_conf_load_time()")
                    cluster.configure("".join(line(*pair) for pair in batch))
                    cluster.sql.rows("SELECT pg_reload_conf()")
                    lab.wait_for("postgresql.conf to be read again", lambda: cluster.sql.value("SELECT pg_conf_load_time()") != before)
                    rows = cluster.sql.rows("SELECT name, setting FROM pg_settings WHERE source = 'configuration file'")
                except DatabaseError as error:
                    print(f"PostgreSQL {major}: {len(batch)} settings asked alone: {error}", flush=True)
                    cluster.crash()
                    continue
                shown = {name.lower(): setting for name, setting in rows}
                alike |= {pair for pair in batch if pair[0] in shown and same(expected[pair], shown[pair[0]])}
    return alike


def ends_at_start(major, pairs):
    """Those of the pairs with which a server ends instead of starting."""
    ended = set()
    if pairs:
        with tempfile.TemporaryDirectory(prefix="walguard-values-") as directory:
            own(directory)
            Path(directory).chmod(0o755)
            with Lab(Templates(Path(directory))) as lab:
                cluster = lab.cluster(major)
                for pair in pairs:
                    try:
                        cluster.start(line(*pair))
                    except Refused:
                        ended.add(pair)
                    except TimeoutError:  # it runs, and listens elsewhere
                        pass
                    cluster.crash()
    return ended


def same(value, shown):
    """Rego's value against what -C prints."""
    if isinstance(value, bool):
        return shown == ("on" if value else "off")
    if value == 0:
        return float(shown) == 0  # servers show -0 for a real that was written so
    if isinstance(value, int | float):
        return shown in {str(value), "%g" % value}  # integers in full, reals to six digits
    return shown == value


def reloaded(major):
    """The parameters that a running server takes from its file again."""
    entries = {name: entry_of(row, major) for name, row in catalogue().items() if "type" in row}
    return {name for name, entry in entries.items() if entry and entry["context"] in RELOADED} - UNREADABLE


def compare(major, pairs, expected):
    with Server(major) as server:
        accepted = accepted_by(server, pairs, expected)
        accepted -= ends_at_start(major, [pair for pair in pairs if pair[0] in STARTED and pair in accepted and expected[pair] is None])
        lenient = LENIENT.keys() | (SUMMED if major < 18 else set())
        differences = [
            f"PostgreSQL {major} {'accepts' if pair in accepted else 'refuses'} {pair[0]} = {pair[1]!r}, Rego does not agree: {expected[pair]!r}"
            for pair in pairs
            if (pair in accepted) != (expected[pair] is not None) and (pair in accepted or pair[0] not in lenient)
        ]
        both = [pair for pair in pairs if pair in accepted and expected[pair] is not None]
        both = [pair for pair in both if pair[0] not in REWRITTEN]
        together = reloaded(major)
        alike = shown_alike(major, [pair for pair in both if pair[0] in together], expected)
        alone = [pair for pair in both if pair not in alike]
        differences += [
            f"PostgreSQL {major} makes {shown!r} of {pair[0]} = {pair[1]!r}, Rego {expected[pair]!r}"
            for pair, shown in zip(alone, ask(server, alone))
            if shown is None or not same(expected[pair], shown)
        ]
        for name, minor in newer(major).items():
            known, log = server.configure(line(name, ""), "enable_seqscan")
            if known is not None or f'unrecognized configuration parameter "{name}"' not in log:
                differences.append(f"PostgreSQL {major}.{minor_of(major)} knows {name}, which the catalogue says came with {major}.{minor}: {known!r} {log}")
            print(f"PostgreSQL {major}.{minor_of(major)}: SKIP {name}, which came with {major}.{minor} and is refused as unknown", flush=True)
    print(f"PostgreSQL {major}: {len(pairs)} values accepted or refused alike, {len(both)} settings alike ({len(alone)} asked alone), {len(differences)} differences", flush=True)
    return len(pairs), len(both), differences


def lex(major):
    """Lines of postgresql.conf, as a server reads them and as Rego does."""
    lines = [f"{FREE}{separator}{raw}" for separator in SEPARATORS for raw in RAW]
    lines += [f"{name} = {raw}{trailer}" for name in NAMES for raw in RAW for trailer in TRAILERS]
    lines = list(dict.fromkeys(lines))
    read = evaluate("lines", {"lines": lines})
    with Server(major) as server:
        shown = ask(server, [(FREE, line) for line in lines], conf=lambda _, line: f"{line}\n")
    differences = []
    for line, settings, value in zip(lines, read, shown, strict=True):
        named = {setting.get("name"): setting.get("value") for setting in settings}
        unknown = [name for name in named if name != FREE and "." not in (name or "")]  # an error has no name
        expected = None if unknown else named.get(FREE, "$libdir")
        if expected != value:
            differences.append(f"PostgreSQL {major} makes {value!r} of the line {line!r}, Rego {expected!r}")
    print(f"PostgreSQL {major}: {len(lines)} lines of postgresql.conf read alike, {len(differences)} differences", flush=True)
    return len(lines), differences


def main(chosen):
    asked = settings = 0
    differences = []
    majors = chosen or MAJORS
    lines, misread = lex(majors[-1])
    pairs = {major: cases(major) for major in majors}
    expected = rego(pairs)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for more_asked, more_settings, more in pool.map(lambda major: compare(major, pairs[major], expected[major]), majors):
            asked, settings, differences = asked + more_asked, settings + more_settings, differences + more
    differences += misread
    print(*differences, sep="\n", end="\n" if differences else "")
    print(f"{asked} values over {len(majors)} majors, {settings} resulting settings, {lines} lines of postgresql.conf")
    print(f"in {len(LENIENT)} parameters Rego lets pass what only the server can judge: {', '.join(LENIENT)}")
    print(f"{asked + settings + lines - len(differences)} passed, {len(differences)} failed")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main([int(major) for major in sys.argv[1:]]))
