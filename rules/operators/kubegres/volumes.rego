package walguard.operators.kubegres

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.initdb
import data.walguard.lib.mount

# The init container of the replicas, which copies the data of the primary, has none, and no field gives it any (https://github.com/reactive-tech/kubegres/issues/100).
facts contains {"companions": [at_home({
	"container": "init container setup-replica-data-directory",
	"resources": {"requests": {}, "limits": {}},
	"burstable": count(get.map(home, ["spec", "resources"])) > 0,
	"path": ["spec", "replicas"],
	"unsettable": true,
})]} if {
	instances.value > 1
}

data_volume := at_home(shared.volume(path, array.concat(path, ["size"]), array.concat(path, ["storageClassName"]), [
	shared.located(home, path, {"size": ["size"], "class": ["storageClassName"]}),
])) if {
	path := ["spec", "database"]
	is_object(object.get(home, path, null))
	not relocated
}

# Then what the volume is says nothing of the data.
relocated if {
	mount.relocated(concat("/", [volume_directory, "pgdata"]), volume_directory, own_mounts, {said_by(variable) |
		some variable in get.list(home, ["spec", "env"])
		get.string(variable, "name") == "PGDATA"
	})
}

# The operator's own PGDATA is below the mount, and a variable of spec.env stands behind it (ResourcesCreatorFromTemplate.go): docker-entrypoint.sh runs initdb there.
facts contains {"data_on_root": {"value": directory, "claim": "0/data", "path": ["spec", "env", i, "value"], "origin": "written"}} if {
	reviewed_cluster
	i := get.named(get.list(home, ["spec", "env"])).PGDATA
	directory := mount.clean(get.string(home, ["spec", "env", i, "value"]))
	directory == volume_directory
	not get.present(home, ["status", "lastCreatedInstanceIndex"])
}

# The WAL, where initdb is told a directory that lies on a volume of one's own (spec.volume).
wal_volume := at_home(shared.claim(home, claimed[mounted.name])) if {
	mounted := mount.above(wal_directory, own_mounts)
}

claimed := {name: ["spec", "volume", "volumeClaimTemplates", i, "spec"] |
	listed := get.list(home, ["spec", "volume", "volumeClaimTemplates"])
	some name, i in get.last_of_each([[of, k] | some k, template in listed; of := get.string(template, "name")])
}

own_mounts := [{"name": name, "directory": trim_right(directory, "/")} |
	some mounted in get.list(home, ["spec", "volume", "volumeMounts"])
	name := get.string(mounted, "name")
	directory := get.string(mounted, "mountPath")
]

wal_directory := trim_right(given[count(given) - 1], "/") if {
	given := array.concat(
		[one.value | some option in options; some one in initdb.wal_directories(option.words, [])],
		[text |
			some variable in get.list(home, ["spec", "env"])
			get.string(variable, "name") == "POSTGRES_INITDB_WALDIR"
			text := get.string(variable, "value")
		],
	)
	count(given) > 0
}

# internal/controller/spec/checker/SpecChecker.go: "The database size cannot be modified after the creation of the Postgres cluster".
facts contains {"size_fixed": {
	"reason": "the operator writes the old size back, reports an error and leaves the claims as they are",
	"cure": "Write the old size again, and enlarge the claims themselves (kubectl edit pvc); new replicas come up with the old size until they are enlarged too",
}} if {
	data_volume
}
