# METADATA
# title: The Secret belongs to another user than the owner of the database
# description: |
#   The Secret that the cluster takes the password of the database's owner from names another user. CloudNativePG refuses it when it
#   applies the password ("wrong username in secret"): the role never gets one, the cluster does not become ready, and applications that log in with the Secret
#   fail.
# related_resources:
#   - https://cloudnative-pg.io/docs/current/bootstrap#bootstrap-an-empty-cluster-initdb
#   - https://github.com/cloudnative-pg/cloudnative-pg/blob/main/internal/management/controller/instance_controller.go
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write the same name as owner and as username of the Secret.
#   sources: []
package walguard.checks.access.secret_owner_mismatch

import data.walguard.lib.finding
import data.walguard.model

findings contains f if {
	mismatch := model.cluster.login_mismatch
	trim_space(mismatch.login) != mismatch.value
	f := finding.at(mismatch, sprintf("The database belongs to %s, but Secret %s is for user %s: the operator refuses it and %s gets no password. Use one name in both.", [
		mismatch.value,
		mismatch.secret,
		mismatch.login,
		mismatch.value,
	]))
}

# What "echo name | base64" makes.
findings contains f if {
	mismatch := model.cluster.login_mismatch
	trim_space(mismatch.login) == mismatch.value
	f := finding.at(mismatch, sprintf("The username in Secret %s ends with a space or line break, so that it is not %s: the operator refuses it. Encode it without (echo -n).", [mismatch.secret, mismatch.value]))
}
