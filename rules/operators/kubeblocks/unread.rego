package walguard.operators.kubeblocks

import data.walguard.lib.get
import data.walguard.lib.injected
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.overlay
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.lib.spilo
import data.walguard.operators.kubeblocks.changes

# -------------------------------------------------------------------------------------------------------- facts

facts contains {
	"operator": "KubeBlocks",
	"name": cluster_name,
	"namespace": k8s.namespace,
	"parameters": parameters,
	"parameters_path": parameters_path,
	"parameter_values": "text",
	"defaults": defaults,
	"managed": managed,
	"instance_sets": instance_sets,
} if {
	recognised
}

facts contains {"change": true} if {
	recognised
	not reviewed_cluster
}

facts contains {"pods": [{"environment": array.concat(
	[array.concat(component_path, ["env"])],
	[array.concat(component_path, ["instances", i, "env"]) | some i, _ in get.list(component_spec, "instances")],
)}]} if {
	reviewed_cluster
	component.path
}

facts contains {"ignored": ignored} if count(ignored) > 0

facts contains {"partial": true} if {
	recognised
	partial
}

facts contains {"unread": unread} if count(unread) > 0

facts contains {"claims_kept": true} if get.string(home, ["spec", "terminationPolicy"]) in {"DoNotTerminate", "Halt"}

facts contains {"deletions": [{"what": "volumes and backups", "setting": "terminationPolicy: WipeOut", "cure": "Set it to Delete, which leaves the backups, or to DoNotTerminate", "path": ["spec", "terminationPolicy"]}]} if {
	reviewed_cluster
	get.string(home, ["spec", "terminationPolicy"]) == "WipeOut"
}

facts contains {"deletions": [{"what": "volumes", "setting": "terminationPolicy: Delete", "level": "info", "cure": "Set it to DoNotTerminate", "path": ["spec", "terminationPolicy"]}]} if {
	reviewed_cluster
	get.string(home, ["spec", "terminationPolicy"]) == "Delete"
}

# ConfigMaps that the component names and that are not in sight, and templates of one's own; what changes the pods' configuration by itself.
unread := array.concat(array.concat(unread_environment, unread_requests), array.concat(array.concat(unread_files, unread_overrides), array.concat(array.concat(unread_additions, injected.unread([array.concat(component_path, ["annotations"]) | reviewed_cluster])), array.concat(unread_of_patroni, unread_of_restores))))

# A volume of the component takes the place of the one of this name that its definition has, be it that of the configuration or of the scripts
# (pkg/controller/component/synthesize_component.go, mergeUserDefinedVolumes); and an action of one's own runs whenever a configuration changes.
unread_overrides := array.concat(
	[{"source": sprintf("what volume %s of the component holds", [get.string(volume, "name")]), "path": array.concat(component_path, ["volumes", i]), "severity": overlay.severity(volume)} |
		reviewed_cluster
		some i, volume in get.list(component_spec, "volumes")
		get.string(volume, "name")
		some field in ["configMap", "secret", "projected", "downwardAPI", "csi", "image", "persistentVolumeClaim", "hostPath"]
		get.present(volume, field)
	],
	array.concat(array.concat(unread_of_instances, unread_actions), [{"source": "what the component runs when its configuration changes", "path": array.concat(component_path, ["configs", i, field]), "severity": severity_of(text_)} |
		reviewed_cluster
		some i, config in get.list(component_spec, "configs")
		some field in ["reconfigure", "reconfigureAction"]
		text_ := script.of(get.map(config, [field, "exec"]))
		script.sets(text_)
	]),
)

# Actions of a Component that somebody may call by an OpsRequest.
unread_actions := [{"source": "an action of the component", "path": array.concat(component_path, ["customActions", i]), "severity": severity_of(text_)} |
	reviewed_component
	some i, one in get.list(component_spec, "customActions")
	text_ := script.of(get.map(one, ["action", "exec"]))
	script.sets(text_)
]

# A request that adds instances says what their variables are, and one that restores those of the jobs that fill the volumes.
unread_of_request := array.concat(
	[{"source": sprintf("the variable %s", [name]), "path": array.concat(path, ["env", k]), "severity": severity_of(get.text_at(variable, "value"))} |
		k8s.kind == "OpsRequest"
		some j, _ in get.list(k8s.object, ["spec", "horizontalScaling"])
		some i, _ in get.list(k8s.object, ["spec", "horizontalScaling", j, "scaleOut", "newInstances"])
		path := ["spec", "horizontalScaling", j, "scaleOut", "newInstances", i]
		some k, variable in get.list(k8s.object, array.concat(path, ["env"]))
		name := get.string(variable, "name")
		regex.match(concat("|", [commands, `^(LD_PRELOAD|LD_AUDIT|BASH_ENV|PGDATA|PGROOT)$`]), name)
	],
	[{"source": sprintf("the variable %s of the restore", [name]), "path": array.concat(path, [k]), "severity": severity_of(get.text_at(variable, "value"))} |
		k8s.kind == "OpsRequest"
		some path in array.concat(
			[["spec", "restore", "env"]],
			array.concat(
				[["spec", "rebuildFrom", i, "restoreEnv"] | some i, _ in get.list(k8s.object, ["spec", "rebuildFrom"])],
				[["spec", "horizontalScaling", i, "scaleOut", "fromBackup", "restoreEnv"] | some i, _ in get.list(k8s.object, ["spec", "horizontalScaling"])],
			),
		)
		some k, variable in get.list(k8s.object, path)
		name := get.string(variable, "name")
		steers(name, variable)
	],
)

