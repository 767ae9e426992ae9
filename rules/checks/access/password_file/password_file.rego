# METADATA
# title: libpq takes no password from a file that others may read, or that has none of its lines
# description: |
#   psql, pg_dump and every other client of libpq, pgAdmin by the PassFile of its servers.json among them, take a password from PGPASSFILE or ~/.pgpass only when neither the group nor others may read the file: 'WARNING: password file has
#   group or world access; permissions should be u=rw (0600) or less', and then "no password supplied". A Secret is mounted with mode 0644 unless defaultMode says otherwise,
#   and with an fsGroup the kubelet lets the group read it whatever was written. It belongs to root, so that with 0600 no other user reads it. Nor does it take one from a file without a line host:port:database:user:password, as from a Secret that has the password alone. A file with a mode that libpq refuses, or that its user cannot read, is an error where the command runs psql, pg_dump or another program of libpq and has no other password.
# related_resources:
#   - https://www.postgresql.org/docs/current/libpq-pgpass.html
#   - https://github.com/kubernetes/kubernetes/issues/57117
#   - https://github.com/bitnami/charts/issues/2345
#   - https://github.com/bitnami/charts/issues/32959
# custom:
#   severity: warning
#   since: 0.1.0
#   remediation: "Give the volume defaultMode: 0600 and the pod no fsGroup, copy the file to an emptyDir with that mode in an init container, or set PGPASSWORD from the Secret."
#   sources: []
package walguard.checks.access.password_file

import data.walguard.lib.finding
import data.walguard.model.passfiles

findings contains f if {
	some file in passfiles.refused
	f := graded(file, finding.at(file, sprintf("The password file %s of %s has mode %s%s, and libpq ignores a file that group or others may read: \"no password supplied\". %s.", [file.file, file.client, file.mode, reason[file.grouped], cure[file.grouped]])))
}

# Neither its own nor another's: an fsGroup would let the group read it.
findings contains f if {
	some file in passfiles.unreadable
	f := graded(file, finding.at(file, sprintf("The password file %s of %s belongs to root with mode %s, and user %d cannot read it: \"no password supplied\". Set PGPASSWORD from the Secret, or copy it in an init container that runs as that user.", [file.file, file.client, file.mode, file.user])))
}

graded(file, f) := finding.with_severity(f, file.level)

graded(file, f) := f if not file.level

findings contains f if {
	some file in passfiles.unformed
	f := finding.at(file, sprintf("The password file %s of %s has no line host:port:database:user:password, and libpq takes no password from it: \"no password supplied\". Set PGPASSWORD from the Secret instead.", [file.file, file.client]))
}

reason := {true: " by the fsGroup of the pod", false: ""}

cure := {
	true: "Copy it to an emptyDir with mode 0600 in an init container, or set PGPASSWORD from the Secret",
	false: "Set defaultMode: 0600 in the volume, or PGPASSWORD from the Secret",
}
