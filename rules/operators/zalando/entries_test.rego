package walguard.operators.zalando_test

import data.walguard.operators.zalando

entry_refused(spec) := {f.reason | some f in found} if {
	found := zalando.refused_entries with input as {"review": {"object": {"apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "acid-orders", "namespace": "shop"}, "spec": spec}}}
}

test_entries if {
	entry_refused({"users": {"app": "superuser", "other": ["createdb"], "third": null, "fourth": "${FLAGS}"}}) == {"the flags of user app are the text superuser"}
	entry_refused({"additionalVolumes": [{"name": "a", "mountPath": "/a", "emptyDir": {}}, {"name": "b", "mountPath": "/b", "volumeSource": {"emptyDir": {}}}]}) == {"volume a of additionalVolumes has no volumeSource"}
	entry_refused({"additionalVolumes": [{"name": "a", "mountPath": "/a", "{{ .Source }}": null}]}) == set()
}
