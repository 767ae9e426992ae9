package walguard.checks.access.client_mismatch_early_test

import data.walguard.checks.access.client_mismatch as check

labels := {"app.kubernetes.io/instance": "shop"}

job(annotations, more) := {
	"apiVersion": "batch/v1",
	"kind": "Job",
	"metadata": {"name": "migrate", "namespace": "shop", "labels": labels, "annotations": annotations},
	"spec": {"template": {"spec": object.union({"containers": [object.union({"name": "m", "image": "shop/web:1", "command": ["migrate"], "env": [{"name": "DATABASE_URL", "value": "postgresql://a:b@pg.example.com/shop"}]}, more)]}, object.get(more, "pod", {}))}},
}

found(hook, more, metadata) := told if {
	told := {[f.severity, f.message] | some f in check.findings} with input as {
		"review": {"object": job(object.union({"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-weight": "-5"}, hook), more)},
		"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {"db": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": object.union({"name": "db", "namespace": "shop"}, metadata), "data": {"DB_NAME": "shop"}}}}}}},
	}
}

takes := {"envFrom": [{"configMapRef": {"name": "db"}}]}

fault(what) := sprintf("Job migrate runs before the install (pre-install,pre-upgrade) and takes ConfigMap db, %s: a first install hangs. Make that a hook of a lower weight, or run the Job post-install.", [what])

test_what_is_made_after_it if {
	found({}, takes, {"labels": labels}) == {["error", fault("which Helm makes later")]}
	found({}, takes, {}) == set()
	found({}, takes, {"annotations": {"helm.sh/hook": "post-install"}}) == {["warning", fault("a hook of another time (post-install)")]}
	found({}, takes, {"annotations": {"helm.sh/hook": "pre-install"}}) == {["warning", fault("whose weight 0 is above -5")]}
	every more in [
		{"env": [{"name": "DATABASE_URL", "value": "postgresql://a:b@pg.example.com/shop"}, {"name": "DB", "valueFrom": {"configMapKeyRef": {"name": "db", "key": "DB_NAME"}}}]},
		{"pod": {"volumes": [{"name": "c", "configMap": {"name": "db"}}]}},
		{"pod": {"initContainers": [{"name": "wait", "image": "busybox:1", "envFrom": [{"configMapRef": {"name": "db"}}]}]}},
	] {
		count(found({}, more, {"labels": labels})) == 1
	}
}

test_what_is_there if {
	found({}, takes, {"annotations": {"helm.sh/hook": "pre-install", "helm.sh/hook-weight": "-10"}}) == set()
	found({}, takes, {"annotations": {"helm.sh/hook": "pre-install", "helm.sh/hook-weight": "-5"}}) == set()
	found({"helm.sh/hook": "post-install"}, takes, {}) == set()
	found({"helm.sh/hook": "pre-upgrade"}, takes, {}) == set()
	found({}, {"envFrom": [{"configMapRef": {"name": "db", "optional": true}}]}, {}) == set()
	found({}, {"envFrom": [{"configMapRef": {"name": "unseen"}}]}, {}) == set()
	found({}, {}, {}) == set()
}
