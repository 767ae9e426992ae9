# METADATA
# title: A password or name in a Secret ends with a line break
# description: |
#   "echo secret | base64", and a YAML block after "|", end with a line break, and it is part of the value. initdb takes the first line of the password
#   that the entrypoint of an image gives it, others the whole; what reads the Secret into a variable sends the line break, and who types the password does not:
#   "password authentication failed", though everybody has the right one. In the name of a user or a database it is part of the name, which breaks the line of a pg_hba.conf or a userlist that is made of it,
#   and at the end of an address (postgresql://…/database) of the database's. A key of an object store is sent as it stands: an access key becomes a header that no client sends ("Invalid header value"), a secret
#   key signs otherwise than the store (SignatureDoesNotMatch), and a blank at the end does the same. CloudNativePG hands all of them to Barman Cloud as they are.
# related_resources:
#   - https://kubernetes.io/docs/tasks/configmap-secret/managing-secret-using-config-file/
#   - https://github.com/bitnami/charts/issues/2563
#   - https://github.com/cloudnative-pg/cloudnative-pg/issues/972
#   - https://github.com/cloudnative-pg/barman-cloud/blob/main/pkg/credentials/env.go
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Encode the value without the line break (echo -n, printf), and set the password again in the server.
#   sources: []
package walguard.checks.access.secret_line_break

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.addresses

findings contains f if {
	some value in get.list(model.cluster, "line_breaks")
	f := finding.with_severity(
		finding.at(value, sprintf("The value of %s in Secret %s ends with %s: %s. Encode it without (echo -n).", [value.key, value.secret, object.get(value, "end", "a line break"), value.consequence])),
		value.level,
	)
}

findings contains f if {
	some one in addresses.line_breaks
	f := finding.at(one, sprintf("The address in %s of Secret %s ends with a line break, which becomes part of the database's name: it does not exist. Encode it without (echo -n).", [one.key, one.secret]))
}
