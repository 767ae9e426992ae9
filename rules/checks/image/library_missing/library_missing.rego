# METADATA
# title: The image lacks a library that the server preloads
# description: |
#   PostgreSQL does not start when it cannot find a library of shared_preload_libraries: "FATAL: could not access file "pg_cron": No such file or
#   directory". The official image has what comes with PostgreSQL and nothing else, pgvector's has vector besides, and CloudNativePG's "standard"
#   and "system" images pgaudit, pg_failover_slots and pgvector. Percona's operator preloads pg_stat_monitor (up to crVersion 2.8) and pgaudit whatever
#   shared_preload_libraries says, and Crunchy's image has the second alone. StackGres installs the extensions that the cluster names, and no others. CREATE EXTENSION fails the same way ("extension "postgis" is not available"), and with
#   it the creation of a cluster of CloudNativePG, a Database of its operator, or the first start of a plain image whose scripts do so. Silent for images whose contents are not known, and where extensions are mounted.
#   Debezium asks the server for an output plugin, decoderbufs unless it is told otherwise, which these images do not have; PostgreSQL comes with pgoutput.
# related_resources:
#   - https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-SHARED-PRELOAD-LIBRARIES
#   - https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-property-plugin-name
#   - https://github.com/docker-library/postgres/blob/master/Dockerfile-debian.template
#   - https://github.com/cloudnative-pg/postgres-containers
#   - https://github.com/percona/percona-postgresql-operator/blob/main/pkg/apis/pgv2.percona.com/v2/perconapgcluster_types.go
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take an image that has the library, or remove it from shared_preload_libraries.
#   sources: []
package walguard.checks.image.library_missing

import data.walguard.lib.conf
import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.image as images
import data.walguard.lib.text
import data.walguard.model
import data.walguard.model.before
import data.walguard.model.decoders
import data.walguard.model.image

# The image before made its extension in the first database, or is taken for the sake of it.
findings contains f if {
	carried[old_repository] != ""
	old_repository != images.repository(image.reference)
	images.lacks_extension(image.reference, carried[old_repository])
	f := finding.with_severity(
		finding.at(image.own_image, sprintf("%s had %s, and %s does not: %s. Stay with that image, or drop the extension first.", [
			old_image,
			carried[old_repository],
			image.reference,
			without[preloads],
		])),
		{true: "error", false: "warning"}[preloads],
	)
}

# Images of TimescaleDB have the libraries of earlier releases beside their own, and none of later ones.
findings contains f if {
	old_repository == images.repository(image.reference)
	carried[old_repository] == "timescaledb"
	then_ := release_of(old_image)
	now := release_of(image.reference)
	now < then_
	f := finding.with_severity(
		finding.at(image.own_image, sprintf("TimescaleDB %s becomes %s, which has no library of the later release: databases whose extension is of it answer every query with \"could not access file\". Write %s again.", [shown(then_), shown(now), shown(then_)])),
		"warning",
	)
}

old_image := before.cluster.image.value

old_repository := images.repository(old_image)

carried := {
	"docker.io/pgvector/pgvector": "vector",
	"docker.io/postgis/postgis": "postgis",
	"docker.io/timescale/timescaledb": "timescaledb",
	"docker.io/timescale/timescaledb-ha": "timescaledb",
}

# The image writes it into the postgresql.conf that lies with the data.
preloads := carried[old_repository] == "timescaledb"

without := {
	true: "the postgresql.conf in the data directory preloads it, so the server does not start",
	false: "what uses it ends with \"could not access file\"",
}

release_of(reference) := [to_number(match[1]), to_number(match[2]), to_number(match[3])] if {
	match := regex.find_all_string_submatch_n(`(?:^|-ts)([0-9]+)\.([0-9]+)\.([0-9]+)(?:-|$)`, images.tag(reference), 1)[0]
}

shown(release) := sprintf("%d.%d.%d", release)

findings contains f if {
	model.cluster.own_libraries
	lacking := sort([library | some library in preloaded; images.lacks(image.reference, library); not library in brought])
	count(lacking) > 0
	f := finding.at(model.cluster.own_libraries, sprintf("The image %s has no %s, which %s: the server does not start. %s.", [
		image.reference,
		text.list(lacking, "or"),
		object.get(model.cluster.own_libraries, "asked", "shared_preload_libraries names"),
		object.get(model.cluster.own_libraries, "cure", "Use an image that has it, or remove it"),
	]))
}

findings contains f if {
	lacking := model.cluster.uninstalled_libraries
	f := finding.at(lacking, sprintf("%s: the server does not start (\"could not access file\"). %s.", [lacking.reason, lacking.cure]))
}

brought := get.list(model.cluster, "libraries_brought")

# PostgreSQL takes a name with and without its ending (expand_dynamic_library_name of src/backend/utils/fmgr/dfmgr.c).
preloaded := {trim_suffix(trim_prefix(name, "$libdir/"), ".so") | some name in named}

named := {name | some name in model.cluster.preloaded} if is_array(model.cluster.preloaded)

named := {name | some name in model.cluster.own_libraries.value} if {
	not model.cluster.preloaded
	model.cluster.own_libraries.asked
}

named := conf.names(model.parameter("shared_preload_libraries").text) if {
	not model.cluster.preloaded
	not model.cluster.own_libraries.asked
}

findings contains f if {
	some created in get.list(model.cluster, "extensions")
	of_the_image(created)
	not created.name in of_preload
	found := fault(created.name, ways(created))
	f := finding.with_severity(
		finding.at(created, sprintf("CREATE EXTENSION %s fails, and with it %s: %s. %s.", [
			created.name,
			object.get(created, "consequence", "the creation of the cluster"),
			found.reason,
			found.cure,
		])),
		severity(created),
	)
}

of_the_image(created) if not created.by == "script"

of_the_image(created) if created.certain

# Where their libraries are not loaded either, parameters/preload_missing says so.
of_preload := {"citus", "pg_cron", "pg_stat_monitor", "pg_wait_sampling", "pgaudit", "timescaledb", "vchord", "vectors"}

fault("pgvector", _) := {"reason": "pgvector's extension is called vector", "cure": "Write vector"}

fault(extension, cure) := {"reason": sprintf("the image %s does not have it", [image.reference]), "cure": cure} if {
	not model.cluster.libraries_mounted
	not model.written.dynamic_library_path
	not model.written.extension_control_path
	not extension in preloaded
	not extension in brought
	images.lacks_extension(image.reference, extension)
}

ways(created) := "Use an image that has it, or mount it where the operator can" if not created.by == "script"

ways(created) := "Use an image that has it" if created.by == "script"

# A server that runs goes on without it.
severity(created) := "warning" if created.by == "operator"

severity(created) := "error" if not created.by

severity(created) := created.level if created.by == "script"

findings contains f if {
	some one in decoders.debezium
	images.lacks(image.reference, one.plugin)
	not model.cluster.libraries_mounted
	not model.written.dynamic_library_path
	f := finding.at(
		{"path": one.plugin_path, "resource": one.resource},
		sprintf("%s asks for the output plugin %s, which the image %s does not have: %s (could not access file \"%s\"). Set plugin.name to pgoutput.", [one.who, one.plugin, image.reference, one.consequence, one.plugin]),
	)
}