# The jobs of a Restore get its variables behind those of the backup (pkg/dataprotection/restore/builder.go, addCommonEnv), and have the claims of the data.
unread_of_restores := [{"source": sprintf("the variable %s of Restore %s/%s", [name, k8s.namespace, get.string(o, ["metadata", "name"])]), "path": ["spec", "env", i], "resource": k8s.reference(o), "severity": severity_of(get.text_at(variable, "value"))} |
	reviewed_cluster
	some o in inventory.list(k8s.namespace, "dataprotection.kubeblocks.io/v1alpha1", "Restore")
	count(get.list(o, ["spec", "env"])) > 0
	fills(o)
	some i, variable in get.list(o, ["spec", "env"])
	name := get.string(variable, "name")
	steers(name, variable)
]

fills(o) if {
	some claim in get.list(o, ["spec", "prepareDataConfig", "volumeClaims"])
	startswith(get.string(claim, ["metadata", "name"]), sprintf("data-%s-", [cluster_name]))
}

fills(o) if {
	name := get.string(o, ["spec", "prepareDataConfig", "volumeClaimsTemplate", "templates", 0, "metadata", "name"])
	startswith(name, sprintf("data-%s-", [cluster_name]))
}

fills(o) if get.string(o, ["metadata", "labels", "app.kubernetes.io/instance"]) == cluster_name

# What is loaded or run before the script, where it writes, and what the script would write as a line of its own.
steers(name, _) if regex.match(`^(LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|BASH_ENV|BASH_FUNC_.*|ENV|PATH|PYTHONPATH|PERL5OPT|DATA_DIR|PGDATA|PGROOT|VOLUME_DATA_DIR|CONF_DIR|RESTORE_SCRIPT_DIR|PITR_DIR)$`, name)

steers(_, variable) if contains(get.text_at(variable, "value"), "\n")

steers(_, variable) if script.sets(get.text_at(variable, "value"))

# Up to release 0.9 some instances may have volumes of their own.
unread_of_instances := array.concat(
	[{"source": sprintf("what volume %s of some instances holds", [get.string(volume, "name")]), "path": array.concat(component_path, ["instances", i, "volumes", k]), "severity": overlay.severity(volume)} |
		reviewed_cluster
		some i, _ in get.list(component_spec, "instances")
		some k, volume in get.list(component_spec, ["instances", i, "volumes"])
		get.string(volume, "name")
		some field in ["configMap", "secret", "projected", "downwardAPI", "csi", "image", "persistentVolumeClaim", "hostPath"]
		get.present(volume, field)
	],
	unread_of_request,
)

unread_environment := [{"source": sprintf("the variable %s", [name]), "path": array.concat(path, [i]), "severity": severity_of(get.text_at(variable, "value"))} |
	reviewed_cluster
	some path in array.concat(
		[array.concat(component_path, ["env"])],
		[array.concat(component_path, ["instances", k, "env"]) | some k, _ in get.list(component_spec, "instances")],
	)
	some i, variable in get.list(k8s.object, path)
	name := get.string(variable, "name")
	regex.match(commands, name)
]

# The addon's scripts look for the configuration where the last ones say (generate_patroni_yaml.py), and run what lies there of a restore.
commands := concat("|", [`^(SPILO_CONFIGURATION|CRONTAB|CALLBACK_SCRIPT|PATRONI_CONFIGURATION|PATRONI_POSTGRESQL_.*|POSTGRES_CONF_DIR|POSTGRES_PGDATA_DIR|KB_PG_CONFIG_PATH|RESTORE_DATA_DIR|PGCONF|POSTGRESQL_MOUNTED_CONF_DIR)$`, spilo.stores])

