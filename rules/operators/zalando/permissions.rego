package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder

# What Patroni asks the API server for, where the operator's configuration names the account and a binding of that name is in sight, which the operator then leaves as it is
# (pkg/controller/postgresql.go, createRoleBindings): otherwise it binds the account to a ClusterRole that is out of sight.
facts contains {"api_needs": {
	"account": account,
	"needs": [
		{"resources": ["pods"], "verbs": ["list", "patch", "watch"]},
		{"resources": keepers, "verbs": ["create", "list", "patch", "watch"]},
	],
}} if {
	recognised
	count(account_settings) == 1
	account := account_settings[0].account
	not placeholder.unknown(account)
	inventory.namespaced_object(k8s.namespace, "rbac.authorization.k8s.io/v1", "RoleBinding", account)
	keepers := {true: ["configmaps"], false: ["endpoints"]}[account_settings[0].configmaps]
}

account_settings := array.concat(
	[{"account": name, "configmaps": count([1 | get.boolean(configuration, "kubernetes_use_configmaps")]) == 1} |
		name := get.string(configuration, ["kubernetes", "pod_service_account_name"])
	],
	[{"account": name, "configmaps": get.lower_case(object.get(map_of, ["data", "kubernetes_use_configmaps"], "false")) == "true"} |
		not configuration
		count(configurations) == 0
		some map_of in operator_maps
		name := get.string(map_of, ["data", "pod_service_account_name"])
	],
)
