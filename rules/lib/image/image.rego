# METADATA
# description: |
#   Container image references: [registry[:port]/]name[:tag][@digest]. Images of PostgreSQL carry the server's version at the
#   beginning of the tag ("18.6-system-trixie", "17") or behind the distribution or the product ("ubi9-16.3-2", "pg16.4-ts2.15"); any
#   other tag says nothing about it.
package walguard.lib.image

import data.walguard.lib.cluster
import data.walguard.lib.get
import data.walguard.lib.placeholder

# METADATA
# description: Name of the image without registry, path, tag and digest ("postgresql").
name(reference) := split(last_segment(reference), ":")[0]

# METADATA
# description: The tag; undefined when the reference has none – a digest is none, and neither is the port of a registry.
tag(reference) := parts[1] if {
	parts := split(last_segment(reference), ":")
	count(parts) == 2
}

# METADATA
# description: The digest, "sha256:…"; undefined when the reference has none.
digest(reference) := parts[1] if {
	parts := split(reference, "@")
	count(parts) == 2
}

# METADATA
# description: |
#   Registry and path without tag and digest, as container runtimes read them: "postgres" is "docker.io/library/postgres",
#   "bitnami/postgresql" is "docker.io/bitnami/postgresql".
repository(reference) := concat("/", [registry(array.slice(segments, 0, count(segments) - 1)), name(reference)]) if {
	segments := split(split(reference, "@")[0], "/")
}

# What stands before the name, of a list of segments.
registry([]) := "docker.io/library"

registry(segments) := "docker.io/library" if {
	segments[0] in docker_hub
	count(segments) == 1
}

registry(segments) := concat("/", array.concat(["docker.io"], array.slice(segments, 1, count(segments)))) if {
	segments[0] in docker_hub
	count(segments) > 1
}

registry(segments) := concat("/", segments) if {
	is_host(segments[0])
	not segments[0] in docker_hub
}

registry(segments) := concat("/", array.concat(["docker.io"], segments)) if {
	count(segments) > 0
	not is_host(segments[0])
}

docker_hub := {"docker.io", "index.docker.io", "registry-1.docker.io"}

# Of the first segment a runtime knows by these that it is a host.
is_host(segment) if contains(segment, ".")

is_host(segment) if contains(segment, ":")

is_host("localhost")

# METADATA
# description: The PostgreSQL major that the tag begins with; undefined when it begins with no plausible one ("latest", "2024.1").
major(reference) := cluster.major(tag(reference))

# METADATA
# description: |
#   The minor release of PostgreSQL in a version or tag whose major is known: 6 of "17.6-bookworm", "ubi9-17.6-2" and "pg17.6-ts2.1" for 17.
#   Undefined where none is written.
minor_of(text, major_) := found[0] if {
	found := [number |
		some part in split(text, "-")
		words := regex.find_all_string_submatch_n(`^(?:pg|ppg|v)?([0-9]{2})\.([0-9]{1,2})(?:\.|$)`, part, 1)
		count(words) == 1
		to_number(words[0][1]) == major_
		number := to_number(words[0][2])
	]
}

# METADATA
# description: |
#   The distribution that a tag names, as walguard.lib.image.distributions lists it: "trixie", "alpine", "ubi9" …; undefined
#   where it names none. Of "alpine3.22" the number is left out: musl sorts text alike in all of them. Bitnami writes Debian's number
#   ("16.4.0-debian-12-r9").
distribution(reference) := found[0] if {
	found := [word |
		some part in split(get.lower_case(tag(reference)), "-")
		some word, _ in data.walguard.lib.image.distributions.rows
		names(word, part)
	]
	count(found) > 0
} else := debians[numbers[0][1]] if {
	numbers := regex.find_all_string_submatch_n(`-debian-([0-9]+)(?:-|$)`, get.lower_case(tag(reference)), 1)
}

debians := {"9": "stretch", "10": "buster", "11": "bullseye", "12": "bookworm", "13": "trixie"}

