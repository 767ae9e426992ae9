# METADATA
# description: What is known of an image by its name – whose server it is, its major version, where it keeps the data.
package walguard.operators.workload.product

import data.walguard.lib.cluster
import data.walguard.lib.image

# METADATA
# description: |
#   {"name", "layout": "docker" (the official entrypoint) | "bitnami" | "sclorg" (Red Hat's) | "spilo" | "other", "major"?, "edition"?, "home"? (data
#   directory unless told otherwise), "user"? that an image of the layout "other" runs as, "tuned"? true where timescaledb-tune writes the configuration, "published"? true where the
#   image is the publisher's own, so that home is certain}. Undefined for every other image.
of(reference) := object.union_n([
	{"name": image.name(reference)},
	kind,
	{"major": n | n := major(reference)},
	{"home": path | path := home(kind, reference)},
	{"published": true | published(reference)},
]) if {
	kind := kind_of(reference, image.name(reference))
}

kind_of(_, name) := kinds[name]

kind_of(reference, name) := {"layout": "bitnami", "home": "/bitnami/postgresql/data"} if {
	name in {"postgresql", "postgresql-repmgr"}
	contains(reference, "bitnami")
}

# The image streams of OpenShift, postgresql:13-el8.
kind_of(reference, name) := {"layout": "sclorg", "home": "/var/lib/pgsql/data/userdata"} if {
	name == "postgresql"
	regex.match(`^(image-registry\.openshift-image-registry\.svc|docker-registry\.default\.svc)(\.cluster\.local)?(:[0-9]+)?/openshift/postgresql(:|@|$)`, reference)
}

# quay.io/sclorg/postgresql-15-c9s, registry.redhat.io/rhel9/postgresql-16, rhscl/postgresql-12-rhel7.
kind_of(reference, name) := {"layout": "sclorg", "home": "/var/lib/pgsql/data/userdata"} if {
	regex.match(sclorg_name, name)
	some publisher in ["sclorg/", "centos/", "centos7/", "fedora/", "rhel8/", "rhel9/", "rhel10/", "rhscl/", "registry.redhat.io/", "registry.access.redhat.com/"]
	contains(reference, publisher)
}

# PG_DATADIR of its Dockerfile.
kind_of(reference, "postgresql") := {"layout": "other", "home": sprintf("/var/lib/postgresql/%d/main", [image.major(reference)])} if {
	repository(reference) == "sameersbn/postgresql"
	image.major(reference) > 9
}

kind_of(reference, "age") := {"layout": "docker"} if repository(reference) == "apache/age"

kind_of(_, name) := {"layout": "spilo", "home": "/home/postgres/pgdata/pgroot/data"} if regex.match(`^spilo-[0-9]+$`, name)

# Crunchy's containers without their operator.
kind_of(_, name) := {"layout": "other", "home": "/pgdata", "user": 26} if regex.match(`^crunchy-postgres(-gis|-ha)?$`, name)

# Percona's own containers: PGDATA of their Dockerfile.
kind_of(_, name) := {"layout": "other", "home": "/data/db", "user": 26} if regex.match(`^percona-distribution-postgresql(-with-postgis)?$`, name)

kind_of(_, name) := {"layout": "other", "edition": "postgrespro-enterprise"} if regex.match(`^postgrespro-ent(erprise)?(-[0-9]+)?$`, name)

kind_of(_, name) := {"layout": "other", "edition": "appos"} if regex.match(`^appos(-[0-9]+)?$`, name)

kinds := {
	"postgres": {"layout": "docker"},
	"postgis": {"layout": "docker"},
	"pgvector": {"layout": "docker"},
	"pgvecto-rs": {"layout": "docker"},
	"vchord-postgres": {"layout": "docker"},
	"citus": {"layout": "docker"},
	"paradedb": {"layout": "docker"},
	"pgrouting": {"layout": "docker"},
	"vchord-suite": {"layout": "docker"},
	"timescaledb": {"layout": "docker", "tuned": true},
	"timescaledb-ha": {"layout": "docker", "home": "/home/postgres/pgdata/data", "tuned": true},
	"spilo": {"layout": "spilo", "home": "/home/postgres/pgdata/pgroot/data"},
	"polardb_pg": {"layout": "other", "edition": "polardb"},
	"polardb_pg_local_instance": {"layout": "other", "edition": "polardb"},
	"pgautoupgrade": {"layout": "docker"},
}

