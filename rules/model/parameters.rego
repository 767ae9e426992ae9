package walguard.model

import data.walguard.index
import data.walguard.lib.get
import data.walguard.lib.placeholder
import data.walguard.postgres

# METADATA
# description: |
#   What is written, by lower-cased name: {"name", "text", "origin": "written", "path", "resource"?, "line"?}. The last one wins, as in
#   PostgreSQL. Values that are no scalar are left out (see malformed_parameters), and so are those that nobody has filled in yet (see
#   unfilled); one that is filled in by default has the origin "default of a placeholder".
written[key] := entry if {
	some key, i in positions
	not unfilled[key]
	setting := cluster.parameters[i]
	text := get.text(setting.value)
	entry := object.union(
		{"name": key, "text": text, "origin": origin_of(setting.value), "path": setting.path},
		object.filter(setting, ["resource", "line"]),
	)
}

origin_of(value) := "default of a placeholder" if placeholder.default_of(value)

origin_of(value) := "written" if not placeholder.default_of(value)

# METADATA
# description: |
#   The parameters whose value a later step fills in (see walguard.lib.placeholder), {name: ""}: what they will be is unknown, so that no
#   default holds either. In commands a placeholder among other words is the shell's own.
unfilled[key] := "" if {
	placeholder.honoured
	some key, i in positions
	value := cluster.parameters[i].value
	placeholder.unknown(value)
	to_be_filled(key, value)
}

to_be_filled(key, _) if not endswith(key, "_command")

to_be_filled(key, value) if {
	endswith(key, "_command")
	placeholder.whole(value)
}

# The last index of a name is the one that counts.
positions := {name: max(indices) | some name, indices in positions_by_name}

positions_by_name[name] contains i if {
	some i, setting in cluster.parameters
	is_string(setting.name)
	not placeholder.unknown(setting.name)
	name := get.lower_case(placeholder.resolved(setting.name))
}

# METADATA
# description: Parameters whose value is no scalar (null, a list, a map).
malformed_parameters := [setting |
	some setting in cluster.parameters
	not get.text(setting.value)
]

# METADATA
# description: |
#   A parameter as the server will see it: written, else the operator's default, else PostgreSQL's. Undefined when unknown (a
#   partial resource does not say; the operator decides by what is not in sight).
#   {"name", "text", "origin", "path", "resource"?, "value"? (typed; absent when PostgreSQL refuses the text), "bytes"? (of a
#   size), "milliseconds"? (of a time)}.
parameter(name) := parameters[name]

# METADATA
# description: |
#   A parameter that somebody set, in a manifest or as the operator's default (see parameter); undefined where PostgreSQL's own default
#   holds. For checks that find no fault with that default: it costs nothing where nobody sets the parameter.
changed(name) := changes[name]

# METADATA
# description: A memory parameter in bytes (see parameter); undefined when unknown or refused.
bytes(name) := parameters[name].bytes

# METADATA
# description: A time parameter in milliseconds (see parameter); undefined when unknown or refused.
milliseconds(name) := parameters[name].milliseconds

# Functions are evaluated at every call, rules once: the parameters that some check names are worked out together, here.
parameters := object.union_n([changes, plain_defaults, other_defaults])

# Written, which is parsed already, or the operator's.
changes[name] := setting if {
	taken := fixed
	sources := written
	read := readings
	some name in changeable
	not taken[name]
	setting := object.union(sources[name], object.filter(read[name], ["value", "bytes", "milliseconds"]))
}

changes[name] := setting if {
	texts := set_by_operator
	path := cluster.parameters_path
	some name in changeable
	text := texts[name]
	entry := catalogue_entry(name)
	setting := object.union(
		{"name": name, "text": text, "origin": "operator", "path": path},
		object.filter(reading_of(entry, text), ["value", "bytes", "milliseconds"]),
	)
}

# By far the most defaults never changed: they are read when the rules are built.
plain_defaults := {name: setting |
	path := cluster.parameters_path
	not partial
	known := decided
	later := {name | some major, names in index.begun; major > default_major; some name in names}
	some name, row in index.defaults
	not known[name]
	not name in later
	setting := object.union(row, {"path": path})
}

other_defaults[name] := setting if {
	path := cluster.parameters_path
	some name in defaulted
	text := default_of(name)
	setting := object.union(
		{"name": name, "text": text, "origin": "postgres", "path": path},
		object.filter(reading_of(catalogue_entry(name), text), ["value", "bytes", "milliseconds"]),
	)
}

# What somebody says something about, be it that the operator decides ("").
decided := object.union_n([object.get(cluster, "managed", {}), object.get(cluster, "defaults", {}), written, unfilled])

# The names that some check asks for and somebody decides.
changeable := object.keys(object.filter(decided, index.changes))

# The others that are left to PostgreSQL.
defaulted := {name |
	cluster
	not partial
	known := object.union(decided, plain_defaults)
	some name in index.parameters
	not known[name]
}

# What the operator sets whatever is written.
fixed := {name: text |
	some name in changeable
	text := cluster.managed[name]
	text != ""
}

set_by_operator := object.union(fixed, {name: text |
	somebody := object.union(written, unfilled)
	managed := object.get(cluster, "managed", {})
	defaults := cluster.defaults
	some name in changeable
	text := defaults[name]
	text != ""
	not somebody[name]
	not managed[name]
})

default_of(name) := sprintf("%dMB", [initdb_sizes[name]])

