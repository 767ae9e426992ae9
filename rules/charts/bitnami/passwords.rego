# Passwords that the chart makes up in its Secret (templates/secrets.yaml; common/templates/_secrets.tpl, common.secrets.passwords.manage).
package walguard.charts.bitnami

import data.walguard.charts.bitnami.values

# METADATA
# description: |
#   The values of the passwords that every rendering without a view of the cluster makes anew, though the data directory keeps the first ones.
generated(server) := [concat("", [object.get(server.release, "below", ""), field]) |
	is_templated(server)
	some [field, places] in password_values(server)
	count([1 | some place in places; values.filled(server.release, split(place, "."))]) == 0
]

is_templated(server) if {
	server.release.template
	server.component in {"primary", "postgresql"}
	not values.off(server.release, at(server, "persistence.enabled"), true)
	count([1 | some place in secrets_of_ones_own[server.keys]; values.filled(server.release, split(place, "."))]) == 0
}

secrets_of_ones_own := {
	"modern": ["auth.existingSecret", "global.postgresql.auth.existingSecret"],
	"ha": ["postgresql.existingSecret", "global.postgresql.existingSecret"],
}

password_values(server) := [[sprintf("postgresql.%s", [field]), [sprintf("postgresql.%s", [field]), sprintf("global.postgresql.%s", [field])]] | some field in ["password", "repmgrPassword"]] if server.keys == "ha"

# The superuser's counts where somebody logs in with it: the owner of the data, or the chart's dumps.
password_values(server) := array.concat(
	[["auth.password", ["auth.password", "global.postgresql.auth.password"]] | custom_user(server.release)],
	array.concat(
		[["auth.postgresPassword", array.concat(of_superuser, [place | some place in ["auth.password", "global.postgresql.auth.password"]; not custom_user(server.release)])] | logs_in_as_superuser(server.release)],
		[["auth.replicationPassword", ["auth.replicationPassword"]] | is_replicated(server.release)],
	),
) if {
	server.keys == "modern"
}

of_superuser := ["auth.postgresPassword", "global.postgresql.auth.postgresPassword"]

logs_in_as_superuser(release) if {
	values.on(release, ["auth", "enablePostgresUser"], true)
	not custom_user(release)
}

logs_in_as_superuser(release) if {
	values.on(release, ["auth", "enablePostgresUser"], true)
	values.on(release, ["backup", "enabled"], false)
}
