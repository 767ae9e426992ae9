# METADATA
# title: A busy server is killed by its liveness probe
# description: |
#   A liveness probe that runs a query with psql needs a session. When applications hold all max_connections, PostgreSQL answers "sorry,
#   too many clients already", the probe fails, and the container is killed with every session in it – the server was working, and recovers
#   from its WAL instead. pg_isready asks for no session and takes that answer for a living server. The superuser postgres has
#   superuser_reserved_connections (3) of its own: a probe that logs in as postgres is an info, any other a warning.
# related_resources:
#   - https://www.postgresql.org/docs/current/app-pg-isready.html
#   - https://github.com/sourcegraph/sourcegraph-public-snapshot/issues/3384
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Use pg_isready in the liveness probe. A query belongs into the readiness probe.
#   sources: []
package walguard.checks.workload.liveness_needs_session

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	probe := model.cluster.liveness
	session := probe.session
	f := finding.with_severity(
		finding.with_facts(
			finding.at(session, sprintf("The liveness probe needs a session: when all max_connections%s are taken%s, it fails for %d s and the server is killed. Use pg_isready.", [
				limit,
				reserved[session.superuser],
				probe.window,
			])),
			{"window_seconds": probe.window},
		),
		severity[session.superuser],
	)
}

limit := sprintf(" (%d)", [connections]) if connections

limit := "" if not connections

connections := model.parameter("max_connections").value

reserved := {true: ", those reserved for superusers too", false: ""}

severity := {true: "info", false: "warning"}
