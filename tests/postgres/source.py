"""The catalogue of a major read from PostgreSQL's source, for a major of which no server can be had here.

source.py write GITDIR MAJOR COMMIT [PICK…]   writes tests/postgres/source-MAJOR.json, which catalogue.py merges with the servers' majors
source.py compare GITDIR MAJOR COMMIT [PICK…] compares what the source says with a real server of that major: the proof of this reader

GITDIR is a clone of https://github.com/postgres/postgres, COMMIT the state to read. PICKs are commits of the main branch that
were back-patched to the major after COMMIT, for a clone without the stable branch. What is read: guc_parameters.dat, or the
tables in guc_tables.c before there was one; the options of enums wherever they stand; old names in guc.c; macros in headers.
"""

import argparse
import ast
import json
import operator
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import catalogue

HERE = Path(__file__).parent
# What configure finds on Linux (x86-64, glibc), and the libraries that distributors build with.
PLATFORM = {
    "BLCKSZ": "8192",
    "DEF_PGPORT": "5432",
    "DEF_PGPORT_STR": '"5432"',
    "HAVE_COPY_FILE_RANGE": "1",
    "HAVE_DECL_F_FULLFSYNC": "0",
    "HAVE_DECL_POSIX_FADVISE": "1",
    "HAVE_POSIX_FALLOCATE": "1",
    "HAVE_SYNCFS": "1",
    "HAVE_SYNC_FILE_RANGE": "1",
    "HAVE_SYSLOG": "1",
    "HAVE_UNIX_SOCKETS": "1",
    "INT64_MAX": "9223372036854775807",
    "INT_MAX": "2147483647",
    "INT_MIN": "-2147483648",
    "IOMETHOD_IO_URING_ENABLED": "1",
    "O_DSYNC": "4096",
    "O_SYNC": "1052672",
    "IOV_MAX": "1024",
    "PG_INSTR_TSC_CLOCK": "1",
    "PG_O_DIRECT": "1",
    "PG_VERSION": '""',
    "PG_VERSION_NUM": "0",
    "RELSEG_SIZE": "131072",
    "SIZE_MAX": "18446744073709551615",
    "SIZEOF_LONG": "8",
    "SIZEOF_SIZE_T": "8",
    "SIZEOF_VOID_P": "8",
    "USE_LZ4": "1",
    "USE_OPENSSL": "1",
    "USE_SSL": "1",
    "USE_SYSV_SHARED_MEMORY": "1",
    "USE_ZSTD": "1",
    "XLOG_BLCKSZ": "8192",
    "__linux__": "1",
    "false": "0",
    "true": "1",
    "__x86_64__": "1",
}
CONTEXTS = {
    "PGC_INTERNAL": "internal",
    "PGC_POSTMASTER": "postmaster",
    "PGC_SIGHUP": "sighup",
    "PGC_SU_BACKEND": "superuser-backend",
    "PGC_BACKEND": "backend",
    "PGC_SUSET": "superuser",
    "PGC_USERSET": "user",
}
UNITS = {
    "GUC_UNIT_KB": "kB",
    "GUC_UNIT_BLOCKS": "8kB",
    "GUC_UNIT_XBLOCKS": "8kB",
    "GUC_UNIT_MB": "MB",
    "GUC_UNIT_BYTE": "B",
    "GUC_UNIT_MS": "ms",
    "GUC_UNIT_S": "s",
    "GUC_UNIT_MIN": "min",
}
TYPES = {"bool": "bool", "int": "integer", "real": "real", "string": "string", "enum": "enum"}
STRING = r'"((?:[^"\\]|\\.)*)"'


