# Charts that bring Bitnami's PostgreSQL along as a part of them.
package walguard.charts

import data.walguard.charts.bitnami
import data.walguard.lib.get

# Charts that bring Bitnami's PostgreSQL along, where their author asked for it.
bundling := {chart_name(release.chart) |
	some release in releases
	some name in ["postgresql", "postgresql-ha"]
	get.boolean(release.values, [name, "enabled"]) == true
	not is_bundle_read(release, name)
}

is_bundle_read(release, name) if bitnami.rendered(bundled(release, name))

# Subcharts, whose values stand below their name.
bundles := [{"chart": {"name": "-"}, "bundled": bundled(release, name), "given": given_below(release.given, name)} |
	some release in releases
	some name in ["postgresql"]
	is_bundled(release, name)
]

is_bundled(release, name) if is_brought(release.values, name)

# Of a chart that is known, and whose values say nothing of another database.
is_bundled(release, "postgresql") if {
	user_of_parent(release)
	chart_name(release.chart) != "authentik"
	object.get(get.map(release.given.values, "postgresql"), "enabled", true) == true
	every key in ["database", "externalDatabase"] {
		not get.present(release.given.values, key)
	}
}

# The user in charts that bring Bitnami's along without a password, by a word of their repository (their values.yaml, since it has the keys of 11.0.0).
parents := {
	"bitnami": {
		"airflow": "bn_airflow", "argo-workflows": "postgres", "concourse": "bn_concourse", "gitea": "bn_gitea", "jupyterhub": "bn_jupyterhub", "keycloak": "bn_keycloak", "kong": "kong",
		"mastodon": "bn_mastodon", "mlflow": "bn_mlflow", "nessie": "bn_nessie", "odoo": "bn_odoo", "sonarqube": "bn_sonarqube", "superset": "bn_superset",
	},
	"goauthentik": {"authentik": "authentik"},
	"netbox": {"netbox": "netbox"},
}

user_of_parent(release) := user if {
	release.template
	not bitnami.of_former({"values": get.map(release.given.values, "postgresql")})
	some word, users in parents
	contains(get.lower_case(text(release.chart.repository)), word)
	user := users[chart_name(release.chart)]
}

# Some make no superuser who logs in, or did so once.
auth_of_parent(user) := {"username": user, "enablePostgresUser": count({"bn_airflow", "bn_concourse"} - {user}) == 2}

is_brought(values, name) if get.boolean(values, [name, "enabled"]) == true

# The parent's default, which mostly brings it along: somebody who sets how its data are kept uses it.
is_brought(values, name) if is_kept_nowhere(get.map(values, name))

is_kept_nowhere(part) if {
	bitnami.is_part(part)
	every switch in ["enabled", "install"] {
		object.get(part, switch, true) == true
	}
	some path in [["persistence", "enabled"], ["primary", "persistence", "enabled"]]
	get.boolean(part, path) == false
}

given_below(given, name) := object.union(given, {"at": array.concat(given.at, [name]), "parameters": [object.union(parameter, {"path": array.slice(parameter.path, 1, count(parameter.path))}) |
	some parameter in given.parameters
	parameter.path[0] == name
]})

bundled(release, name) := object.union_n([
	object.filter(release.given, ["name", "namespace"]),
	{"values": object.union(object.filter(release.given.values, ["global"]), values), "whole": false, "chart": name},
	{key: value | user_of_parent(release); some key, value in {"template": true, "below": sprintf("%s.", [name])}},
]) if {
	name == "postgresql"
	values := object.union({"auth": auth_of_parent(user) | user := user_of_parent(release)}, get.map(release.given.values, name))
	bitnami.is_part(values)
}
