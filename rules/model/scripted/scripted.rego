# METADATA
# description: |
#   Passwords of roles in SQL that a ConfigMap holds: whoever may read ConfigMaps has them, and so has the history of the files. Files that the pods of the cluster mount, and those of clients that speak to it by psql.
# related_resources:
#   - https://www.postgresql.org/docs/current/sql-createrole.html
#   - https://github.com/cloudfoundry/cf-for-k8s/issues/109
package walguard.model.scripted

import data.walguard.lib.files
import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.workloads
import data.walguard.model

# METADATA
# description: '[{"file": its name, "roles": whose passwords it says, "path", "resource"}]'
passwords := [{"file": found.file, "roles": sort(found.roles), "path": found.path, "resource": found.resource} |
	some found in {{"file": base[count(base) - 1], "path": file.path, "resource": file.resource, "roles": roles} |
		some file in read
		file.resource.kind == "ConfigMap"
		regex.match(`(?i)\bpassword\b`, file.text)
		roles := {match[1] |
			some match in regex.find_all_string_submatch_n(with_password, file.text, -1)
			login.literal(match[2])
		}
		count(roles) > 0
		base := split(file.file, "/")
	}
]

# A variable of a shell or of psql, and a secret that SCRAM or MD5 has made of the password, are no password.
with_password := `(?i)\b(?:create|alter)\s+(?:role|user)\s+(?:if\s+not\s+exists\s+)?\\?["']?([a-z0-9_-]+)\\?["']?[^;']*?\bpassword\s+'([^'$\x60{}<>%\s]{3,})'`

read := [file |
	some one in pods
	some list in ["containers", "initContainers"]
	some container in get.list(one, list)
	some file in files.mounted(container, get.list(one, "volumes"))
]

pods := array.concat(
	[pod |
		path := workloads.pods[sprintf("%s %s", [k8s.api_version, k8s.kind])]
		pod := get.map(k8s.object, path)
	],
	[made.pod |
		not model.cluster.client
		count(hosts) > 0
		some made in workloads.clients
		not workloads.itself(made)
		some container in get.list(made.pod, "containers")
		said := json.marshal([get.list(container, "command"), get.list(container, "args"), get.list(container, "env")])
		regex.match(`\bpsql\b`, said)
		some name in regex.find_n(`[A-Za-z0-9][A-Za-z0-9-]*`, said, -1)
		name in hosts
	],
)

hosts := {host | some host in get.list(model.cluster, "hosts"); host != ""}
