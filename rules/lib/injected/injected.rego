# METADATA
# description: |
#   What the injector of Vault adds to pods by their annotations, as far as it can set parameters: its agent writes files where an annotation says, and runs what another one says
#   afterwards, with the volumes of a container that it copies.
# related_resources:
#   - https://developer.hashicorp.com/vault/docs/deploy/kubernetes/injector/annotations
package walguard.lib.injected

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.script

# METADATA
# description: What of it nobody reads, for walguard.model's "unread", of annotations at the paths.
unread(paths) := array.concat(unread_of_vault(paths), unread_of_others(paths))

unread_of_vault(paths) := [{"source": sprintf("what Vault's agent does by annotation %s", [name]), "path": array.concat(path, [name]), "severity": severity(value)} |
	some path in paths
	annotations := get.map(k8s.object, path)
	get.lower_case(get.text_at(annotations, "vault.hashicorp.com/agent-inject")) in {"true", "t", "1"}
	some name, value in annotations
	is_string(value)
	acts(name, value, annotations)
]

# Other controllers run commands in the containers, or change pods, by annotations: Velero, K8up, Conjur, OpenTelemetry, Datadog, Bank-Vaults, Dapr, Istio.
unread_of_others(paths) := [{"source": sprintf("what annotation %s brings", [name]), "path": array.concat(path, [name]), "severity": severity(value)} |
	some path in paths
	some name, value in get.map(k8s.object, path)
	is_string(value)
	brings(name, value)
]

brings(name, value) if {
	regex.match(`^((pre|post)\.hook\.backup|(init|post)\.hook\.restore)\.velero\.io/command$|^k8up\.(io|syn\.tools)/backupcommand$|^conjur\.org/secret-file-template\.`, name)
	script.alters(value)
}

brings(name, value) if {
	regex.match(`^instrumentation\.opentelemetry\.io/inject-|^admission\.datadoghq\.com/\S+-lib\.custom-image$|^vault\.security\.banzaicloud\.io/vault-env-from-path$`, name)
	not get.lower_case(value) in {"", "false"}
}

# The volume of the data.
brings(name, value) if {
	name in {"dapr.io/volume-mounts-rw", "sidecar.istio.io/userVolumeMount"}
	regex.match(`data|pg`, value)
}

acts(name, value, _) if {
	regex.match(`^vault\.hashicorp\.com/agent-inject-(command|template)-`, name)
	script.alters(value)
}

acts(name, value, _) if {
	startswith(name, "vault.hashicorp.com/secret-volume-path")
	regex.match(homes, value)
}

# With the volumes of a container, a configuration or an image of somebody's own.
acts(name, _, annotations) if {
	name in {"vault.hashicorp.com/agent-configmap", "vault.hashicorp.com/agent-image"}
	get.text_at(annotations, "vault.hashicorp.com/agent-copy-volume-mounts") != ""
}

homes := `^/(docker-entrypoint-(pre)?initdb\.d|bitnami/postgresql/(conf|data)|var/lib/(postgresql|pgsql)/data|var/lib/postgresql/[0-9]+/(docker|main)|home/postgres/pgdata|pgdata|opt/app-root/src/postgresql-\w+|etc/postgresql/?$)`

severity(value) := "warning" if script.dangerous(value)

severity(value) := inventory.unread if not script.dangerous(value)
