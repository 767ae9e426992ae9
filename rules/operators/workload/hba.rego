package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.login

hba_file := last_option("hba_file")

hba_file := "/bitnami/postgresql/conf/pg_hba.conf" if {
	layout == "bitnami"
	not last_option("hba_file")
}

hba_file := concat("/", [directory, "pg_hba.conf"]) if {
	layout == "docker"
	not last_option("hba_file")
}

mounted_hba := [f | some f in files; f.file == hba_file][0]

facts contains {"hba": hba.of_text(mounted_hba.text, object.filter(mounted_hba, ["path", "resource"]))} if mounted_hba

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

# The official entrypoint appends "host all all all METHOD" to the file of initdb.
facts contains {"hba": [{"line": sprintf("host all all all %s", [method.value]), "path": value_path(method)}]} if {
	layout == "docker"
	not mounted_hba
	not last_option("hba_file")
	method := first_of(["POSTGRES_HOST_AUTH_METHOD"])
	not method.resource
}

# libpostgresql.sh lets everybody in where no password is set and that is allowed.
facts contains {"hba": [{"line": "host all all 0.0.0.0/0 trust", "path": value_path(allowed)}]} if {
	layout == "bitnami"
	not mounted_hba
	allowed := first_of(["ALLOW_EMPTY_PASSWORD"])
	get.lower_case(allowed.value) in {"yes", "true", "1"}
	not allowed.resource
	not first_of(bitnami_passwords)
	not unknown(bitnami_passwords)
}

bitnami_passwords := ["POSTGRESQL_PASSWORD", "POSTGRES_PASSWORD", "POSTGRESQL_PASSWORD_FILE", "POSTGRES_PASSWORD_FILE", "POSTGRESQL_POSTGRES_PASSWORD", "POSTGRES_POSTGRES_PASSWORD"]

facts contains {"passwords": found} if {
	server
	found := [object.union({"name": name, "path": value_path(variable)}, object.filter(variable, ["resource"])) |
		some name, variable in variables
		endswith(name, "PASSWORD")
		name != "ALLOW_EMPTY_PASSWORD"
		not kept_in_secret(variable)
		login.literal(variable.value)
	]
	count(found) > 0
}

kept_in_secret(variable) if variable.resource.kind == "Secret"
