# METADATA
# title: Clients ask for another server, role or database than there is
# description: |
#   The first start of the official image and of Bitnami's makes one role and one database, those of POSTGRES_USER and POSTGRES_DB. Where those have names that nobody uses, and the programs that
#   name the server ask for other ones, one side has kept a default: "role does not exist", "database does not exist", or "password authentication failed". Reported only where
#   every program in sight says what it asks for, and neither a script of the first start nor a command makes roles or databases. A program that takes its password from the
#   Secret of the server and looks for it at localhost, as in a file for Docker Compose, at a name that no Service has, or by the name of its Service in another namespace, finds none; nor does one
#   that asks for the name of a cluster of CloudNativePG, whose Services end in -rw, -ro and -r. Bitnami's PgBouncer waits for POSTGRESQL_HOST, "postgresql" by default,
#   though its file names another server.
#   So does one that asks for a pod of a StatefulSet by another name than its serviceName gives it, for a server without a Service, or for 0.0.0.0.
#   A hook, a sidecar or a job that runs psql -U postgres finds no such role where POSTGRES_USER names another superuser; where it hides its errors, nobody learns of it.
#   Without POSTGRES_DB the one database has the name of the superuser: clients that log in as that one and name another find none. An exporter with DATA_SOURCE_URI and without DATA_SOURCE_USER does not log in. An exporter whose address names no
#   database asks for the one that is called as its role; it loses metrics alone, which is info.
#   Odoo aborts as the user postgres, the official image of Pgpool-II without pgpool.conf or its variables, Supavisor wants a key of 32 characters, and the kubelet kills a proxy whose probe names a port that it does not have.
#   Superset, Dify and Zitadel read a variable for their port that Kubernetes sets to tcp://… where a Service has their name.
#   Nextcloud takes PostgreSQL only where all of its variables are there, pg_isready needs the name of a role where the image knows no user of the number, programs that run as a user of their own need fsGroup on a new volume, and a
#   livenessProbe that kills the server of Zabbix while it loads its schema leaves half of it (the last two are warnings). A rolling update of pgAdmin or n8n on a claim of one node hangs where the new pod lands on another (a warning), on a claim of one pod always.
#   pgAdmin and postgres-backup-local end at once where a variable is missing that they want, or an address is none to them. Immich does not start without an extension that the official image lacks, and Mattermost with a server that is too old.
#   A hook of Helm before the install that takes a ConfigMap or a Secret which Helm makes after it hangs (a warning where no label says that they are of one release). Kong, Keycloak, n8n, Authentik and Grafana ask their own
#   container for PostgreSQL where no variable names a host, and Langfuse stops without DATABASE_URL.
#   A program that takes its password from the Secret which an operator has for one role and names another one is refused (an error), and so is one that asks for a database that the operator
#   does not make, by itself or beside what it restores as another's (a warning, since somebody may have made it by hand).
#   A Service that selects all members of Patroni or repmgr leads a program that writes to standbys as well: it takes the label that Patroni puts on the primary (an error).
#   A name without a namespace is looked for in that of the pod: a program of another namespace finds no Service of the name there (an error where nothing among the files of that namespace makes Services of its own).
# related_resources:
#   - https://github.com/camunda/camunda-platform-helm/pull/6293
#   - https://github.com/cloudnative-pg/charts/issues/557
#   - https://github.com/docker-library/docs/blob/master/postgres/README.md#environment-variables
#   - https://github.com/iv-org/invidious-helm-chart/issues/7
#   - https://github.com/reportportal/kubernetes/issues/211
#   - https://github.com/truenas/charts/pull/936
#   - https://github.com/cagriekin/charts/pull/98
#   - https://github.com/Kong/kong-dist-kubernetes/issues/65
#   - https://github.com/prometheus-community/helm-charts/issues/4486
#   - https://github.com/cradlepoint/kubernetes-helm-chart-pgbouncer/issues/39
#   - https://github.com/pgadmin-org/pgadmin4/issues/7297
#   - https://github.com/prodrigestivill/docker-postgres-backup-local/blob/main/env.sh
#   - https://github.com/mattermost/mattermost/pull/34010
#   - https://github.com/odoo/odoo/blob/master/odoo/cli/server.py
#   - https://github.com/pgpool/pgpool2_on_k8s/issues/21
#   - https://github.com/supabase/supavisor/issues/211
#   - https://github.com/yetone/cumora/pull/271
#   - https://github.com/nextcloud/docker/blob/master/docker-entrypoint.sh
#   - https://github.com/dagster-io/dagster/issues/3827
#   - https://github.com/rowanruseler/helm-charts/issues/32
#   - https://github.com/zabbix/zabbix-docker/issues/1034
#   - https://github.com/helm/charts/issues/23726
#   - https://helm.sh/docs/topics/charts_hooks/
#   - https://github.com/langfuse/langfuse-k8s/issues/290
#   - https://github.com/Kong/kong/blob/master/kong.conf.default
#   - https://github.com/rowanruseler/helm-charts/issues/106
#   - https://github.com/patroni/patroni/pull/1156
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: Write the same name on both sides; in a server that has started already create what is missing.
#   sources: []
package walguard.checks.access.client_mismatch

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.abroad
import data.walguard.model.logins
import data.walguard.model.programs
import data.walguard.model.unstarted

