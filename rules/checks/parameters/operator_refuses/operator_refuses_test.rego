package walguard.checks.parameters.operator_refuses_test

import data.walguard.checks.parameters.operator_refuses as check
import data.walguard.lib.manifest_test as manifests

findings(parameters, spec) := found if found := check.findings with input as manifests.review(parameters, spec)

said(parameters, spec) := {f.message | some f in findings(parameters, spec)}

memory(amount) := {"resources": {"requests": {"memory": amount}}}

test_buffers_above_the_request if {
	findings({"shared_buffers": "4GB"}, memory("1Gi")) == {{
		"message": "CloudNativePG refuses this resource: shared_buffers=4GB is more than the memory request of 1Gi. Request more memory, or lower shared_buffers.",
		"path": ["spec", "postgresql", "parameters", "shared_buffers"],
	}}
	said({"shared_buffers": "16384"}, memory("1Gi")) == {"CloudNativePG refuses this resource: shared_buffers=16384 (in MB to the webhook, which PostgreSQL counts in pages of 8 kB) is more than the memory request of 1Gi. Request more memory, or lower shared_buffers."}
	findings({"shared_buffers": "1GB"}, memory("1Gi")) == set()
	findings({"shared_buffers": "4GB"}, {}) == set()
	findings({"shared_buffers": "4GB"}, {"resources": {"requests": {"memory": "1Gi", "hugepages-2Mi": "4Gi"}, "limits": {"hugepages-2Mi": "4Gi"}}}) == set()
}

test_requests_and_limits if {
	said({}, {"resources": {"requests": {"memory": "2Gi", "cpu": "1"}, "limits": {"memory": "1Gi", "cpu": "1"}}}) == {"CloudNativePG refuses this resource: the request of memory 2Gi is more than its limit of 1Gi. Lower the request, or raise the limit."}
	said({}, {"resources": {"requests": {"hugepages-2Mi": "1Gi"}, "limits": {"hugepages-2Mi": "2Gi"}}}) == {"CloudNativePG refuses this resource: the request of hugepages-2Mi 1Gi is not its limit of 2Gi. Write the same amount of huge pages in both."}
}

test_wal_sizes if {
	said({"max_wal_size": "80MB"}, {}) == {"CloudNativePG refuses this resource: min_wal_size=80MB is not less than max_wal_size=80MB. Lower min_wal_size, or raise max_wal_size."}
	said({"min_wal_size": "2GB"}, {}) == {"CloudNativePG refuses this resource: min_wal_size=2GB is not less than max_wal_size=1GB. Lower min_wal_size, or raise max_wal_size."}
	findings({"min_wal_size": "2GB", "max_wal_size": "4GB"}, {}) == set()
}

test_hints if {
	said({"wal_log_hints": "off"}, {}) == {"CloudNativePG refuses this resource: wal_log_hints is off with 3 instances. Take it out: pg_rewind needs it."}
	findings({"wal_log_hints": "off"}, {"instances": 1}) == set()
}

test_version if {
	said({}, {"imageName": "ghcr.io/cloudnative-pg/postgresql:12.4"}) == {"CloudNativePG refuses this resource: PostgreSQL 12 is older than 13. Take an image of a supported major version."}
}

# noobj: the parameter has another name.
test_plugin_without_a_store if {
	plugin := {"name": "barman-cloud.cloudnative-pg.io", "isWALArchiver": true, "parameters": {"objectStoreName": "a"}}
	said({}, {"plugins": [plugin]}) == {"CloudNativePG refuses this resource: the barman plugin has no parameter barmanObjectName. Name the ObjectStore in parameters.barmanObjectName."}
	findings({}, {"plugins": [object.union(plugin, {"parameters": {"barmanObjectName": "a"}})]}) == set()
	findings({}, {"plugins": [object.union(plugin, {"name": "other"})]}) == set()
}

test_silent_when_unknown if {
	findings({"shared_buffers": "${SB}", "min_wal_size": "<MIN>"}, memory("${MEM}")) == set()
	check.findings == set() with input as manifests.change({"shared_buffers": "4GB", "wal_log_hints": "off"})
}

zalando(users) := {[f.message, f.path] | some f in given} if {
	given := check.findings with input as {"review": {"object": {
		"apiVersion": "acid.zalan.do/v1",
		"kind": "postgresql",
		"metadata": {"name": "acid-orders", "namespace": "prod"},
		"spec": {"numberOfInstances": 2, "postgresql": {"version": "17"}, "users": users},
	}}}
}

test_users_of_zalando if {
	zalando({"Orders": []}) == {["Zalando Postgres Operator refuses this resource: \"Orders\" is not a user name that it takes. Write small letters, digits, \"_\" and \"-\", with a letter or digit at both ends.", ["spec", "users", "Orders"]]}
	zalando({"orders": ["LOGIN", "admin"]}) == {["Zalando Postgres Operator refuses this resource: \"admin\" is not a flag of a user. Write superuser, login, createdb, createrole, inherit, replication or bypassrls, or one of them behind \"no\".", ["spec", "users", "orders", 1]]}
	zalando({"orders_owner": ["superuser", "NOLOGIN"], "app-2": [], "team.app": [], "${USER}": ["${FLAG}"], "x": [7]}) == set()
}
