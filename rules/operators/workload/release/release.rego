# METADATA
# description: |
#   Which image a plain workload runs and what becomes of its data when that changes. No image of a server upgrades a data directory: a
#   server of another major refuses it, and the official image, which keeps each major's data in a directory of its own since 18, refuses to
#   start beside another one's. What can do it says so in its name (pgautoupgrade, tianon/postgres-upgrade).
# related_resources:
#   - https://github.com/docker-library/postgres/issues/37
package walguard.operators.workload.release

import data.walguard.lib.fact
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.operators.workload

# METADATA
# description: The facts of walguard.model that this is about.
facts := object.union_n([
	{"image": fact.written(reference, array.concat(workload.container_path, ["image"]))},
	{"upgrade": found | found := upgrade},
	{"collation": found | found := collation},
	{"libc_moves": true | libc_moves},
]) if {
	reference := get.string(workload.container, "image")
}

upgrade := {"by": "nobody"} if {
	workload.layout in {"docker", "bitnami"}
	count(upgraders) == 0
}

# Red Hat's images run pg_upgrade where they are told to, from the major before only.
upgrade := {"by": "nobody"} if {
	workload.layout == "sclorg"
	not workload.first_of(["POSTGRESQL_UPGRADE"])
	not workload.unknown(["POSTGRESQL_UPGRADE"])
}

upgraders := [name |
	some list in ["initContainers", "containers"]
	some container in get.list(k8s.object, array.concat(workload.pod_path, [list]))
	is_object(container)
	name := image.name(get.string(container, "image"))
	contains(name, "upgrade")
]

# What initdb is told of locales; the image's own locale is one of its C library.
collation := object.union(fact.written(provider, []), workload.initdb_place) if {
	workload.initialised
	provider := last_of({"--locale-provider"})
}

collation := object.union(fact.written(locale, []), workload.initdb_place) if {
	workload.initialised
	not last_of({"--locale-provider"})
	locale := last_of({"--locale", "--lc-collate", "--no-locale"})
}

last_of(names) := found[count(found) - 1] if {
	found := [value |
		some i, option in workload.initdb_options
		value := option_value(workload.initdb_options, i, option, names)
	]
	count(found) > 0
}

option_value(_, _, option, names) := split(option, "=")[1] if {
	contains(option, "=")
	split(option, "=")[0] in names
}

option_value(options, i, option, names) := options[i + 1] if {
	option in names
	option != "--no-locale"
}

option_value(_, _, "--no-locale", names) := "C" if "--no-locale" in names

# A tag of a major is built anew on the next Debian, as all were in June 2023 and August 2025; one with a minor stays once the next minor is out.
libc_moves if {
	reference := get.string(workload.container, "image")
	get.string(workload.container, "imagePullPolicy") == "Always"
	image.repository(reference) in {"docker.io/library/postgres", "docker.io/pgvector/pgvector", "public.ecr.aws/docker/library/postgres"}
	not image.digest(reference)
	regex.match(`^(pg)?[0-9]+$`, image.tag(reference))
	workload.initialised
	not workload.unknown(locale_variables)
	count([1 | some sorter in sorters; get.lower_case(sorter.value) in sorted_alike]) == 0
}

sorted_alike := {"c", "posix", "c.utf-8", "c.utf8", "icu", "builtin"}

sorters := [collation] if {
	collation
} else := [workload.variables[name] | some name in locale_variables]

locale_variables := ["LC_ALL", "LC_COLLATE", "LANG"]