names(word, part) if part == word

names("alpine", part) if regex.match(`^alpine[0-9.]+$`, part)

# METADATA
# description: |
#   The C library of an image: {"family": "glibc" | "musl", "version"?, "distribution"?}. By the distribution that the tag names; of the
#   official image, whose tags without one have been Debian since it exists, the family alone. Undefined for the rest.
libc(reference) := object.union({"distribution": word}, object.filter(row, ["family", "version"])) if {
	word := distribution(reference)
	row := data.walguard.lib.image.distributions.rows[word]
}

libc(reference) := {"family": "glibc"} if {
	not distribution(reference)
	repository(reference) in {"docker.io/library/postgres", "public.ecr.aws/docker/library/postgres"}
}

# METADATA
# description: True for a reference that may be another image tomorrow, of another major too – no digest, and no tag or one without a number.
floating(reference) if {
	not digest(reference)
	not tag(reference)
	not named_by_major(reference)
	not regex.match(`[A-Z]`, name(reference))
}

floating(reference) if {
	not digest(reference)
	not named_by_major(reference)
	text := get.lower_case(tag(reference))
	versionless(text)
}

# Red Hat has a repository for each major: quay.io/sclorg/postgresql-16-c9s.
named_by_major(reference) if regex.match(`^postgresql-[0-9]+`, name(reference))

# What is left of a tag without the names of distributions has no digit: "latest", "alpine3.22", "ubi9".
versionless(text) if {
	words := [part | some part in split(text, "-"); not of_distribution(part)]
	not regex.match(`[0-9]`, concat("-", words))
}

of_distribution(part) if {
	some word, _ in data.walguard.lib.image.distributions.rows
	names(word, part)
}

# METADATA
# description: |
#   What became of the repository of an image (walguard.lib.image.repositories), the first row that is about it; undefined where it is where it was. Rows may be for tags with a
#   number only: Bitnami still publishes "latest", and has copied no image of an old distribution, which are gone without a "now".
gone(reference) := [row |
	place := repository(reference)
	some row in data.walguard.lib.image.repositories.rows
	place in row.repositories
	concerned(row, reference)
][0]

# METADATA
# description: |
#   The image that is meant, where the reference is of none that Docker Hub has: of the official images (docker-library/official-images, library/) "postgres" is the only one for PostgreSQL, and from 10 on its tags have two
#   numbers. {"reason", "instead", "certain": false of a name without a registry, which may have been built where it runs}. Undefined for others.
unpublished(reference) := {"reason": "Docker Hub has no official image of that name", "instead": instead, "certain": true} if {
	instead := never_official[repository(reference)]
	split(reference, "/")[0] in docker_hub
} else := {"reason": "Docker Hub has no official image of that name", "instead": instead, "certain": false} if {
	instead := never_official[repository(reference)]
	regex.match(`^[0-9]`, tag(reference))
} else := {"reason": "versions of PostgreSQL have two numbers since 10", "instead": sprintf("postgres:%s.%s%s", [numbers[1], numbers[2], numbers[3]]), "certain": true} if {
	repository(reference) in {"docker.io/library/postgres", "public.ecr.aws/docker/library/postgres"}
	not digest(reference)
	numbers := regex.find_all_string_submatch_n(`^([1-9][0-9])\.([0-9]+)\.[0-9]+(-[a-z0-9.-]+)?$`, tag(reference), 1)[0]
}

never_official := {
	"docker.io/library/pgbouncer": "edoburu/pgbouncer",
	"docker.io/library/pgvector": "pgvector/pgvector",
	"docker.io/library/postgis": "postgis/postgis",
	"docker.io/library/postgresql": "postgres",
	"docker.io/library/timescaledb": "timescale/timescaledb",
}

concerned(row, reference) if regex.match(row.tags, tag(reference))

concerned(row, _) if {
	not row.kept_tags
	not row.tags
}

concerned(row, reference) if not tag_or_latest(reference) in row.kept_tags

