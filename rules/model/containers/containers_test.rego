package walguard.model.containers_test

import data.walguard.model
import data.walguard.model.containers

cluster := {"pods": [{"sysctls": ["spec", "sysctls"]}, {"containers": [["spec", "initContainers"], ["spec", "sidecars"]]}]}

imageless(spec) := found if {
	found := containers.imageless with model.cluster as cluster
		with input as {"review": {"object": {"kind": "postgresql", "spec": spec}}}
}

test_without_image if {
	imageless({
		"initContainers": [{"name": "prepare", "image": null}],
		"sidecars": [{"name": "exporter", "image": "postgres-exporter:0.17"}, {"name": "shipper"}, {"image": ""}],
	}) == [
		{"name": "prepare", "path": ["spec", "initContainers", 0]},
		{"name": "shipper", "path": ["spec", "sidecars", 1]},
		{"name": "2", "path": ["spec", "sidecars", 2]},
	]
}

test_with_image if {
	imageless({}) == []
	imageless({"sidecars": "none", "initContainers": [{"name": "a", "image": "${IMAGE}"}, "b"]}) == []
}

# openshift/origin: oc set triggers deployment/db --from-image=exporter:latest -c exporter
test_image_trigger if {
	imageless_by({"image.openshift.io/triggers": `[{"from": {"kind": "ImageStreamTag", "name": "exporter:latest"}, "fieldPath": "spec.sidecars[?(@.name==\"exporter\")].image"}, {"fieldPath": "spec.initContainers[0].image"}]`}) == [{"name": "shipper", "path": ["spec", "sidecars", 1]}]
	count(imageless_by({"image.openshift.io/triggers": "none"})) == 3
	count(imageless_by({"image.openshift.io/triggers": "{}"})) == 3
}

test_injected if imageless({"sidecars": [{"name": "istio-proxy"}]}) == []

imageless_by(annotations) := found if {
	found := containers.imageless with model.cluster as cluster
		with input as {"review": {"object": {"kind": "postgresql", "metadata": {"annotations": annotations}, "spec": {
			"initContainers": [{"name": "prepare"}],
			"sidecars": [{"name": "exporter", "image": ""}, {"name": "shipper"}],
		}}}}
}

# ------------------------------------------------------------------------------------------------------- scripts

deployment := {"pods": [{"containers": [["spec", "initContainers"]], "volumes": ["spec", "volumes"], "environment": [["spec", "env"], ["spec", "customEnv", "patroni"]]}]}

setting(spec, objects) := found if {
	known := {"namespace": {"shop": {"v1": {
		"ConfigMap": {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": texts} | some name, texts in objects},
		"Secret": {},
	}}}}
	found := containers.setting with model.cluster as deployment
		with input as {"review": {"object": {"kind": "x", "metadata": {"name": "db", "namespace": "shop"}, "spec": spec}}, "inventory": known}
}

of_script(container, volume, objects) := setting({"initContainers": [object.union({"name": "i", "volumeMounts": [{"name": "s", "mountPath": "/s"}]}, container)], "volumes": [object.union({"name": "s"}, volume)]}, objects)

writing := "echo fsync=off >> /data/postgresql.auto.conf"

test_script_in_sight if {
	expected := [{"source": "what container i runs", "path": ["spec", "initContainers", 0], "severity": "warning"}]
	mounted := {"configMap": {"name": "c"}}
	of_script({"command": ["sh", "/s/a"]}, mounted, {"c": {"a": writing}}) == expected
	of_script({"command": ["sh", "-c", "cd /s && ./a"]}, mounted, {"c": {"a": writing}}) == expected
	of_script({"command": ["sh", "/s/b"]}, {"configMap": {"name": "c", "items": [{"key": "a", "path": "b"}]}}, {"c": {"a": writing}}) == expected
	of_script({"command": ["sh", "/s/a"]}, {"projected": {"sources": [{"configMap": {"name": "c"}}]}}, {"c": {"a": writing}}) == expected
	of_script({"command": ["sh", "-c", "eval \"$X\""], "env": [{"name": "X", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "a"}}}]}, mounted, {"c": {"a": writing}}) == expected
	of_script({"command": ["sh", "-c", "eval \"$P_a\""], "envFrom": [{"prefix": "P_", "configMapRef": {"name": "c"}}, "x"]}, mounted, {"c": {"a": writing}}) == expected
	of_script({"command": ["sh", "-c", "echo $LINE >> $FILE"], "env": [{"name": "FILE", "value": "/data/postgresql.auto.conf"}, {"name": "LINE", "value": "fsync=off"}]}, mounted, {"c": {}}) == expected

	# A part of the volume alone.
	of_script({"command": ["sh", "/s"], "volumeMounts": [{"name": "s", "mountPath": "/s", "subPath": "a"}]}, mounted, {"c": {"a": writing}}) == expected
	of_script({"command": ["sh", "/s"], "volumeMounts": [{"name": "s", "mountPath": "/s", "subPath": "a"}]}, mounted, {"c": {"a": "true", "b": writing}}) == []

	# Configuration beside it is none.
	of_script({"command": ["sh", "/s/a"]}, mounted, {"c": {"a": "true", "b.conf": writing}}) == []
}

