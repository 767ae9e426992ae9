package walguard.operators.zalando

import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.text

# The Secret of the superuser. The operator takes the password from it at every sync and logs in with that to change those of all others (pkg/cluster/sync.go, updateSecret; database.go,
# pgConnectionString), so that its own is the one that it cannot change.
cluster := {
	"operator": "Secret",
	"name": k8s.name,
	"namespace": k8s.namespace,
	"partial": true,
	"change": true,
	"parameters": [],
	"parameters_path": [],
	"instance_sets": [],
	"first_start": {sprintf("The password of %s", [superuser]): object.union(superusers, {
		"path": login.path_of(k8s.object, "password"),
		"variable": "PASSWORD",
		"reason": "the operator logs in with at once: the server keeps the old one, so that it can no longer manage the cluster (\"password authentication failed\")",
		"cure": sprintf("Change it in the server first (ALTER ROLE %s PASSWORD …).", [superuser]),
	})},
} if {
	superusers
}

superusers := login.held(k8s.object, "password") if {
	k8s.kind == "Secret"
	k8s.api_version == "v1"
	regex.match(sprintf(`^%s\.[a-z0-9-]+\.credentials\.postgresql\.acid\.zalan\.do$`, [text.literal(replace(superuser, "_", "-"))]), k8s.name)
}
