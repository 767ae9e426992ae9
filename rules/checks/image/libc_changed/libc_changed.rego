# METADATA
# title: The image changes the C library that sorts text
# description: |
#   B-tree indexes on text are in the order that the C library gave when they were built. Another glibc, or musl in its place, sorts some
#   strings otherwise: queries miss rows, unique indexes take duplicates, and nothing complains but a warning about the collation's version. The
#   data of glibc 2.28 reordered a large part of Unicode; later releases changed less (a warning). musl sorts by the
#   bytes whatever the locale is called, so that between it and glibc nearly every index on text is wrong: an error. Databases in the locales C and POSIX, and those of ICU
#   or the builtin provider, do not sort by the C library. Found on UPDATE, where the old image is known.
# related_resources:
#   - https://wiki.postgresql.org/wiki/Locale_data_changes
#   - https://github.com/docker-library/postgres/issues/276
#   - https://www.postgresql.org/docs/current/sql-altercollation.html
# custom:
#   severity: warning
#   since: 0.1.0
#   tables: [lib/image/distributions]
#   remediation: REINDEX what sorts text right after the change, or stay on images of the same distribution.
#   sources: []
package walguard.checks.image.libc_changed

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model
import data.walguard.model.image

findings contains f if {
	image.persistent
	not sorts_otherwise
	other(image.libc_before, image.libc)
	f := object.union(
		finding.at(image.own_image, sprintf("%s becomes %s, which sorts text differently: indexes on text can miss rows or take duplicates. After the change run REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION, in every database.", [
			name(image.libc_before),
			name(image.libc),
		])),
		{"severity": "error" | image.libc_before.family != image.libc.family},
	)
}

other(old, new) if old.family != new.family

other(old, new) if {
	old.family == new.family
	old.version != new.version
}

name(libc) := sprintf("%s (%s %s)", [libc.distribution, libc.family, libc.version]) if libc.version

name(libc) := sprintf("%s (%s)", [libc.distribution, libc.family]) if {
	libc.distribution
	not libc.version
}

name(libc) := libc.family if not libc.distribution

sorts_otherwise if get.lower_case(model.cluster.collation.value) in {"c", "posix", "c.utf-8", "c.utf8", "icu", "builtin"}
