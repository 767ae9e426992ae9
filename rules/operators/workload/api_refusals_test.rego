package walguard.operators.workload_api_refusals_test

import data.walguard.checks.parameters.operator_refuses

server(changes) := json.patch(
	{"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "shop"},
		"spec": {
			"replicas": 1,
			"serviceName": "db",
			"selector": {"matchLabels": {"app": "db"}},
			"template": {
				"metadata": {"labels": {"app": "db"}},
				"spec": {
					"containers": [{
						"name": "postgres",
						"image": "postgres:17.6",
						"env": [{"name": "POSTGRES_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}],
						"ports": [{"containerPort": 5432}],
						"resources": {"limits": {"memory": "1.5Gi"}},
						"readinessProbe": {"exec": {"command": ["pg_isready"]}, "successThreshold": 2},
						"volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data", "subPath": "pg"}],
					}],
					"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
				},
			},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}}}],
		},
	}}},
	[{"op": "add", "path": concat("", ["/review/object", change[0]]), "value": change[1]} | some change in changes],
)

refused(changes) := found if {
	found := {trim_prefix(f.message, "The API server refuses this resource: ") | some f in operator_refuses.findings} with input as server(changes)
}

pod := "/spec/template/spec"

container(field) := concat("", [pod, "/containers/0", field])

test_accepted if {
	refused([]) == set()
	refused([["/metadata/name", "${NAME}"], [container("/resources/limits/memory"), "<MEMORY>"], ["/spec/replicas", "{{ .Values.replicas }}"]]) == set()
	refused([[container("/ports/0/name"), "postgresql"], [container("/resources/limits/memory"), "2147483648"], [concat("", [pod, "/restartPolicy"]), "Always"]]) == set()
}

test_names if {
	refused([[concat("", [pod, "/volumes/-"]), {"name": "shm", "emptyDir": {}}]]) == {"two of its volumes are called shm. Rename or remove one."}
	refused([[concat("", [pod, "/containers/-"]), {"name": "postgres", "image": "busybox:1.37"}]]) == {"two of its containers are called postgres. Rename or remove one."}
	refused([["/metadata/name", "Shop_DB"]]) == {"Shop_DB is no name: small letters, digits and dashes are. Call it shop-db."}
	refused([[container("/name"), "shop_db"]]) == {"shop_db is no name of a container: small letters, digits and dashes are. Call it shop-db."}
	refused([[container("/ports/0/name"), "postgresql-server"]]) == {"port name postgresql-server has 17 characters, and 15 are allowed. Call it postgres."}
	refused([[container("/ports/0/name"), "Postgres"]]) == {"port name Postgres has other characters than small letters, digits and dashes. Call it postgres."}
}

test_numbers if {
	refused([["/spec/replicas", "1"]]) == {"spec.replicas is the text \"1\", and a number belongs there (\"cannot unmarshal string\"). Write 1 without quotes."}
	refused([[concat("", [pod, "/securityContext"]), {"fsGroup": "999"}]]) == {"spec.template.spec.securityContext.fsGroup is the text \"999\", and a number belongs there (\"cannot unmarshal string\"). Write 999 without quotes."}
	refused([[container("/securityContext"), {"runAsUser": "999"}]]) == {"spec.template.spec.containers.securityContext.runAsUser is the text \"999\", and a number belongs there (\"cannot unmarshal string\"). Write 999 without quotes."}
	refused([[container("/ports/0/containerPort"), "5432"]]) == {"spec.template.spec.containers.ports.containerPort is the text \"5432\", and a number belongs there (\"cannot unmarshal string\"). Write 5432 without quotes."}
	every value, cure in {"2GB": "2Gi", "512 mb": "512Mi", "1g": "1Gi"} {
		refused([[container("/resources/limits/memory"), value]]) == {sprintf("%q is no quantity. Write %s.", [value, cure])}
	}
	refused([["/spec/volumeClaimTemplates/0/spec/resources/requests/storage", "20GB"]]) == {"\"20GB\" is no quantity. Write 20Gi."}
}

test_one_of_each if {
	refused([[container("/env/0/value"), "x"]]) == {"variable POSTGRES_PASSWORD has both value and valueFrom. Remove one of them."}
	refused([[container("/env/0/value"), ""]]) == set()
	refused([[concat("", [pod, "/volumes/0/configMap"]), {"name": "pg"}]]) == {"volume shm is of two kinds, configMap and emptyDir. Make two volumes of it."}
}

test_keys_that_none_can_be if {
	refused([[container("/env/0/valueFrom/secretKeyRef/key"), "my password"]]) == {"POSTGRES_PASSWORD asks Secret db for a key with \" \", which no key may have. Write the name of a key there."}
	refused([[container("/env/0/valueFrom/secretKeyRef/key"), "${KEY}"]]) == set()
}

test_volumes if {
	refused([["/spec/volumeClaimTemplates/0/spec/accessModes/0", "RWO"]]) == {"there is no access mode RWO. Write ReadWriteOnce."}
	every sub_path in ["/pg", "../pg", "a/../../pg"] {
		refused([[container("/volumeMounts/0/subPath"), sub_path]]) == {sprintf("subPath %s must be a path within the volume. Write it without a leading \"/\" and without \"..\".", [sub_path])}
	}
	refused([[container("/volumeMounts/0/subPath"), "pg..old"]]) == set()
}

test_probes_and_policies if {
	refused([[container("/readinessProbe/tcpSocket"), {"port": 5432}]]) == {"the readinessProbe has exec and tcpSocket, and one of them is allowed. Leave exec."}
	refused([[container("/livenessProbe"), {"exec": {"command": ["pg_isready"]}, "successThreshold": 2}]]) == {"the livenessProbe has successThreshold 2, and it must be 1. Remove it."}
	refused([[concat("", [pod, "/restartPolicy"]), "OnFailure"]]) == {"restartPolicy is OnFailure, and pods of a StatefulSet are always started again. Write Always."}
	refused([[concat("", [pod, "/activeDeadlineSeconds"]), 600]]) == {"activeDeadlineSeconds is not allowed in the pods of a StatefulSet. Remove it."}
}

test_volumes_without_a_claim if {
	every source in [{}, {"claimName": ""}] {
		refused({[sprintf("%s/volumes/-", [pod]), {"name": "dump", "persistentVolumeClaim": source}]}) == {"volume dump names no claim (claimName). Write the name of one."}
	}
	refused({[sprintf("%s/volumes/-", [pod]), {"name": "dump", "persistentVolumeClaim": {"claimName": "dump"}}]}) == set()
}

with_secret(field, value) := found if {
	found := {f.message | some f in operator_refuses.findings} with input as object.union(server(set()), {"inventory": {"namespace": {"shop": {"v1": {"Secret": {"db": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"}, field: {"password": value}}}}}}}})
}

# The letters of "password" are base64, of bytes that are no text.
test_passwords_that_are_not_encoded if {
	with_secret("data", "password") == {"The container runtime refuses the container: key password of this Secret stands below data as it is meant, and is no text when it is decoded there. Write it below stringData, or encode it (base64 -w0)."}
	with_secret("data", "cGFzc3dvcmQ=") == set()
	with_secret("stringData", "password") == set()
}