tag_or_latest(reference) := tag(reference)

tag_or_latest(reference) := "latest" if not tag(reference)

last_segment(reference) := segments[count(segments) - 1] if {
	segments := split(split(placeholder.resolved(reference), "@")[0], "/")
}

# METADATA
# description: |
#   The kind of image that comes without a program: CloudNativePG's "minimal" and "standard" images have nothing of Barman. Undefined where the
#   image may have it.
without(reference, program) := kind if {
	startswith(program, "barman-")
	name(reference) in {"postgresql", "postgis"}
	startswith(repository(reference), "ghcr.io/cloudnative-pg/")
	some kind in ["minimal", "standard"]
	kind in split(tag(reference), "-")
}

# METADATA
# description: True of an image that is known to hold PostgreSQL and extensions, and no program that manages it (Patroni, Spilo).
postgres_alone(reference) if repository(reference) in {
	"docker.io/bitnami/postgresql",
	"docker.io/bitnamilegacy/postgresql",
	"docker.io/bitnamisecure/postgresql",
	"docker.io/library/postgres",
	"docker.io/pgvector/pgvector",
	"docker.io/postgis/postgis",
	"docker.io/timescale/timescaledb",
	"ghcr.io/cloudnative-pg/postgis",
	"ghcr.io/cloudnative-pg/postgresql",
	"public.ecr.aws/docker/library/postgres",
}

# METADATA
# description: |
#   True of a library that an image of known contents does not have: the official image and those made from it have what PostgreSQL itself
#   comes with, CloudNativePG's besides, unless they are minimal, pgaudit, pg_failover_slots and pgvector.
lacks(reference, library) if {
	library in of_others
	not library in added(repository(reference), split(tag(reference), "-"))
}

# METADATA
# description: The same of an extension that CREATE EXTENSION names.
lacks_extension(reference, extension) if lacks(reference, extension)

lacks_extension(reference, extension) if {
	extension in extensions_of_others
	added(repository(reference), split(tag(reference), "-"))
}

lacks_extension(reference, extension) if {
	extension in of_postgis
	added(repository(reference), split(tag(reference), "-"))
	not name(reference) == "postgis"
}

extensions_of_others := {"gzip", "orafce", "pg_bigm", "pg_graphql", "pg_ivm", "pg_jsonschema", "pg_partman", "pg_repack", "pg_uuidv7", "pgmq", "pgroonga", "pgtap", "plv8", "rum", "timescaledb_toolkit", "vectorscale"}

# Spilo has never had these (postgres-appliance/build_scripts/base.sh).
lacks_extension(reference, extension) if {
	extension in {"gzip", "pg_bigm", "pg_graphql", "pg_ivm", "pg_jsonschema", "pg_uuidv7", "pgmq", "pgroonga"}
	regex.match(`^(ghcr\.io/zalando|registry\.opensource\.zalan\.do/acid)/spilo-[0-9]+$`, repository(reference))
}

# Spilo has pgvector since 3.1-p1 (zalando/spilo, issue 961).
lacks_extension(reference, "vector") if {
	regex.match(`^(ghcr\.io/zalando|registry\.opensource\.zalan\.do/acid)/spilo-[0-9]+$`, repository(reference))
	regex.match(`^(1\.|2\.|3\.0-)`, tag(reference))
}

of_postgis := {"address_standardizer", "pgrouting", "postgis", "postgis_raster", "postgis_sfcgal", "postgis_tiger_geocoder", "postgis_topology"}

# What else Bitnami's has changes from release to release; its maintainers leave this one out (bitnami/containers 70819).
lacks(reference, "pg_cron") if {
	name(reference) in {"postgresql", "postgresql-repmgr"}
	regex.match(`(^|/)bitnami(legacy|secure)?/postgresql`, repository(reference))
}

