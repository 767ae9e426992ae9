# METADATA
# title: A connection URI cannot be read
# description: |
#   In postgresql://user:password@host/database the characters "/", "?" and "#" end the part with user, password and host. A generated password that has one makes programs read
#   the rest as a port, a path or a comment: "invalid port", "bad URI", "could not translate host name" – which name everything but the password. At an "@" libpq ends the password,
#   and behind a "%" two hexadecimal digits are read. Kubernetes puts
#   $(PASSWORD) into a variable or a command as it is, of a Job as well, so a URI that is composed this way breaks when the Secret gets such a password, and one that spells a password out is read as it stands; "@" and "%" are a warning. An sslmode that does not exist ("disabled", "false") ends every attempt. So do a
#   variable in the address that Kubernetes does not replace, quotes within the value or at its end, a scheme that the driver does not take, an operator's key uri where a JDBC driver reads, a host with its port where the host alone belongs, and words that libpq does not know.
#   An address in words (host=… password=…) has its blanks in single quotes; Kong takes a "#" for a comment, Keycloak has read no DB_ADDR since 17, and libpq verifies nothing without a root certificate. n8n takes certificates themselves, and their paths in variables that end with _FILE.
#   Programs that are much in use read variables of other names than people write (KC_DB_HOST, GITEA__database__PASSWORD, SONARQUBE_JDBC_URL), know PostgreSQL by one word alone (n8n: postgresdb), or lack its driver (MLflow's
#   image): they ask elsewhere, keep their data in SQLite, or do not start. A warning where a file of an earlier start may have what the variable does not say, and where what the program takes without it may be meant.
#   A client whose server is not among the files answers for such an address by itself.
#   So does a file of certificates that another container of the pod mounts, a password that a program puts into an address as it is (Langfuse), or that its driver cannot read there (an "@" to Vaultwarden and Hasura, a "%" to
#   postgres_exporter), an sslmode that Grafana up to 11 does not know, and the libpq before 14 of the images on Alpine, which names no host to Neon.
# related_resources:
#   - https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
#   - https://github.com/Infisical/infisical/issues/2991
#   - https://github.com/reportportal/kubernetes/issues/252
#   - https://github.com/keycloak/keycloak/blob/main/quarkus/config-api/src/main/java/org/keycloak/config/DatabaseOptions.java
#   - https://github.com/SonarSource/docker-sonarqube/issues/593
#   - https://github.com/temporalio/temporal/issues/6053
#   - https://github.com/mlflow/mlflow/issues/9513
#   - https://github.com/community-charts/helm-charts/issues/276
#   - https://github.com/8gears/n8n-helm-chart/issues/113
#   - https://github.com/apache/superset/issues/32217
#   - https://github.com/grafana/grafana/issues/91773
#   - https://github.com/langfuse/langfuse/issues/3923
#   - https://github.com/dani-garcia/vaultwarden/blob/main/src/db/mod.rs
#   - https://github.com/opf/helm-charts/issues/229
#   - https://github.com/neondatabase/website/issues/685
#   - https://github.com/Oteemo/charts/issues/273
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the character percent-encoded (%2F, %3F, %23, %40, %25), or take a password of letters and digits.
#   sources: []
package walguard.checks.access.connection_uri

import data.walguard.lib.finding
import data.walguard.model.addresses

findings contains f if {
	some address in addresses.broken
	f := finding.with_severity(
		finding.at(address, sprintf("The password in this connection URI has a %q, which ends its part: programs read another host, or none. Write %s for it, or take a password of letters and digits.", [address.mark, encoded[address.mark]])),
		severity[address.mark in {"/", "?", "#"}],
	)
}

# Programs differ in what they make of the others: some take the last "@" for the end.
severity := {true: "error", false: "warning"}

encoded := {"/": "%2F", "?": "%3F", "#": "%23", "@": "%40", "%": "%25"}

findings contains f if {
	some address in addresses.modes
	f := finding.at(address, sprintf("There is no sslmode %q, and programs end with that before they connect. Write disable, prefer, require, verify-ca or verify-full.", [address.mode]))
}

findings contains f if {
	some fault in addresses.mistaken
	f := object.union(
		finding.at(fault, sprintf("%s of %s %s. %s.", [fault.name, fault.client, fault.fault, fault.cure])),
		{"severity": level | level := fault.level},
	)
}
