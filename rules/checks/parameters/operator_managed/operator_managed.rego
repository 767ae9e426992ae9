# METADATA
# title: The operator sets this parameter itself
# description: |
#   Operators set some parameters themselves – archiving, TLS, sockets, replication – and what is written for them is
#   refused or overwritten. CloudNativePG's webhook and the schema of Crunchy's spec.config refuse the whole resource, an error;
#   elsewhere the operator or Patroni overwrites the value without a word, a warning: the manifest says what does not run.
#   A value that is the operator's own is not reported.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/postgresql_conf#fixed-parameters
#   - https://patroni.readthedocs.io/en/latest/patroni_configuration.html
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Take it out, and use the operator's own field for it where there is one.
#   sources: [S3]
package walguard.checks.parameters.operator_managed

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.postgres

findings contains f if {
	some name in (object.keys(model.written) & object.keys(forbidden))
	setting := model.written[name]
	in_schema(setting)
	not same(name, setting.text, forbidden[name])
	f := finding.with_removal(
		finding.at(setting, sprintf("%s=%s is refused with the whole resource: %s sets this parameter itself. Remove it%s.", [
			name,
			setting.text,
			model.cluster.operator,
			instead(name),
		])),
		setting,
	)
}

findings contains f if {
	some name in (object.keys(model.written) & object.keys(managed))
	setting := model.written[name]
	not refused(name, setting)
	not same(name, setting.text, managed[name])
	f := finding.with_severity(
		finding.with_removal(
			finding.at(setting, sprintf("%s=%s has no effect: %s overwrites it%s. Remove it%s.", [
				name,
				setting.text,
				model.cluster.operator,
				with_value(managed[name]),
				instead(name),
			])),
			setting,
		),
		"warning",
	)
}

forbidden := get.map(model.cluster, "forbidden")

managed := get.map(model.cluster, "managed")

refused(name, setting) if {
	name in object.keys(forbidden)
	in_schema(setting)
}

in_schema(setting) if array.slice(setting.path, 0, count(setting.path) - 1) == model.cluster.parameters_path

same(_, text, other) if text == other

same(name, text, other) if {
	text != other
	entry := postgres.entry_any(name)
	postgres.parse(entry, text).value == postgres.parse(entry, other).value
}

with_value("") := ""

with_value(text) := sprintf(" with %s", [text]) if text != ""

instead(name) := sprintf("; use %s instead", [fields[model.cluster.operator][name]])

instead(name) := "" if not fields[model.cluster.operator][name]

# The operators' own fields.
fields := {
	"CloudNativePG": cloudnativepg,
	"EDB Postgres for Kubernetes": cloudnativepg,
	"Crunchy Postgres for Kubernetes": {
		"port": "spec.port",
		"synchronous_standby_names": "spec.patroni.dynamicConfiguration.synchronous_mode",
	},
	"Zalando Postgres Operator": {"synchronous_standby_names": "spec.patroni.synchronous_mode"},
}

cloudnativepg := {
	"allow_alter_system": "spec.postgresql.enableAlterSystem",
	"archive_command": "spec.plugins",
	"archive_mode": "spec.plugins",
	"restore_command": "spec.plugins",
	"shared_preload_libraries": "spec.postgresql.shared_preload_libraries",
	"synchronous_standby_names": "spec.postgresql.synchronous",
	"ssl_ca_file": "spec.certificates",
	"ssl_cert_file": "spec.certificates",
	"ssl_key_file": "spec.certificates",
	"temp_tablespaces": "spec.tablespaces",
	"recovery_target_time": "spec.bootstrap.recovery.recoveryTarget",
}