# Crunchy's has pgaudit, pg_cron and set_user, and nothing that Percona alone builds (percona-helm-charts 560).
lacks(reference, library) if {
	library in {"pg_stat_monitor", "pg_tde"}
	regex.match(`(^|/)crunchydata/crunchy-postgres(-gis)?$`, repository(reference))
}

added(place, _) := set() if place in {"docker.io/library/postgres", "public.ecr.aws/docker/library/postgres", "docker.io/postgis/postgis"}

added("docker.io/pgvector/pgvector", _) := {"vector"}

# On the official image for Alpine, with pgvector for some releases (timescale/timescaledb-docker, Dockerfile); there were tags on Bitnami's.
added("docker.io/timescale/timescaledb", parts) := {"timescaledb", "vector"} if not "bitnami" in parts

added(place, parts) := {"pgaudit", "pg_failover_slots", "vector"} if {
	place in cnpg_images
	not "minimal" in parts
}

added(place, parts) := set() if {
	place in cnpg_images
	"minimal" in parts
}

# METADATA
# description: |
#   The libraries and extensions that an image of CloudNativePG's for one extension has (cloudnative-pg/postgres-extensions-containers); undefined for others.
brought(reference) := extension_images[repository(reference)]

extension_images := {
	"ghcr.io/cloudnative-pg/pg-ivm": ["pg_ivm"],
	"ghcr.io/cloudnative-pg/pgaudit": ["pgaudit"],
	"ghcr.io/cloudnative-pg/pgrouting": ["pgrouting"],
	"ghcr.io/cloudnative-pg/pgvector": ["vector"],
	"ghcr.io/cloudnative-pg/postgis-extension": ["address_standardizer", "postgis", "postgis_raster", "postgis_sfcgal", "postgis_tiger_geocoder", "postgis_topology"],
	"ghcr.io/cloudnative-pg/timescaledb-oss": ["timescaledb"],
	"ghcr.io/cloudnative-pg/wal2json": ["wal2json"],
}

# METADATA
# description: |
#   The major that an image for one extension is made for: CloudNativePG's have it before the distribution ("0.8.1-18-trixie"), others behind "pg". Undefined where the tag does not say.
extension_major(reference) := to_number(found[0][1]) if {
	found := regex.find_all_string_submatch_n(`-([0-9]{2})-(?:trixie|bookworm|bullseye)$`, tag(reference), 1)
	count(found) == 1
} else := to_number(majors[0]) if {
	majors := [trim_prefix(part, "pg") | some part in split(strings.replace_n({"_": "-", ".": "-"}, tag(reference)), "-"); regex.match(`^pg[0-9]{2}$`, part)]
	count(majors) == 1
}

cnpg_images := {"ghcr.io/cloudnative-pg/postgresql", "ghcr.io/cloudnative-pg/postgis"}

# Libraries for shared_preload_libraries that PostgreSQL does not come with.
of_others := {
	"age",
	"anon",
	"bg_mon",
	"citus",
	"credcheck",
	"decoderbufs",
	"hypopg",
	"orioledb",
	"pg_cron",
	"pg_documentdb",
	"pg_documentdb_core",
	"pg_duckdb",
	"pg_failover_slots",
	"pg_hint_plan",
	"pg_net",
	"pg_partman_bgw",
	"pg_qualstats",
	"pg_search",
	"pg_squeeze",
	"pg_stat_kcache",
	"pg_stat_monitor",
	"pg_textsearch",
	"pg_wait_sampling",
	"pgactive",
	"pgaudit",
	"pgauditlogtofile",
	"pgextwlist",
	"pglogical",
	"pgnodemx",
	"pgsodium",
	"plan_filter",
	"plprofiler",
	"plrust",
	"powa",
	"repmgr",
	"set_user",
	"spock",
	"supabase_vault",
	"supautils",
	"timescaledb",
	"vchord",
	"vchord_bm25",
	"vector",
	"vectors",
	"wal2json",
}

