package walguard.lib.injected_test

import data.walguard.lib.injected

pod(annotations) := {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "annotations": annotations}}

found(annotations) := list if {
	list := injected.unread([["metadata", "annotations"]]) with input as pod(annotations)
}

asked := {"vault.hashicorp.com/agent-inject": "true"}

test_commands_and_places if {
	command := "sh -c 'echo fsync=off >> /d/postgresql.auto.conf'"
	found(object.union(asked, {"vault.hashicorp.com/agent-inject-command-a": command})) == [{"source": "what Vault's agent does by annotation vault.hashicorp.com/agent-inject-command-a", "path": ["metadata", "annotations", "vault.hashicorp.com/agent-inject-command-a"], "severity": "warning"}]
	count(found(object.union(asked, {"vault.hashicorp.com/secret-volume-path": "/docker-entrypoint-initdb.d"}))) == 1
	count(found(object.union(asked, {"vault.hashicorp.com/agent-inject-template-a": "ALTER SYSTEM SET jit = off"}))) == 1
	found({"vault.hashicorp.com/agent-inject-command-a": command}) == []
}

test_secrets if {
	found(object.union(asked, {
		"vault.hashicorp.com/role": "app",
		"vault.hashicorp.com/agent-inject-secret-db": "database/creds/app",
		"vault.hashicorp.com/agent-inject-template-db": "{{ with secret \"db\" }}{{ .Data.password }}{{ end }}",
		"vault.hashicorp.com/agent-inject-command-db": "sh -c 'kill -HUP $(pidof app)'",
		"vault.hashicorp.com/secret-volume-path": "/var/lib/postgresql/certs",
	})) == []
}

test_a_configuration_with_the_volumes_of_the_server if {
	copying := object.union(asked, {"vault.hashicorp.com/agent-copy-volume-mounts": "postgres"})
	every name in ["vault.hashicorp.com/agent-configmap", "vault.hashicorp.com/agent-image"] {
		[one.path[2] | some one in found(object.union(copying, {name: "x"}))] == [name]
		found(object.union(asked, {name: "x"})) == []
	}
	found(copying) == []
}

test_other_controllers if {
	every name, value in {
		"pre.hook.backup.velero.io/command": `["psql","-c","ALTER SYSTEM SET fsync = off"]`,
		"init.hook.restore.velero.io/command": `["sh","-c","echo fsync=off >> /var/lib/postgresql/data/pgdata/postgresql.auto.conf"]`,
		"k8up.io/backupcommand": `psql -c "ALTER SYSTEM SET full_page_writes=off"`,
		"conjur.org/secret-file-template.x": "fsync = off",
		"instrumentation.opentelemetry.io/inject-python": "true",
		"admission.datadoghq.com/python-lib.custom-image": "x/y:1",
		"vault.security.banzaicloud.io/vault-env-from-path": "secret/data/pg",
		"dapr.io/volume-mounts-rw": "data:/d",
	} {
		[one.path[2] | some one in found({name: value})] == [name]
	}
	found({
		"pre.hook.backup.velero.io/command": `["psql","-c","CHECKPOINT"]`,
		"k8up.io/backupcommand": "pg_dumpall --clean",
		"instrumentation.opentelemetry.io/inject-sdk": "false",
		"sidecar.istio.io/userVolumeMount": `[{"name":"certs","mountPath":"/c"}]`,
	}) == []
}
