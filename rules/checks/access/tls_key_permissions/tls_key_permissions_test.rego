package walguard.checks.access.tls_key_permissions_test

import data.walguard.checks.access.tls_key_permissions as check

zalando(spec) := {"review": {"object": {
	"apiVersion": "acid.zalan.do/v1",
	"kind": "postgresql",
	"metadata": {"name": "acid-orders", "namespace": "prod"},
	"spec": spec,
}}}

workload(container, spec, pod) := {"review": {"object": {
	"apiVersion": "apps/v1",
	"kind": "StatefulSet",
	"metadata": {"name": "orders", "namespace": "prod"},
	"spec": object.union({"template": {"spec": object.union({"containers": [object.union({"image": "postgres:17"}, container)]}, pod)}}, spec),
}}}

mounted(secret, context, mount) := workload(
	{"args": ["-c", "ssl_key_file=/tls/tls.key"], "volumeMounts": [object.union({"name": "tls", "mountPath": "/tls"}, mount)]},
	{},
	{"volumes": [{"name": "tls", "secret": object.union({"secretName": "orders"}, secret)}], "securityContext": context},
)

cure := "Set defaultMode: 0640 on the Secret's volume and securityContext.fsGroup to the group of postgres (999; 70 in Alpine images)."

path := ["spec", "template", "spec", "volumes", 0]

test_mode_of_the_default if {
	check.findings == {{"message": sprintf("The server cannot take its TLS key: the key of the Secret is mounted with mode 0644, which everybody may read. %s", [cure]), "path": path, "severity": "error"}} with input as mounted({}, {"fsGroup": 999}, {})
}

test_written_modes if {
	check.findings == {{"message": sprintf("The server cannot take its TLS key: the key of the Secret is mounted with a mode that everybody may read. %s", [cure]), "path": path, "severity": "error"}} with input as mounted({"defaultMode": 511}, {"fsGroup": 999}, {})
	check.findings == {{"message": "The server cannot take its TLS key: the key of the Secret belongs to root and no fsGroup lets postgres read it. Set securityContext.fsGroup to the group of postgres (999; 70 in Alpine images).", "path": path, "severity": "error"}} with input as mounted({"defaultMode": 384}, {}, {})
	check.findings == set() with input as mounted({"items": [{"key": "k", "path": "tls.key", "mode": 416}]}, {"fsGroup": 999}, {})
}

test_readable if {
	check.findings == set() with input as mounted({"defaultMode": 416}, {"fsGroup": 999}, {})
	check.findings == set() with input as mounted({"defaultMode": 384}, {"fsGroup": 999}, {})
	check.findings == set() with input as mounted({"defaultMode": 416}, {"supplementalGroups": [0]}, {})
	check.findings == set() with input as mounted({"defaultMode": 416}, {"runAsGroup": 0}, {})
}

# OpenShift makes the Secret, and gives the pod a group of its own.
test_openshift_sets_the_group if {
	every stage in ["alpha", "beta"] {
		annotation := {sprintf("service.%s.openshift.io/serving-cert-secret-name", [stage]): "orders"}
		check.findings == set() with input as object.union(mounted({"defaultMode": 384}, {}, {}), served(annotation))
		count(check.findings) == 1 with input as object.union(mounted({"defaultMode": 420}, {}, {}), served(annotation))
	}
	other := {"service.beta.openshift.io/serving-cert-secret-name": "another"}
	count(check.findings) == 1 with input as object.union(mounted({"defaultMode": 384}, {}, {}), served(other))
}

served(annotations) := {"inventory": {"namespace": {"prod": {"v1": {"Service": {"orders": {"metadata": {"name": "orders", "annotations": annotations}}}}}}}}

