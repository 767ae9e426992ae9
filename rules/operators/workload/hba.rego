package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.inventory
import data.walguard.lib.mount
import data.walguard.lib.patroni
import data.walguard.lib.pooling

# Who may log in: the lines of pg_hba.conf, and where else they come from.

# Below the data directory, where it is no path from the root.
hba_file := mount.clean(named_hba) if startswith(named_hba, "/")

hba_file := concat("/", [directory, named_hba]) if {
	named_hba != ""
	not startswith(named_hba, "/")
	not get.string(container, "workingDir")
}

# postgres takes it from where it was started (src/backend/utils/misc/guc.c, make_absolute_path).
hba_file := mount.clean(concat("/", [get.string(container, "workingDir"), named_hba])) if {
	named_hba != ""
	not startswith(named_hba, "/")
}

hba_file := "/bitnami/postgresql/conf/pg_hba.conf" if {
	layout == "bitnami"
	not named_hba
}

hba_file := concat("/", [directory, "pg_hba.conf"]) if {
	layout == "docker"
	not named_hba
}

named_hba := last_option("hba_file")

named_hba := get.text(shared.last_of(parameters, "hba_file").value) if not last_option("hba_file")

mounted_hba := [f | some f in files; f.file == hba_file][0]

facts contains {"hba": hba_lines(mounted_hba)} if mounted_hba

facts contains {"hba_file_read": true} if mounted_hba

# Patroni puts a list of its own in the place of the file.
facts contains {"hba": hba_of_patroni} if {
	not mounted_hba
	count(hba_of_patroni) > 0
}

hba_of_patroni := patroni.hba(patroni_text, patroni_place) if layout == "patroni"

hba_of_patroni := patroni.hba(variable.value, object.union({"path": value_path(variable)}, object.filter(variable, ["resource"]))) if {
	layout == "spilo"
	variable := first_of(spilo_variables)
}

# In another style than that of Helm.
facts contains {"hba_unread": [object.union({"source": "pg_hba of Patroni's configuration", "severity": inventory.unread}, where)]} if {
	some [text_, where] in array.concat(
		[[patroni_text, patroni_place] | layout == "patroni"],
		[[variable.value, object.union({"path": value_path(variable)}, object.filter(variable, ["resource"]))] | layout == "spilo"; variable := first_of(spilo_variables)],
	)
	regex.match(`(?m)^[^#\n]*\bpg_hba\b`, text_)
	count(hba_of_patroni) == 0
}

# The official entrypoint appends "host all all all METHOD" to the file of initdb.
facts contains {"hba": [object.union({"line": line, "path": value_path(method)}, object.filter(method, ["resource"])) | some line in split(sprintf("host all all all %s", [method.value]), "\n")]} if {
	layout in {"docker", "other"}
	not mounted_hba
	not named_hba
	method := first_of(["POSTGRES_HOST_AUTH_METHOD"])
}

facts contains {"hba_unread": [{"source": "the variable POSTGRES_HOST_AUTH_METHOD", "path": array.concat(container_path, ["env"]), "severity": severity_of_method}]} if {
	layout in {"docker", "other"}
	not mounted_hba
	not named_hba
	"POSTGRES_HOST_AUTH_METHOD" in hidden
}

# Nobody keeps the method in an annotation, or in a file that another container writes.
severity_of_method := "warning" if {
	some variable in get.list(container, "env")
	get.string(variable, "name") == "POSTGRES_HOST_AUTH_METHOD"
	some field in ["fieldRef", "fileKeyRef", "resourceFieldRef"]
	get.present(variable, ["valueFrom", field])
} else := inventory.unread

# libpostgresql.sh lets everybody in where no password is set and that is allowed.
facts contains {"hba": [object.union({"line": "host all all 0.0.0.0/0 trust", "path": value_path(allowed)}, object.filter(allowed, ["resource"]))]} if {
	layout == "bitnami"
	not mounted_hba
	allowed := first_of(["ALLOW_EMPTY_PASSWORD"])
	get.lower_case(allowed.value) in {"yes", "true", "1"}
	not first_of(bitnami_passwords)
	not unknown(bitnami_passwords)
}

bitnami_passwords := ["POSTGRESQL_PASSWORD", "POSTGRES_PASSWORD", "POSTGRESQL_PASSWORD_FILE", "POSTGRES_PASSWORD_FILE", "POSTGRESQL_POSTGRES_PASSWORD", "POSTGRES_POSTGRES_PASSWORD"]

facts contains {"hba_added": added_to_hba} if count(added_to_hba) > 0

added_to_hba := array.concat(added_by_scripts, sampled)

added_by_scripts := [object.union({"source": sprintf("The script %s", [one.name]), "text": opened[0]}, object.filter(one, ["path", "resource"])) |
	by_entrypoint
	some one in scripts_of_start
	endswith(one.name, ".sh")
	opened := hba.in_script(one.text)
	count(opened) > 0
]

# initdb makes pg_hba.conf of the sample.
sampled := [object.union({"source": "The file pg_hba.conf.sample", "text": rule.text}, object.filter(f, ["path", "resource"])) |
	layout in {"docker", "other"}
	not mounted_hba
	some f in files
	regex.match(`^/usr/(local/)?share/.*/pg_hba\.conf\.sample$`, f.file)
	some rule in pooling.open_lines(hba.of_text(f.text, {}))
]

# Before any password is set libpostgresql.sh of Bitnami's image creates users and databases as postgres – over 127.0.0.1, in older images over the socket – by the lines of this
# file. initdb gives postgres no password, so that only a line that wants none lets it in.
facts contains {"hba_of_start": object.filter(mounted_hba, ["path", "resource"])} if {
	layout == "bitnami"
	server.product.name == "postgresql"
	by_entrypoint
	not standby
	lines := hba.of_text(mounted_hba.text, object.filter(mounted_hba, ["path", "resource"]))
	count([1 | some entry in lines; regex.match(`^\s*include|@|\$|\{\{`, entry.line)]) == 0
	rules_of_start := hba.rules(lines)
	count([1 | some group in [{"local"}, {"host", "hostnossl"}]; lets_postgres_in(first_for_postgres(rules_of_start, group))]) == 0
}

lets_postgres_in(rule) if rule.method in {"trust", "peer"}

first_for_postgres(all, types) := [rule |
	some rule in all
	rule.type in types
	from_the_pod(rule)
	count([1 | some name in rule.databases; name in {"all", "postgres"}]) > 0
	count([1 | some name in rule.users; name in {"all", "postgres"}]) > 0
][0]

from_the_pod(rule) if hba.own(rule)

from_the_pod(rule) if hba.everywhere(rule)

from_the_pod(rule) if rule.address in {"127.0.0.1", "samenet"}
