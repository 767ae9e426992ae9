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
unread(paths) := [{"source": sprintf("what Vault's agent does by annotation %s", [name]), "path": array.concat(path, [name]), "severity": severity(value)} |
	some path in paths
	annotations := get.map(k8s.object, path)
	get.lower_case(get.text_at(annotations, "vault.hashicorp.com/agent-inject")) in {"true", "t", "1"}
	some name, value in annotations
	is_string(value)
	acts(name, value, annotations)
]

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
