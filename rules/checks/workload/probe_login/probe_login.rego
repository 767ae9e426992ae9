# METADATA
# title: A probe never succeeds
# description: |
#   The official image creates one role, that of POSTGRES_USER, as the superuser: with POSTGRES_USER=shop there is no role postgres. A readiness or startup probe that runs
#   psql -U postgres never succeeds, and the pod never becomes ready; as a liveness probe it kills the server again and again (an error). pg_isready takes the answer
#   for a living server (so it does where the command names $(POSTGRES_USER) without a shell, which nothing replaces), but the server logs 'FATAL: role "postgres" does not exist' at every try, every ten seconds by default, among which other errors are not seen (an info, as where it names no database, and POSTGRES_DB is called otherwise than the role; a warning of a variable that nothing defines, whose option swallows the next word). A port on which nothing listens never answers, nor does the server to HTTP (an error). A file or program of another image's tree is not there either, such as
#   /opt/bitnami/postgresql/tmp/.initialized, which Bitnami's chart asks for whatever its image is. A postStart hook begins with the container, and a psql or pg_isready in it that asks once finds no server: the hook fails, and the container is killed
#   (an error).
# related_resources:
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#postgres_user
#   - https://www.postgresql.org/docs/current/app-pg-isready.html
#   - https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/#hook-handler-execution
#   - https://github.com/helm/charts/issues/10838
#   - https://github.com/helm/charts/issues/14495
#   - https://github.com/Tecnativa/doodba-copier-template/pull/631
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: "Name the role of POSTGRES_USER in the probe: pg_isready -U \"$POSTGRES_USER\"."
#   sources: []
package walguard.checks.workload.probe_login

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

findings contains f if {
	some probe in get.list(model.cluster, "stranger_probes")
	f := finding.with_severity(
		finding.at(probe, sprintf("%s logs in as %s, and the image creates role %s alone: %s. Name %s there.", [
			probe.probe,
			probe.user,
			probe.superuser,
			consequence[probe.session][probe.probe],
			probe.superuser,
		])),
		severity[probe.session],
	)
}

findings contains f if {
	some one in get.list(model.cluster, "probed_databases")
	f := finding.with_severity(
		finding.at(one, sprintf("%s asks for database %s, as its role is called, and the first start makes %s: every try logs a FATAL error. Add -d %s.", [one.probe, one.database, one.made, one.made])),
		"info",
	)
}

findings contains f if {
	some one in get.list(model.cluster, "unset_variables")
	f := finding.with_severity(
		finding.at(one, sprintf("%s uses $%s, which nothing defines in the container: its option takes the next word for the value, and %s. Write the value, or define the variable.", [
			one.probe,
			one.variable,
			consequence[one.session][one.probe],
		])),
		{true: "error", false: "warning"}[one.session],
	)
}

findings contains f if {
	some one in get.list(model.cluster, "literal_variables")
	f := finding.with_severity(
		finding.at(one, sprintf("%s passes %s as it is written, since Kubernetes puts no variables into the command of a probe and no shell runs it: %s. Write [sh, -c, 'pg_isready -U \"$POSTGRES_USER\"'].", [
			one.probe,
			one.text,
			consequence[one.session][one.probe],
		])),
		severity[one.session],
	)
}

findings contains f if {
	some hook in get.list(model.cluster, "hasty_hooks")
	f := finding.with_severity(finding.at(hook, sprintf("postStart runs %s once, as the container begins and no server listens yet: the hook fails, and the kubelet kills the container, at every start. Let it wait: until pg_isready; do sleep 1; done.", [hook.program])), "error")
}

findings contains f if {
	some dead in get.list(model.cluster, "dead_probes")
	f := finding.with_severity(finding.at(dead, sprintf("%s %s: %s. %s.", [dead.probe, dead.reason, consequence[true][dead.probe], object.get(dead, "cure", "Run pg_isready in it")])), "error")
}

consequence := {
	true: {
		"startupProbe": "it never succeeds, and the server is killed",
		"readinessProbe": "it never succeeds, and no Service leads to the server",
		"livenessProbe": "it never succeeds, and the server is killed",
	},
	false: {name: "every try logs a FATAL error" | some name in ["startupProbe", "readinessProbe", "livenessProbe"]},
}

severity := {true: "error", false: "info"}