test_script_out_of_sight if {
	place := {"source": "what container i runs", "path": ["spec", "initContainers", 0]}
	of_script({"command": ["sh", "/s/a"]}, {"configMap": {"name": "c"}}, {}) == [object.union(place, {"missing": true, "reason": "ConfigMap shop/c was not found"})]
	of_script({"command": ["sh", "/s/a"]}, {"secret": {"secretName": "c"}}, {}) == [object.union(place, {"severity": "info", "reason": "it lies in Secret shop/c"})]
	of_script({"command": ["sh", "-c", ". $DIR/a"], "env": [{"name": "DIR", "value": "/s"}]}, {"downwardAPI": {"items": []}}, {}) == [object.union(place, {"severity": "info", "reason": "it lies in the downward API"})]
	of_script({"lifecycle": {"postStart": {"exec": {"command": ["/s/a"]}}}}, {"projected": {"sources": [{"downwardAPI": {}}]}}, {}) == [object.union(place, {"severity": "info", "reason": "it lies in the downward API"})]
	of_script({"command": ["cp", "/s/tls.key", "/data"]}, {"secret": {"secretName": "c"}}, {}) == []
	of_script({"command": ["sh", "/s/a"]}, {"emptyDir": {}}, {}) == []
}

test_variables_from_elsewhere if {
	setting({"env": [{"name": "LD_PRELOAD", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "a"}}}]}, {"c": {"a": "/x.so"}}) == [{
		"source": "LD_PRELOAD=/x.so",
		"path": ["data", "a"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "c"},
		"reason": "it is loaded into the server",
		"severity": "info",
	}]
	setting({"envFrom": [{"prefix": "LD_", "configMapRef": {"name": "c"}}]}, {"c": {"PRELOAD": "/x.so"}}) == [{
		"source": "LD_PRELOAD=/x.so",
		"path": ["data", "PRELOAD"],
		"resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "c"},
		"reason": "it is loaded into the server",
		"severity": "info",
	}]
	setting({"env": [{"name": "BASH_ENV", "valueFrom": {"secretKeyRef": {"name": "s", "key": "a"}}}, {"name": "X", "valueFrom": {}}]}, {}) == [{
		"source": "the variable BASH_ENV",
		"path": ["spec", "env", 0],
		"reason": "it runs in every script of bash, the entrypoint's too, and its value was not found",
		"severity": "info",
	}]
}

test_whole_objects_of_variables if {
	sources := [{"secretRef": {"name": "s"}}, {"prefix": "AWS_", "secretRef": {"name": "t"}}, {"prefix": "POSTGRES_DB_", "configMapRef": {"name": "u"}}, {"configMapRef": {"name": "c"}}]
	expected := {["the variables of Secret shop/s", 0], ["the variables of ConfigMap shop/u", 2]}
	{[place.source, place.path[2]] | some place in setting({"envFrom": sources}, {"c": {}}); place.severity == "info"} == expected
	{[place.source, place.path[3]] | some place in setting({"customEnvFrom": {"patroni": sources}}, {"c": {}})} == expected
}

test_what_copies_or_hides if {
	of_script({"command": ["cp", "-r", "/s/.", "/data"]}, {"configMap": {"name": "c"}}, {"c": {"postgresql.conf": "jit = off"}}) == [{"source": "what container i runs", "path": ["spec", "initContainers", 0], "severity": "info"}]
	of_script({"command": ["sh", "-c", "echo eA== | base64 -d | sh"]}, {"emptyDir": {}}, {}) == [{"source": "what container i runs", "path": ["spec", "initContainers", 0], "severity": "info", "reason": "it runs what cannot be read"}]
}