class Source:
    """A tree of PostgreSQL's source, laid out in a temporary directory."""

    def __init__(self, git, commit, picks):
        self.scratch = tempfile.TemporaryDirectory(prefix="walguard-source-")
        self.root = Path(self.scratch.name)
        archive = subprocess.run(
            ["git", "-C", git, "archive", commit, "src/include", "src/backend", "configure.ac"], stdout=subprocess.PIPE, check=True
        )
        subprocess.run(["tar", "x", "-C", self.root], input=archive.stdout, check=True)
        for pick in picks:
            patch = subprocess.run(
                ["git", "-C", git, "show", "--format=", pick, "--", "src/include", "src/backend", ":!*.sample"],
                stdout=subprocess.PIPE,
                check=True,
            )
            # Without a repository around it, "git apply" would take the nearest one for the tree that is meant.
            subprocess.run(["patch", "-p1", "--quiet", "--forward", "-d", self.root], input=patch.stdout, check=True)
        self.macros = dict(PLATFORM)
        for header in [self.root / "src/include/port/linux.h", *sorted(self.root.glob("src/include/**/*.h"))]:
            self.enumerators(self.preprocess(header.read_text(errors="replace")))
        self.tables = self.read("src/backend/utils/misc/guc_tables.c")
        self.options = {}
        for path in sorted(self.root.glob("src/**/*.c")):
            if "config_enum_entry" in path.read_text(errors="replace"):
                text = self.read(path.relative_to(self.root))
                for name, body in re.findall(r"config_enum_entry\s+(\w+)\[\]\s*=\s*\{(.*?)\n\};", text, re.S):
                    self.options[name] = [
                        (word, value.strip(), hidden.strip() == "true")
                        for word, value, hidden in re.findall(r'\{\s*"([^"]*)",\s*([^,{}]+?)\s*(?:,\s*(\w+)\s*)?\}', body)
                    ]

    def version(self):
        return re.search(r"AC_INIT\(\[PostgreSQL\], \[([^]]*)\]", (self.root / "configure.ac").read_text())[1]

    def read(self, path):
        return self.preprocess((self.root / path).read_text(errors="replace"))

    def preprocess(self, text):
        """Comments and the branches not taken left out; macros without arguments are remembered, the first definition of each."""
        text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
        text = re.sub(r"\\\n", " ", text)
        kept, taken = [], []  # taken: [this branch is, one of the chain was]
        for line in text.split("\n"):
            directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
            if not directive:
                if all(now for now, _ in taken):
                    kept.append(line)
                continue
            word, rest = directive[1], directive[2].strip()
            if word in ("if", "ifdef", "ifndef"):
                holds = self.holds(word, rest) if all(now for now, _ in taken) else False
                taken.append([holds, holds])
            elif word == "elif":
                holds = not taken[-1][1] and self.holds("if", rest)
                taken[-1] = [holds, taken[-1][1] or holds]
            elif word == "else":
                taken[-1][0] = not taken[-1][1]
            elif word == "endif":
                taken.pop()
            elif word == "define" and all(now for now, _ in taken):
                macro = re.match(r"(\w+)(?!\()(?:\s+(.*))?$", rest)
                if macro:
                    self.macros.setdefault(macro[1], (macro[2] or "").strip())
        return "\n".join(kept)

    def enumerators(self, text):
        """The constants of enums, as if they were macros."""
        for body in re.findall(r"\benum\b[^;{}()]*\{([^{}]*)\}", text):
            value, plus = "0", 0
            for name, given in re.findall(r"(\w+)\s*(?:=\s*([^,]+?)\s*)?(?:,|$)", body.strip()):
                if given:
                    value, plus = given, 0
                self.macros.setdefault(name, f"{value} + {plus}" if plus else value)
                plus += 1

    def holds(self, word, condition):
        if word == "ifdef":
            return condition.split()[0] in self.macros
        if word == "ifndef":
            return condition.split()[0] not in self.macros
        condition = re.sub(r"defined\s*\(?\s*(\w+)\s*\)?", lambda name: str(int(name[1] in self.macros)), condition)
        try:
            return bool(self.number(condition, unknown="0"))
        except (SyntaxError, TypeError, ValueError):
            return False  # __has_builtin(…) and the like

    def expand(self, text, unknown=None, depth=0):
        """An expression with its macros replaced."""
        if depth > 20:
            raise ValueError(text)

        def replaced(word):
            if word[0] in self.macros:
                return f"({self.expand(self.macros[word[0]], unknown, depth + 1)})"
            return unknown if unknown is not None else word[0]

        return re.sub(r"\b[A-Za-z_]\w*\b", replaced, text)

    def number(self, text, unknown=None):
        text = re.sub(r"/\*.*?\*/|\((?:int|Size|size_t|uint32|uint64|long|double)\)", "", text)
        text = re.sub(r"\bsizeof\s*\(\s*Size\s*\)", "8", text)
        text = re.sub(r"\b(\d[\dxXa-fA-F]*)(?:[uU]?[lL]{0,2})\b", r"\1", text).replace("DBL_MAX", "1e308")
        text = self.expand(text, unknown)
        text = re.sub(r"\b(\d[\dxXa-fA-F]*)(?:[uU]?[lL]{0,2})\b", r"\1", re.sub(r"\(\((?:int|Size|size_t|uint32|uint64)\)", "(", text))
        text = re.sub(r"(?<![\w.])0(?=[0-7]+\b)", "0o", text).replace("&&", " and ").replace("||", " or ")
        text = re.sub(r"!(?!=)", " not ", text)
        return arithmetic(ast.parse(text.strip(), mode="eval").body)

    def text(self, value):
        """A string constant, from literals side by side, macros or NULL."""
        value = self.expand_strings(value).strip()
        while value.startswith("(") and value.endswith(")"):
            value = value[1:-1].strip()
        if value == "NULL":
            return None
        if re.sub(STRING, "", value).strip():
            raise ValueError(f"no string: {value}")
        return "".join(piece.replace('\\"', '"').replace("\\\\", "\\").replace("\\n", "\n") for piece in re.findall(STRING, value))

    def expand_strings(self, value, seen=frozenset()):
        def replaced(word):
            if word[0] in seen or word[0] not in self.macros:
                return word[0]
            return self.expand_strings(self.macros[word[0]], seen | {word[0]})

        pieces = re.split(r'("(?:[^"\\]|\\.)*")', value)
        return "".join(piece if piece.startswith('"') else re.sub(r"\b[A-Za-z_]\w*\b", replaced, piece) for piece in pieces)

    def constant(self, value):
        """What an option of an enum counts as, to tell which spellings are one: a number where it is one, else the constant itself."""
        try:
            return self.number(value)
        except (SyntaxError, ValueError):
            return self.expand_strings(value).strip("()")

    def entries(self):
        data = self.root / "src/backend/utils/misc/guc_parameters.dat"
        if data.exists():
            text = re.sub(r"^\s*#.*$", "", data.read_text(), flags=re.M)
            for body in re.findall(r"^\{(.*?)^\},", text, re.S | re.M):
                entry = {key: re.sub(r"\\([\\'])", r"\1", value) for key, value in re.findall(r"(\w+)\s*=>\s*'((?:[^'\\]|\\.)*)'", body)}
                if "ifdef" not in entry or entry["ifdef"] in self.macros:
                    yield entry
            return
        for kind, fields in {
            "Bool": ["boot_val"],
            "Int": ["boot_val", "min", "max"],
            "Real": ["boot_val", "min", "max"],
            "String": ["boot_val"],
            "Enum": ["boot_val", "options"],
        }.items():
            body = re.search(rf"config_{kind.lower()} ConfigureNames{kind}\[\]\s*=\s*(\{{.*?\n\}});", self.tables, re.S)[1]
            for row in split(body):
                if not row.startswith("{"):
                    continue
                head, _, *values = split(row)
                if not head.startswith("{"):
                    continue  # the end marker
                name, context, _, _, *rest = split(head)
                if name == "NULL":
                    continue
                flags = rest[1] if len(rest) > 1 else "0"
                yield {"name": name.strip('"'), "type": kind.lower(), "context": context, "flags": flags} | dict(zip(fields, values))

    def rows(self):
        """As pg_settings has them."""
        for entry in self.entries():
            kind, flags = entry["type"], set(re.findall(r"\w+", entry.get("flags", "")))
            boot, options, enumvals = entry["boot_val"], None, None
            if kind == "bool":
                boot = "on" if self.number(boot) else "off"
            elif kind == "int":
                boot = str(int(self.number(boot)))
            elif kind == "real":
                boot = "%g" % self.number(boot)
            elif kind == "string":
                boot = self.text(boot)
            else:
                array, _, skipped = entry["options"].partition("+")
                options = self.options[array.strip()][int(skipped or 0) :]
                options = [(word, self.constant(value), hidden) for word, value, hidden in options]
                boot = next(word for word, value, _ in options if value == self.constant(boot))
                enumvals = [word for word, _, hidden in options if not hidden]
            yield {
                "name": entry["name"],
                "vartype": TYPES[kind],
                "context": CONTEXTS[entry["context"]],
                "unit": next((unit for flag, unit in UNITS.items() if flag in flags), None),
                "boot_val": boot,
                "min_val": str(self.number(entry["min"])) if "min" in entry else None,
                "max_val": str(self.number(entry["max"])) if "max" in entry else None,
                "enumvals": enumvals,
                "hidden": "GUC_NO_SHOW_ALL" in flags,
                "options": options,
            }

    def catalogue(self, major):
        """What catalogue.dump says of a server."""
        table = {}
        for row in self.rows():
            name, entry = catalogue.facts(row, major)
            if row["hidden"]:
                entry = catalogue.HIDDEN[name]
            elif row["vartype"] == "enum" and row["context"] != "internal":
                shown = {word: next(first for first, other, _ in row["options"] if other == value) for word, value, _ in row["options"]}
                entry |= catalogue.enum_facts(row, shown, major)
            table[name] = entry
        old = re.search(r"map_old_guc_names\[\]\s*=\s*\{(.*?)\};", self.read("src/backend/utils/misc/guc.c"), re.S)[1]
        names = re.findall(STRING, old)
        for name, now in zip(names[::2], names[1::2]):
            table[name] = {"renamed": now}
        return table


OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def arithmetic(node):
    """The value of a constant expression of C, once it is written as one of Python. Nothing of the source is ever run."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.BinOp(left, ast.Div(), right):
            left, right = arithmetic(left), arithmetic(right)
            return left // right if isinstance(left, int) and isinstance(right, int) else left / right
        case ast.BinOp(left, op, right):
            return OPERATORS[type(op)](arithmetic(left), arithmetic(right))
        case ast.UnaryOp(op, operand):
            return OPERATORS[type(op)](arithmetic(operand))
        case ast.Compare(left, [op], [right]):
            return OPERATORS[type(op)](arithmetic(left), arithmetic(right))
        case ast.BoolOp(ast.And(), values):
            return all(arithmetic(value) for value in values)
        case ast.BoolOp(ast.Or(), values):
            return any(arithmetic(value) for value in values)
        case ast.Call(ast.Name("Min" | "Max" as name), values):
            return {"Min": min, "Max": max}[name](arithmetic(value) for value in values)
    raise ValueError(ast.dump(node))


def split(braced):
    """The parts between the commas of a braced list."""
    parts, depth, start = [], 0, 1
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[(){},]', braced[1:-1]):
        token = match[0]
        depth += (token in "({") - (token in ")}") if len(token) == 1 else 0
        if token == "," and depth == 0:
            parts.append(braced[start : match.start() + 1].strip())
            start = match.end() + 1
    parts.append(braced[start:-1].strip())
    return [part for part in parts if part]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("mode", choices=["write", "compare"])
    options.add_argument("git")
    options.add_argument("major", type=int)
    options.add_argument("commit")
    options.add_argument("picks", nargs="*")
    given = options.parse_args()
    revision = lambda name: subprocess.run(
        ["git", "-C", given.git, "rev-parse", name + "^{commit}"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
    commit, picks = revision(given.commit), [revision(pick) for pick in given.picks]
    source = Source(given.git, commit, picks)
    version = source.version()
    if not re.match(rf"{given.major}(?!\d)", version):
        sys.exit(f"{commit} is PostgreSQL {version}, not {given.major}")
    table = source.catalogue(given.major)
    if given.mode == "compare":
        compare(table, given.major)
        return
    date = lambda name: subprocess.run(
        ["git", "-C", given.git, "log", "-1", "--format=%cs", name], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
    head = {
        "source": "https://github.com/postgres/postgres",
        "version": version,
        "commit": commit,
        "date": date(commit),
        "back_patched": {pick: date(pick) for pick in picks},
    }
    rows = [f"{json.dumps(name)}: {json.dumps(catalogue.ordered(table[name]), ensure_ascii=False)}" for name in sorted(table)]
    head_text = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    out = HERE / f"source-{given.major}.json"
    out.write_text("{\n" + head_text + ',\n"parameters": {\n' + ",\n".join(rows) + "\n}\n}\n")
    print(f"{len(table)} parameters of PostgreSQL {version} in {out}")


def compare(table, major):
    server = catalogue.dump(major)
    differences = 0
    for name in sorted((table.keys() | server.keys()) - catalogue.MINORS.keys()):  # those depend on the minor release
        read, told = (catalogue.ordered(side[name]) if name in side else None for side in (table, server))
        if read != told:
            differences += 1
            print(f"{name}\n  source {json.dumps(read)}\n  server {json.dumps(told)}")
    print(f"{len(server)} parameters of a server of PostgreSQL {major}, {len(table)} of the source: {differences} differ")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
