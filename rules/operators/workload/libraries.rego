package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.conf
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s

# Libraries that the image preloads by what the manifest replaces: a postgresql.conf of its own, or the arguments of its own command.
facts contains {"lost_libraries": object.union({"libraries": ["repmgr"], "consequence": "repmgrd ends with \"ensure shared_preload_libraries includes repmgr\", and the pod with it"}, place_of_configuration)} if {
	server.product.name == "postgresql-repmgr"
	place_of_configuration
	not "repmgr" in preloaded_names
}

# CREATE EXTENSION is in a script of the image, and the entrypoint stops there (000_install_timescaledb.sh); a script of one's own that does so is told of with it.
facts contains {"lost_libraries": object.union({"libraries": ["timescaledb"], "consequence": "the first start ends at the image's own script with \"extension timescaledb must be preloaded\""}, place_of_another_list)} if {
	image.repository(get.string(container, "image")) in {"docker.io/timescale/timescaledb", "docker.io/timescale/timescaledb-ha"}
	by_entrypoint
	not "timescaledb" in preloaded_names
	count([1 | some one in created_at_first; one.name == "timescaledb"]) == 0
	count([1 | some mounted in mounts; mounted.directory == "/docker-entrypoint-initdb.d"]) == 0
}

place_of_another_list := place_of_configuration

place_of_another_list := object.filter(shared.last_of(parameters, "shared_preload_libraries"), ["path", "resource"]) if {
	not own_configuration
	not last_option("config_file")
}

place_of_configuration := object.filter(configuration_files[0], ["path", "resource"]) if {
	own_configuration
	not unread
}

facts contains {"lost_libraries": object.union({"libraries": libraries, "consequence": "what needs them fails with \"must be loaded via shared_preload_libraries\"", "path": array.concat(container_path, words[0].path)}, {"level": "warning" | not of_immich})} if {
	libraries := by_command(get.string(container, "image"))
	count(words) > 0
	not last_option("config_file")
	not own_configuration
	not shared.last_of(parameters, "shared_preload_libraries")
}

# Immich does not start without them; another database may lie in such an image without a vector in it.
of_immich if contains(image.repository(get.string(container, "image")), "immich")

of_immich if contains(k8s.name, "immich")

of_immich if contains(variables.POSTGRES_DB.value, "immich")

of_immich if {
	some one in created_at_first
	one.name in {"vchord", "vectors"}
}

preloaded_names := {name | some name in conf.names(shared.last_of(parameters, "shared_preload_libraries").value)}

# CMD of their Dockerfiles: options of the server, or the file of its configuration.
by_command(reference) := ["vectors.so"] if image.repository(reference) in {"docker.io/tensorchord/pgvecto-rs", "ghcr.io/tensorchord/pgvecto-rs"}

by_command(reference) := ["vchord.so"] if {
	image.repository(reference) == "ghcr.io/immich-app/postgres"
	contains(image.tag(reference), "vectorchord")
	not contains(image.tag(reference), "pgvectors")
}

by_command(reference) := ["vchord.so", "vectors.so"] if {
	image.repository(reference) == "ghcr.io/immich-app/postgres"
	contains(image.tag(reference), "vectorchord")
	contains(image.tag(reference), "pgvectors")
}

by_command(reference) := ["vchord.so"] if image.repository(reference) in {"docker.io/tensorchord/vchord-postgres", "ghcr.io/tensorchord/vchord-postgres"}

# What such an image preloads of its own accord; a plain one preloads nothing.
facts contains {"preloaded": libraries} if {
	libraries := by_command(get.string(container, "image"))
	left_as_it_is
}

facts contains {"preloaded": []} if {
	image.repository(get.string(container, "image")) in {"docker.io/library/postgres", "docker.io/pgvector/pgvector", "docker.io/postgis/postgis"}
	left_as_it_is
}

left_as_it_is if {
	count(words) == 0
	not unread
	not own_configuration
	not shared.last_of(parameters, "shared_preload_libraries")
}
