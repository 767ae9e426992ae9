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