test_zalando if {
	check.findings == {{
		"message": "The server cannot take its TLS key: the files of the Secret are mounted with mode 0640 and belong to root, and no spiloFSGroup is set. Set spec.spiloFSGroup: 103 (or spilo_fsgroup in the operator's configuration).",
		"path": ["spec", "tls", "secretName"],
		"severity": "warning",
	}} with input as zalando({"tls": {"secretName": "orders-tls"}})
	check.findings == set() with input as zalando({"tls": {"secretName": "orders-tls"}, "spiloFSGroup": 103})
	configured := object.union(
		zalando({"tls": {"secretName": "orders-tls"}}),
		{"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"one": {"configuration": {"kubernetes": {"spilo_fsgroup": 103}}}}}}}}},
	)
	check.findings == set() with input as configured
	certain := object.union(
		zalando({"tls": {"secretName": "orders-tls"}}),
		{"inventory": {"namespace": {"ops": {"acid.zalan.do/v1": {"OperatorConfiguration": {"one": {"configuration": {"kubernetes": {}}}}}}}}},
	)
	{f.severity | some f in check.findings} == {"error"} with input as certain
}

test_silent_when_unknown if {
	check.findings == set() with input as workload({"args": ["-c", "ssl_key_file=/tls/tls.key"]}, {}, {})
	check.findings == set() with input as workload({"args": ["-c", "ssl_key_file=server.key"]}, {}, {})
	check.findings == set() with input as workload(
		{"args": ["-c", "ssl_key_file=/tls/tls.key"], "volumeMounts": [{"name": "tls", "mountPath": "/tls"}]},
		{}, {"volumes": [{"name": "tls", "emptyDir": {}}]},
	)
}

# bitnami/charts 3315: could not load server certificate file "server.crt".
without_certificate(container) := {f.message | some f in findings} if {
	findings := check.findings with input as {"review": {"object": {
		"apiVersion": "apps/v1",
		"kind": "StatefulSet",
		"metadata": {"name": "db", "namespace": "prod"},
		"spec": {
			"template": {"spec": {"containers": [object.union({"name": "postgres", "image": "postgres:17.6", "volumeMounts": [{"name": "data", "mountPath": "/var/lib/postgresql/data"}]}, container)]}},
			"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
		},
	}}}
}

test_no_certificate if {
	without_certificate({"args": ["-c", "ssl=on"]}) == {"The server cannot take its TLS key: ssl=on, and there is no server.crt in the new data directory. Mount a Secret with certificate and key, and name both in ssl_cert_file and ssl_key_file."}
	without_certificate({"args": ["-c", "ssl=off"]}) == set()
	without_certificate({"args": ["-c", "ssl=on", "-c", "ssl_cert_file=tls.crt"]}) == {"The server cannot take its TLS key: ssl=on, and there is no tls.crt in the new data directory. Mount a Secret with certificate and key, and name both in ssl_cert_file and ssl_key_file."}
	without_certificate({"args": ["-c", "ssl=on", "-c", "ssl_cert_file=/etc/ssl/certs/ssl-cert-snakeoil.pem"]}) == set()
	without_certificate({"args": ["-c", "ssl=on", "-c", "ssl_cert_file=/etc/ssl/certs/ssl-cert-snakeoil.pem", "-c", "ssl_key_file=/etc/ssl/private/ssl-cert-snakeoil.key"]}) == set()
	without_certificate({"args": ["-c", "ssl=on"], "image": "corp.example/postgres:17"}) == set()
	without_certificate({"args": ["-c", "ssl=on"], "command": ["/start.sh", "postgres"]}) == set()
}

autocert(image, annotations) := json.patch(
	workload({"image": image, "args": ["-c", "ssl=on", "-c", "ssl_key_file=/var/run/autocert.step.sm/site.key"]}, {}, {}),
	[{"op": "add", "path": "/review/object/spec/template/metadata", "value": {"annotations": annotations}}],
)

test_autocert if {
	name := {"autocert.step.sm/name": "orders.prod.svc"}
	check.findings == {{
		"message": "The server cannot take its TLS key: autocert writes it with mode 0644, which everybody may read. Annotate the pod with autocert.step.sm/owner: \"999:999\" and autocert.step.sm/mode: \"0600\".",
		"path": ["spec", "template", "metadata", "annotations"],
		"severity": "error",
	}} with input as autocert("postgres:17", name)
	some f in check.findings with input as autocert("postgres:17-alpine", object.union(name, {"autocert.step.sm/mode": "0644"}))
	contains(f.message, `autocert writes it with mode 0644, which others may read. Annotate the pod with autocert.step.sm/owner: "70:70"`)
	every mode in ["0600", "600", "0400", "u=rw,go=", "0640"] {
		found := check.findings with input as autocert("postgres:17", object.union(name, {"autocert.step.sm/mode": mode, "autocert.step.sm/owner": "999:999"}))
		found == set()
	}
	check.findings == set() with input as autocert("postgres:17", {})
}

projected(volume, context) := workload(
	{"args": ["-c", "ssl_key_file=/tls/tls.key"], "volumeMounts": [{"name": "tls", "mountPath": "/tls"}]},
	{},
	{"volumes": [{"name": "tls", "projected": volume}], "securityContext": context},
)

test_projected if {
	source := {"secret": {"name": "orders"}}
	count(check.findings) == 1 with input as projected({"sources": [source]}, {"fsGroup": 999})
	check.findings == set() with input as projected({"sources": [source], "defaultMode": 416}, {"fsGroup": 999})
	check.findings == set() with input as projected({"sources": [{"secret": {"name": "orders", "items": [{"key": "k", "path": "tls.key", "mode": 416}]}}]}, {"fsGroup": 999})
	check.findings == set() with input as projected({"sources": [{"clusterTrustBundle": {"path": "tls.key"}}]}, {"fsGroup": 999})
}