test_known_libraries if setting({"env": [{"name": "LD_PRELOAD", "value": "/usr/lib/libjemalloc.so.2"}]}, {}) == []

test_prefix_of_a_variable if {
	[place.source | some place in setting({"envFrom": [{"prefix": "PATRONI_POST", "secretRef": {"name": "s"}}, {"prefix": "POST", "secretRef": {"name": "t"}}]}, {})] == ["the variables of Secret shop/s", "the variables of Secret shop/t"]
}

# A variable whose value nobody sees says what runs, or where it goes.
test_variables_that_say_what_runs if {
	hidden := [{"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]
	expected := [{
		"source": "what container i runs",
		"path": ["spec", "initContainers", 0],
		"severity": "info",
		"reason": "variable X, whose value was not found, says what it runs or where it writes",
	}]
	every command in [["$(X)"], ["sh", "-c", "eval \"$X\""], ["sh", "-c", "$(X)"], ["sh", "-c", "echo a >> \"${X}\""], ["psql", "-U", "a", "-c", "$(X)"], ["sh", "-c", "id\n$X a"]] {
		of_script({"command": command, "env": hidden}, {"emptyDir": {}}, {}) == expected
	}
	every container in [{"args": ["$(X)"]}, {"command": ["sh", "-c", "psql \"$X\" -c 'SELECT 1'"]}, {"command": ["sh", "-c", "export PGPASSWORD=$X; curl -u $X http://x > /dev/null"]}] {
		of_script(object.union(container, {"env": hidden}), {"emptyDir": {}}, {}) == []
	}
}

test_script_that_runs_another if {
	found := of_script({"command": ["sh", "/s/a"]}, {"projected": {"sources": [{"configMap": {"name": "c"}}, {"configMap": {"name": "d"}}]}}, {"c": {"a": ". /s/b.conf"}, "d": {"b.conf": writing}})
	[place.severity | some place in found] == ["warning"]
}

test_volumes_of_stackgres if {
	found := of_script({"command": ["sh", "/s/a"], "volumeMounts": [{"name": "custom-s", "mountPath": "/s"}]}, {"configMap": {"name": "c"}}, {"c": {"a": writing}})
	[place.severity | some place in found] == ["warning"]
}

with_variables(env, objects) := found if {
	found := {place.source: place.severity | some place in containers.setting} with input as {
		"review": {"object": {
			"apiVersion": "apps/v1",
			"kind": "StatefulSet",
			"metadata": {"name": "db", "namespace": "shop"},
			"spec": {"template": {"spec": {"containers": [{
				"name": "postgres",
				"image": "postgres:17.5",
				"env": env,
				"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}, {"name": "lib", "mountPath": "/lib/mine"}],
			}]}}},
		}},
		"inventory": {"namespace": {"shop": {"v1": objects}}},
	}
}

test_variables_with_code if {
	with_variables([{"name": "BASH_FUNC_initdb%%", "value": "() { true; }"}], {}) == {"BASH_FUNC_initdb%%=() { true; }": "info"}
	with_variables([{"name": "LD_LIBRARY_PATH", "value": "/usr/lib:/lib/mine/x"}], {}) == {"LD_LIBRARY_PATH=/usr/lib:/lib/mine/x": "info"}
	with_variables([{"name": "LD_LIBRARY_PATH", "value": "/usr/lib"}, {"name": "PYTHONPATH", "value": "/opt"}], {}) == {}
}

test_variable_of_a_secret_in_sight if {
	keyed := [{"name": "LD_PRELOAD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]
	with_variables(keyed, {}) == {"the variable LD_PRELOAD": "info"}
	with_variables(keyed, secret_of("libmine.so")) == {"the variable LD_PRELOAD": "info"}
	with_variables(keyed, secret_of("libjemalloc.so")) == {}
}

secret_of(text) := {"Secret": {"s": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "stringData": {"k": text}}}}

exporting(volume, maps) := [[one.source, object.get(one, "reason", ""), one.severity] | some one in found] if {
	found := containers.setting with model.cluster as {"pods": [{"containers": [["spec", "sidecars"]], "volumes": ["spec", "volumes"]}]}
		with input as {
			"review": {"object": {"kind": "postgresql", "metadata": {"name": "a", "namespace": "shop"}, "spec": {
				"volumes": [object.union({"name": "q"}, volume)],
				"sidecars": [{"name": "exporter", "image": "postgres-exporter:0.17", "env": [{"name": "PG_EXPORTER_EXTEND_QUERY_PATH", "value": "/q/queries.yaml"}], "volumeMounts": [{"name": "q", "mountPath": "/q"}]}],
			}}},
			"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": maps}}}},
		}
}

