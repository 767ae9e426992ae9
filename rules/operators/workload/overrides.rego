package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount

# What an InstanceSet of KubeBlocks says of some of its instances alone (pkg/controller/instanceset, buildInstanceTemplateExt): variables that stand for parameters, and volumes in the
# place of those of the template.
unread_overrides := array.concat(
	[{"source": sprintf("the variable %s of some instances", [name]), "path": array.concat(at, ["env", k]), "severity": inventory.unread} |
		some at in templates_of_instances
		some k, variable in get.list(k8s.object, array.concat(at, ["env"]))
		name := get.string(variable, "name")
		regex.match(`^(POSTGRES_INITDB_ARGS|POSTGRESQL_.*|REPMGR_.*|SPILO_CONFIGURATION|PATRONI_.*|PGDATA|PGROOT|CRONTAB|CALLBACK_SCRIPT|LD_PRELOAD|LD_AUDIT|BASH_ENV)(_FILE)?$`, name)
	],
	[{"source": sprintf("volume %s of some instances", [get.string(volume, "name")]), "path": array.concat(at, ["volumes", k]), "severity": inventory.unread} |
		some at in templates_of_instances
		some k, volume in get.list(k8s.object, array.concat(at, ["volumes"]))
		get.string(volume, "name") in {mounted.name | some mounted in mounts}
	],
)

templates_of_instances := [["spec", "instances", i] |
	k8s.kind == "InstanceSet"
	some i, one in get.list(k8s.object, ["spec", "instances"])
	is_object(one)
]

# Nobody puts anything there before the server starts.
stays_empty(name) if {
	mount.hollow(volumes[name].volume)
	count([1 |
		some one in get.list(k8s.object, array.concat(pod_path, ["initContainers"]))
		some mounted in get.list(one, "volumeMounts")
		get.string(mounted, "name") == name
	]) == 0
}
