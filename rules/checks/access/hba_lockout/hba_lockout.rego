# METADATA
# title: pg_hba.conf locks out what the cluster itself needs
# description: |
#   A list of lines that takes the place of the operator's own must let in what the cluster works with: Patroni and the scripts of the
#   image on the socket, the standbys for replication, which the database "all" does not include, and an operator that makes roles and databases. Without the first the pods never
#   become ready; without the second standbys fail with "no pg_hba.conf entry for replication connection", without the third the cluster ends in SyncFailed. None of them has a client
#   certificate, so that a line with the method cert or clientcert=verify-full shuts them out ("connection requires a valid client certificate"). Bitnami's image takes a mounted pg_hba.conf before it has set
#   the password of postgres: where every line for 127.0.0.1 and the socket wants one, it can set none ('User "postgres" has no password assigned'), and the next start takes
#   the half-made directory for a database. The standbys of PGO and of Percona's operator log in with a certificate: where one's own is for the server alone, or for them alone,
#   the other is of the operator's authority, which the server does not know ("tlsv1 alert unknown ca"). A file of one's own for a plain workload must let in the programs in sight that say their role and database,
#   the database postgres for Odoo, which connects to it at each start, and what copies the server by pg_basebackup – which the file that the official image makes does not let in either, unless a script adds the line – or runs psql, pg_dump or pg_restore there.
# related_resources:
#   - https://postgres-operator.readthedocs.io/en/latest/reference/cluster_manifest/#patroni-parameters
#   - https://www.postgresql.org/docs/current/auth-pg-hba-conf.html
#   - https://github.com/zalando/postgres-operator/issues/1073
#   - https://github.com/reactive-tech/kubegres/issues/92
#   - https://github.com/bitnami/charts/issues/13386
#   - https://docs.percona.com/percona-operator-for-postgresql/latest/tls-manual.html
#   - https://github.com/CrunchyData/postgres-operator/blob/main/internal/postgres/parameters.go
#   - https://github.com/odoo/docker/blob/master/17.0/wait-for-psql.py
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Add the missing lines to the list, before those that reject.
#   sources: []
package walguard.checks.access.hba_lockout

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.model

rules := hba.reachable(hba.rules(model.cluster.hba))

findings contains f if {
	some need in model.cluster.hba_needs
	count(rules) > 0
	not elsewhere
	count([1 | some rule in rules; meets(rule, need)]) == 0
	f := object.union(
		{
			"message": sprintf("pg_hba replaces the operator's lines and has none for %s: %s. Add \"%s\".", [
				object.get(need, "meant", meant[need.database]),
				need.reason,
				need.line,
			]),
			"path": place(model.cluster.hba[0]),
		},
		object.filter(model.cluster.hba[0], ["resource"]),
	)
}

findings contains f if {
	start := model.cluster.hba_of_start
	f := finding.at(start, "Every line of pg_hba.conf for 127.0.0.1 and local connections wants a password, and the image creates users by them before postgres has one: on an empty volume the start fails. Put \"local all all trust\" and \"host all all 127.0.0.1/32 trust\" first.")
}

findings contains f if {
	some fault in get.list(model.cluster, "lockouts")
	f := graded(finding.at(fault, sprintf("%s. %s.", [fault.reason, fault.cure])), fault)
}

graded(f, fault) := finding.with_severity(f, fault.level) if {
	fault.level
} else := f

meant := {"postgres": "local connections", "replication": "replication"}

# The list, not its first line.
place(line) := array.slice(line.path, 0, count(line.path) - 1) if is_number(line.path[count(line.path) - 1])

place(line) := line.path if not is_number(line.path[count(line.path) - 1])

meets(rule, need) if {
	rule.method != "reject"
	not hba.certified(rule)
	serves(rule.type, need.type)
	some database in rule.databases
	includes(database, need.database)
	far_enough(rule, need)
}

serves(type, type) := true

serves("host", wanted) if wanted != "local"

# Plain TCP is enough for who needs any, and a standby may use TLS.
serves("hostssl", "host") := true

includes(name, name) := true

includes("all", wanted) if wanted != "replication"

far_enough(_, need) if need.type == "local"

far_enough(rule, need) if {
	need.type != "local"
	not hba.own(rule)
}

# Lines in another file, or filled in later.
elsewhere if {
	some entry in model.cluster.hba
	some mark in ["include", "@", "$", "{{"]
	contains(entry.line, mark)
}