# Releases up to 0.9 give the pods the variables of an annotation, and mount what the component names (pkg/constant/annotations.go, userResourceRefs).
unread_additions := array.concat(
	[{"source": sprintf("the variable %s of annotation %s", [name, annotation]), "path": ["metadata", "annotations", annotation], "severity": severity_of(sprintf("%s=%s", [name, get.shown(value)]))} |
		reviewed_cluster
		some annotation in ["kubeblocks.io/extra-env"]
		text_ := get.string(k8s.object, ["metadata", "annotations", annotation])
		json.is_valid(text_)
		given := json.unmarshal(text_)
		is_object(given)
		some name, value in given
		regex.match(concat("|", [commands, `^(LD_PRELOAD|LD_AUDIT|BASH_ENV|PGDATA|PGROOT)$`]), name)
	],
	overlay.unread(
		[{"directory": directory, "volume": one, "path": array.concat(component_path, ["userResourceRefs", field, i])} |
			reviewed_cluster
			some field in ["configMapRefs", "secretRefs"]
			some i, one in get.list(component_spec, ["userResourceRefs", field])
			directory := get.string(one, "mountPoint")
		],
		["/home/postgres", "/kb-scripts", "/scripts", "/etc", "/tools"],
	),
)

# The operator makes an emptyDir of a volume that nobody claims (pkg/controller/component/synthesize_component.go, buildVolumeMounts), and puts the variables of the component
# behind those of its definition.
facts contains {"lost": lost} if count(lost) > 0

lost := array.concat(
	[{"what": "The data directory", "on": "an emptyDir, as volumeClaimTemplates has no data", "path": array.concat(component_path, ["volumeClaimTemplates"])} |
		reviewed_cluster
		templated
		component.path
		not get.unknown(component_spec, "volumeClaimTemplates")
		count([1 | some claim in get.list(component_spec, "volumeClaimTemplates"); may_be_data(object.get(claim, "name", "data"))]) == 0
	],
	mount.unkept(
		[{"name": name, "value": value, "path": array.concat(path, [i, "value"])} |
			reviewed_cluster
			templated
			some path in array.concat(
				[array.concat(component_path, ["env"])],
				[array.concat(component_path, ["instances", k, "env"]) | some k, _ in get.list(component_spec, "instances")],
			)
			some i, variable in get.list(k8s.object, path)
			name := get.string(variable, "name")
			name in {"PGDATA", "PGROOT", "PATRONI_POSTGRESQL_DATA_DIR", "POSTGRES_INITDB_WALDIR"}
			value := script.filled(get.string(variable, "value"), {other: text_ |
				listed := get.list(k8s.object, path)
				some other, k in get.named(listed)
				text_ := get.string(listed[k], "value")
			})
		],
		["/home/postgres/pgdata", "/postgresql/volume_data"],
	),
)

severity_of(text_) := "warning" if script.dangerous(text_)

severity_of(text_) := inventory.unread if not script.dangerous(text_)

unread_requests := [{"source": source, "path": path, "severity": inventory.unread} |
	k8s.kind == "OpsRequest"
	some [source, path, text_] in array.concat(
		[["the script of an OpsRequest", ["spec", "scriptSpec"], concat("\n", [text_ | some text_ in get.list(k8s.object, ["spec", "scriptSpec", "script"]); is_string(text_)])]],
		[["the script that an OpsRequest names", ["spec", "scriptSpec", "scriptFrom"], "alter system"] | get.present(k8s.object, ["spec", "scriptSpec", "scriptFrom"])],
	)
	script.sets(text_)
]

unread_files := array.concat(
	[{"source": sprintf("ConfigMap %s/%s", [k8s.namespace, name]), "path": array.concat(component_path, ["configs", i, "configMap", "name"]), "missing": true} |
		reviewed_cluster
		some i, config in get.list(component_spec, "configs")
		name := get.string(config, ["configMap", "name"])
		not inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", name)
	],
	array.concat(
		[{"source": sprintf("the template in ConfigMap %s/%s", [object.get(one, "namespace", k8s.namespace), one.name]), "path": one.path, "severity": inventory.unread} |
			some one in changes.templates_of(k8s.object)
		],
		[object.union(place, reference_to(o)) |
			some o in configuration_files
			some place in changes.unread_files_of(o)
		],
	),
)

# The ConfigMaps of the configuration, and what changes its files.
configuration_files := [k8s.object] if {
	not reviewed_cluster
	recognised
}

configuration_files := array.concat(
	[o |
		some config in get.list(component_spec, "configs")
		o := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(config, ["configMap", "name"]))
	],
	[o |
		some o in inventory.list(k8s.namespace, "parameters.kubeblocks.io/v1alpha1", "ComponentParameter")
		about_this(o)
	],
) if {
	reviewed_cluster
}

reference_to(_) := {} if not reviewed_cluster

reference_to(o) := {"resource": k8s.reference(o)} if reviewed_cluster

# generate_patroni_yaml.py of the addon gives Patroni the lines of the file.
facts contains {"hba": hba_lines} if count(hba_lines) > 0

hba_lines := found[count(found) - 1] if {
	found := [lines |
		some o in configuration_files
		lines := [object.union(line, reference_to(o)) | some line in changes.hba_of(o)]
		count(lines) > 0
	]
	count(found) > 0
}

may_be_data("data")

may_be_data(name) if placeholder.holds(name)