default_of(name) := postgres.default_text(name, default_major) if not initdb_sizes[name]

# What initdb writes into postgresql.conf, in megabytes: the WAL sizes in proportion to the segment size (1GB and 80MB for
# 16 MB), and as shared_buffers 128MB, or less where the kernel refuses that.
initdb_sizes := object.union({"shared_buffers": 128}, wal_sizes)

wal_sizes := {"max_wal_size": 64 * cluster.segment.value, "min_wal_size": 5 * cluster.segment.value} if segment_bytes

wal_sizes := {} if not segment_bytes

# Where the version is not known, the newest one speaks for the defaults; checks that depend on a changed default ask for `major`.
default_major := major

default_major := postgres.major_max if not major

# METADATA
# description: The catalogue entry of a parameter at this cluster's major, or at the newest that has it.
catalogue_entry(name) := postgres.entry(name, major)

catalogue_entry(name) := postgres.entry_any(name) if not major

# METADATA
# description: |
#   How PostgreSQL reads what is written, by lower-cased name of each parameter that this major has (or the newest that has it, where
#   the major is unknown): walguard.postgres.parse, "bytes" or "milliseconds" as in `parameter`, and the "entry" of the catalogue.
#   Every written value is parsed here, once.
readings[name] := reading if {
	some name, setting in written
	entry := catalogue_entry(name)
	reading := reading_of(entry, setting.text)
}

reading_of(entry, text) := object.union(parsed, {"entry": entry, kind: n}) if {
	[kind, size] := postgres.kinds[entry.unit]
	parsed := postgres.parse(entry, text)
	n := parsed.value * {true: size, false: 1}[parsed.value >= 0]
} else := object.union(parsed, {"entry": entry}) if {
	parsed := postgres.parse(entry, text)
}

# METADATA
# description: |
#   The written values that PostgreSQL refuses: {name: {"reason", "entry", …}}. Where the major is unknown, those that every
#   major refuses; for a major newer than the catalogue those that its newest refuses, for one older none.
refused[name] := reading if {
	some name, reading in readings
	reading.ok == false
	catalogued
	not taken_by_another(name)
}

taken_by_another(name) if {
	not major
	some other in numbers.range(postgres.major_min, postgres.major_max)
	entry := postgres.entry(name, other)
	postgres.parse(entry, written[name].text).ok
}

# METADATA
# description: |
#   The written names that this major does not have (or no major, where it is unknown), as a set. Of hundreds the first in
#   alphabetical order, those with a dot, which are an extension's, last: nobody reads more findings than that, and each costs a search.
strangers := {name | some name in array.slice(array.concat(sort(unread - of_extensions), sort(of_extensions)), 0, 100)} if {
	catalogued
	unread := {name | some name in (object.keys(written) - object.keys(readings)); not malformed_name(name)}
	count(unread) > 0
	of_extensions := {name | some name in unread; contains(name, ".")}
}

strangers := set() if count(object.keys(written) - object.keys(readings)) == 0

# METADATA
# description: |
#   True of a name that no line of postgresql.conf can have. Every one is found (parameters/malformed), whatever the major and however
#   many there are: it may hide another parameter.
malformed_name(name) if {
	trim(name, "abcdefghijklmnopqrstuvwxyz_") != ""
	not regex.match(`^[A-Za-z_\x80-\x{10FFFF}][A-Za-z0-9_$\x80-\x{10FFFF}]*(\.[A-Za-z_\x80-\x{10FFFF}][A-Za-z0-9_$\x80-\x{10FFFF}]*)*$`, name)
}

# An empty name is none; most others are small letters.
malformed_name("")

# What the catalogue can judge: its majors, newer ones by the newest of them, and the unknown one by all.
catalogued if not major

catalogued if major >= postgres.major_min

# METADATA
# description: True for a major that the catalogue does not know yet. It is judged by the newest known one, and rejection and release say so.
uncharted if major > postgres.major_max

# METADATA
# description: |
#   What becomes of a parameter that PostgreSQL does not take: {"consequence": the end of a sentence, "severity"}. Patroni
#   (patroni/postgresql/validator.py) starts the server without it.
rejection := {"consequence": "Patroni leaves it out, says so in its log only, and it has no effect", "severity": "warning"} if {
	cluster.patroni
	not uncharted
}

# METADATA
# description: The same of a value of a type. Of a text Patroni reads nothing (String in its validator.py), whatever form PostgreSQL wants.
rejection_of(type) := {"consequence": "the server does not start (Patroni hands texts on as they are)", "severity": "error"} if {
	cluster.patroni
	type == "string"
	not uncharted
} else := rejection

rejection := {"consequence": "the server does not start", "severity": "error"} if {
	not cluster.patroni
	not uncharted
}

rejection := {"consequence": sprintf("a server of PostgreSQL %d does not start with it", [postgres.major_max]), "severity": severity} if {
	uncharted
	severity := {true: "warning", false: "error"}[object.get(cluster, "patroni", false) == true]
}

# METADATA
# description: '"PostgreSQL 16", or the majors that are meant where it is unknown, for messages.'
release := sprintf("PostgreSQL %d", [major]) if not uncharted

release := sprintf("PostgreSQL %d, the newest known to walguard (this is %d),", [postgres.major_max, major]) if uncharted

release := sprintf("PostgreSQL %d to %d", [postgres.major_min, postgres.major_max]) if not major