# "17.6", "pg17", "pg17.2-ts2.18", "2.18.0-pg17", "0.8.0-pg17-trixie". Only pgvector and timescaledb begin with a version of their own.
major(reference) := image.major(reference) if {
	not image.name(reference) in numbered_otherwise
	not regex.match(sclorg_name, image.name(reference))
}

# Its tag is a build's.
major(reference) := cluster.major(trim_prefix(image.name(reference), "postgresql-")) if {
	regex.match(sclorg_name, image.name(reference))
	not regex.match(sclorg_nine, image.name(reference))
}

major(reference) := 9 if regex.match(sclorg_nine, image.name(reference))

major(reference) := found[0] if {
	image.name(reference) in numbered_otherwise
	found := [n |
		some part in split(image.tag(reference), "-")
		startswith(part, "pg")
		n := cluster.major(substring(part, 2, -1))
	]
	count(found) > 0
}

sclorg_name := `^postgresql-[0-9]+(-(c[0-9]+s|centos[0-9]+|rhel[0-9]+))?$`

# postgresql-96-centos7 is 9.6.
sclorg_nine := `^postgresql-9[0-9]`

numbered_otherwise := {"citus", "paradedb", "pgrouting", "vchord-suite", "pgvector", "pgvecto-rs", "vchord-postgres", "timescaledb", "timescaledb-ha", "spilo"}

home(kind, _) := kind.home

# Since 18 the official image has a directory for each major.
home(kind, reference) := "/var/lib/postgresql/data" if {
	bare(kind)
	not of_kartoza(reference)
	major(reference) < 18
}

home(kind, reference) := sprintf("/var/lib/postgresql/%d/docker", [major(reference)]) if {
	bare(kind)
	not of_kartoza(reference)
	major(reference) >= 18
}

# scripts/env-data.sh, as Debian has it.
home(_, reference) := sprintf("/var/lib/postgresql/%d/main", [major(reference)]) if {
	of_kartoza(reference)
	major(reference) > 9
}

# METADATA
# description: True of kartoza/postgis, which has nothing of the official image but the directory for scripts.
of_kartoza(reference) if repository(reference) == "kartoza/postgis"

bare(kind) if {
	kind.layout == "docker"
	not kind.home
}

published(reference) if kind_of(reference, image.name(reference)).layout == "sclorg"

# Whatever registry a mirror has.
published(reference) if regex.match(`(^|/)(crunchydata/crunchy-postgres(-gis)?|percona/percona-distribution-postgresql(-with-postgis)?)(:|@|$)`, reference)

published(reference) if {
	repository(reference) in {
		"postgres",
		"public.ecr.aws/docker/postgres",
		"supabase/postgres",
		"postgis/postgis",
		"imresamu/postgis",
		"pgvector/pgvector",
		"ankane/pgvector",
		"sameersbn/postgresql",
		"apache/age",
		"tensorchord/pgvecto-rs",
		"tensorchord/vchord-postgres",
		"timescale/timescaledb",
		"timescale/timescaledb-ha",
		"citusdata/citus",
		"paradedb/paradedb",
		"pgrouting/pgrouting",
		"bitnami/postgresql",
		"bitnami/postgresql-repmgr",
		"bitnamilegacy/postgresql",
		"bitnamilegacy/postgresql-repmgr",
	}
}

# A mirror, which has the repository's own name below its host's.
published(reference) if {
	parts := split(split(reference, "@")[0], "/")
	count(parts) > 2
	regex.match(`[.:]`, parts[0])
	concat("/", [parts[count(parts) - 2], split(parts[count(parts) - 1], ":")[0]]) in {
		"library/postgres",
		"postgis/postgis",
		"pgvector/pgvector",
		"timescale/timescaledb",
		"timescale/timescaledb-ha",
		"bitnami/postgresql",
		"bitnami/postgresql-repmgr",
	}
}

# A cache of Docker Hub, by its own name or that of the project in it.
published(reference) if {
	parts := split(split(reference, "@")[0], "/")
	not parts[0] in {"docker.io", "index.docker.io"}
	split(parts[count(parts) - 1], ":")[0] == "postgres"
	regex.match(`(^|[^a-z])(mirror|proxy|proxied|cache|docker-?hub|docker[._-]io|docker-remote)([^a-z]|$)`, concat("/", array.slice(parts, 0, count(parts) - 1)))
}

repository(reference) := concat("/", [part |
	some part in split(split(split(reference, "@")[0], ":")[0], "/")
	not part in {"docker.io", "index.docker.io", "library"}
])