queries(text) := {"q": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "q", "namespace": "shop"}, "data": {"queries.yaml": text}}}

test_queries_of_an_exporter if {
	exporting({"configMap": {"name": "q"}}, queries("a:\n  query: ALTER SYSTEM SET fsync = off\n")) == [["what container exporter runs", "", "warning"]]
	exporting({"configMap": {"name": "q"}}, queries("a:\n  query: SELECT 1\n")) == []
	exporting({"secret": {"secretName": "s"}}, {}) == [["what container exporter runs", "its queries lie in Secret shop/s", "info"]]
}

# What it copies says what becomes of the server.
test_files_that_are_copied if {
	copying := {"command": ["cp", "/s/a", "/data/postgresql.auto.conf"]}
	mounted := {"configMap": {"name": "c"}}
	[one.severity | some one in of_script(copying, mounted, {"c": {"a": "fsync = off"}})] == ["warning"]
	[one.severity | some one in of_script(copying, mounted, {"c": {"a": "fsync = on\n#fsync = off"}})] == ["info"]
}

said_beside(text, written) := found if {
	found := containers.setting with model.cluster as object.union(deployment, {"parameters": written})
		with input as {"review": {"object": {"kind": "x", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"initContainers": [{"name": "i", "command": ["sh", "-c", text]}]}}}}
}

# Whatever the file is called, it says which parameter it is; what the adapter has read there is reported already.
test_what_loses_data_in_a_file_without_a_name if {
	text := "perl -pe 's/#fsync = on/fsync = off/' < /d/a > /d/b"
	told := [{"source": "what container i runs", "path": ["spec", "initContainers", 0], "severity": "warning", "reason": "it says fsync=off"}]
	said_beside(text, []) == told
	said_beside(text, [{"name": "fsync", "value": "on", "path": ["spec", "parameters", "fsync"]}]) == told
	said_beside(text, [{"name": "fsync", "value": "off", "path": ["spec", "initContainers", 0, "command"]}]) == []
	said_beside("echo hello", []) == []
}

# What the operator's configuration gives all pods.
test_library_for_all if {
	given := {"name": "LD_PRELOAD", "value": "/usr/lib/libeatmydata.so", "path": ["data", "LD_PRELOAD"], "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "ops", "name": "all"}}
	library(given) == [{"name": "LD_PRELOAD=/usr/lib/libeatmydata.so", "path": given.path, "resource": given.resource}]
	library(object.union(given, {"value": "libjemalloc.so.2"})) == []
}

library(given) := found if {
	found := containers.unsynced with model.cluster as {"pods": [{"containers": [], "environment": [["spec", "env"]], "given": [given]}]}
		with input as {"review": {"object": {"kind": "x", "metadata": {"name": "db", "namespace": "shop"}, "spec": {}}}}
}

said_by(name, value) := [[one.source, one.severity] | some one in setting({"env": [{"name": name, "value": value}]}, {})]

test_what_the_server_writes_by_itself if {
	said_by("PG_OOM_ADJUST_FILE", "/d/postgresql.auto.conf") == [["PG_OOM_ADJUST_FILE=/d/postgresql.auto.conf", "info"]]
	every file in ["/proc/self/oom_score_adj", "/proc/1/oom_adj"] {
		said_by("PG_OOM_ADJUST_FILE", file) == []
	}
}

test_prompts_of_bash if {
	said_by("PS4", "$(/x)") == [["PS4=$(/x)", "info"]]
	said_by("PS4", "`/x`") == [["PS4=`/x`", "info"]]
	said_by("PS4", "+ $LINENO ") == []
}

test_modules_on_volumes if {
	said_by("PSQLRC", "/x/rc") == [["PSQLRC=/x/rc", "info"]]
	said_by("PGSYSCONFDIR", "/x") == [["PGSYSCONFDIR=/x", "info"]]
	every file in ["/dev/null", "/etc/psqlrc", "/root/.psqlrc"] {
		said_by("PSQLRC", file) == []
	}
	every name in ["GCONV_PATH", "OPENSSL_MODULES", "OPENSSL_ENGINES", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX"] {
		count(said_by(name, "/x")) == 1
		said_by(name, "/usr/lib") == []
	}
}