findings contains f if {
	some one in get.list(model.cluster, "lost_clients")
	f := graded(one, finding.at(one, sprintf("%s %s: %s. %s.", [one.client, one.reason, object.get(one, "outcome", "it finds no database"), one.cure])))
}

findings contains f if {
	some one in get.list(model.cluster, "strange_logins")
	f := graded(one, finding.at(one, told(one)))
}

findings contains f if {
	some one in programs.strangers
	f := finding.at(one, sprintf("%s logs in as %s, and the first start makes role %s alone (%s): role %q does not exist, and the rest of it does nothing. Name %s there.", [one.client, one.role, one.made, one.variable, one.role, one.made]))
}

findings contains f if {
	some one in logins.foreign_roles
	f := finding.with_severity(finding.at(one, sprintf("%s logs in as %s with the password of role %s (Secret %s): password authentication failed. Write %s, or take the name from that Secret too.", [one.client, one.asked, one.role, one.secret, one.role])), "error")
}

findings contains f if {
	some one in abroad.lost
	f := graded(one, finding.at(one, sprintf("%s looks for %s, which without a namespace is a Service of its own, %s, and there is none: the name is not found. Write %s.", [one.client, one.asked, one.namespace, one.own])))
}

findings contains f if {
	some one in logins.foreign_hosts
	f := graded(one, finding.at(one, sprintf("%s has the password of role %s (Secret %s) and looks for it at %s, and no Service of this namespace has the name: it finds no database. Write %s.", [one.client, one.role, one.secret, one.asked, one.own])))
}

findings contains f if {
	some one in logins.foreign_databases
	f := finding.at(one, sprintf("%s asks for database %s as %s, and %s: %s. %s.", [one.client, one.asked, one.role, one.reason, one.outcome, one.cure]))
}

findings contains f if {
	some one in unstarted.all
	f := finding.with_severity(finding.at(one, sprintf("%s %s: %s. %s.", [one.client, one.reason, one.outcome, one.cure])), object.get(one, "level", "error"))
}

told(one) := sprintf("%s asks for the %s %s, and the first start makes %s (%s), which no client uses: %s %q does not exist. Write the same name on both sides.", [one.client, one.what, one.asked, one.made, one.variable, one.what, one.asked]) if not one.unnamed

told(one) := sprintf("%s names no database and so asks for that of its role, %s, and the first start makes %s (%s): there are no metrics. Write %s into its address.", [one.client, one.asked, one.made, one.variable, one.made]) if one.unnamed

graded(one, found) := finding.with_severity(found, one.level)

graded(one, found) := found if not one.level