# METADATA
# description: |
#   The number of the user postgres in an image, as its Dockerfile creates it: 26 in CloudNativePG's, 999 in the official one and those made from it, 70 in
#   their Alpine variants. Undefined for the rest.
server_user(reference) := users[repository(reference)]

server_user(reference) := 70 if {
	repository(reference) in official
	of_alpine(reference)
}

server_user(reference) := 999 if {
	repository(reference) in official
	not of_alpine(reference)
}

of_alpine(reference) if distribution(reference) == "alpine"

users := {
	"docker.io/tensorchord/pgvecto-rs": 999,
	"docker.io/tensorchord/vchord-postgres": 999,
	"docker.io/timescale/timescaledb": 70,
	"docker.io/timescale/timescaledb-ha": 1000,
	"ghcr.io/cloudnative-pg/postgis": 26,
	"ghcr.io/cloudnative-pg/postgresql": 26,
	"ghcr.io/ferretdb/postgres-documentdb": 999,
	"ghcr.io/immich-app/postgres": 999,
	"ghcr.io/tensorchord/cloudnative-pgvecto.rs": 26,
	"ghcr.io/tensorchord/cloudnative-vectorchord": 26,
	"ghcr.io/tensorchord/vchord-postgres": 999,
}

official := {"docker.io/library/postgres", "docker.io/pgvector/pgvector", "docker.io/postgis/postgis", "public.ecr.aws/docker/library/postgres"}

# METADATA
# description: |
#   True for an image of TimescaleDB whose tag names PostgreSQL's version alone ("latest-pg16", "pg17-all"): the next pull may bring another
#   TimescaleDB, whose library has its version in the name.
timescale_moves(reference) if {
	not digest(reference)
	repository(reference) == "docker.io/timescale/timescaledb"
	regex.match(`^latest-pg[0-9]+`, tag(reference))
}

timescale_moves(reference) if {
	not digest(reference)
	repository(reference) == "docker.io/timescale/timescaledb-ha"
	regex.match(`^pg[0-9]`, tag(reference))
	not regex.match(`-ts[0-9]+\.[0-9]+`, tag(reference))
}

# METADATA
# description: |
#   The major of PostgreSQL in an image that PGO or Percona's operator runs, by the forms of their projects' tags: "ubi9-16.3-2", "17.5-2",
#   "2.4.0-ppg16.3-postgres". Undefined for others.
operators_major(reference) := to_number(found[0][1]) if {
	name(reference) in {"crunchy-postgres", "crunchy-postgres-gis"}
	found := regex.find_all_string_submatch_n(`^(?:ubi|centos|rhel)[0-9]+-([0-9]{2})\.[0-9]+-`, tag(reference), 1)
	count(found) == 1
}

operators_major(reference) := to_number(found[0][1]) if {
	name(reference) == "percona-distribution-postgresql"
	found := regex.find_all_string_submatch_n(`^([0-9]{2})\.[0-9]+`, tag(reference), 1)
	count(found) == 1
}

operators_major(reference) := to_number(found[0][1]) if {
	name(reference) == "percona-postgresql-operator"
	found := regex.find_all_string_submatch_n(`-ppg([0-9]{2})(?:\.[0-9]+)?-`, tag(reference), 1)
	count(found) == 1
}

# METADATA
# description: |
#   The locales of an image, in lower case and without the hyphen of UTF-8, where it has few: of the C library alone in CloudNativePG's minimal images, en_US as well in the official
#   ones of Debian and in those that are built on them. Undefined for the rest: the standard and system images have all of them, musl takes any name.
locales(reference) := {"c", "posix", "c.utf8"} if {
	repository(reference) == "ghcr.io/cloudnative-pg/postgresql"
	regex.match(`-minimal(-|$)`, tag(reference))
}

locales(reference) := {"c", "posix", "c.utf8", "en_us.utf8"} if {
	repository(reference) in {"docker.io/library/postgres", "public.ecr.aws/docker/library/postgres", "docker.io/postgis/postgis", "docker.io/pgvector/pgvector"}
	not of_alpine(reference)
}
