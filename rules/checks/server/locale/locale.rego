# METADATA
# title: A locale that initdb does not find
# description: |
#   A locale is a name such as C, C.UTF-8 or en_US.UTF-8; UTF8 is an encoding. initdb refuses it – "invalid locale name" – and the
#   cluster never gets its first instance. Nor does it where the image lacks the locale: the minimal images of CloudNativePG have those of the C library
#   alone, the official image of Debian en_US as well, and so have those of PostGIS and pgvector. LANG and LC_ALL of the container count where initdb is told no locale; a server that has its data
#   starts with any. The parameters lc_messages, lc_monetary, lc_numeric and lc_time are looked up at every start: without the locale there is none.
# related_resources:
#   - https://www.postgresql.org/docs/current/locale.html
#   - https://www.postgresql.org/docs/current/app-initdb.html#APP-INITDB-OPTION-LOCALE
#   - https://github.com/cloudnative-pg/postgres-containers
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write a locale (C.UTF-8, en_US.UTF-8), and the encoding where the encoding goes.
#   sources: []
package walguard.checks.server.locale

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.image as images
import data.walguard.lib.placeholder
import data.walguard.model
import data.walguard.model.before
import data.walguard.model.image

encodings := {"utf8", "utf-8", "utf_8", "unicode", "latin1", "latin9", "sql_ascii", "win1252", "iso-8859-1"}

findings contains f if {
	some locale in model.cluster.locales
	not past(locale)
	get.lower_case(locale.value) in encodings
	f := finding.at(locale, sprintf("%s=%s is an encoding, not a locale: initdb fails. Write C.UTF-8, or a locale of the image such as en_US.UTF-8.", [locale.name, locale.value]))
}

findings contains f if {
	has := images.locales(image.reference)
	some locale in model.cluster.locales
	not past(locale)
	name := replace(get.lower_case(locale.value), "utf-8", "utf8")
	not placeholder.unknown(locale.value)
	regex.match(`^[a-z]{2,3}_[A-Za-z]{2}`, locale.value)
	not name in has
	f := finding.at(locale, sprintf("%s=%s, and the image %s has no such locale: initdb fails. Take an image that has it%s, or C.UTF-8.", [locale.name, locale.value, image.reference, other(image.reference)]))
}

# The same of parameters, which a server reads at every start.
findings contains f if {
	has := images.locales(image.reference)
	some name in ["lc_messages", "lc_monetary", "lc_numeric", "lc_time"]
	setting := model.written[name]
	value := replace(get.lower_case(setting.text), "utf-8", "utf8")
	value != ""
	not placeholder.holds(setting.text)
	not value in has
	rejection := model.rejection_of("string")
	f := finding.with_severity(
		finding.at(setting, sprintf("%s=%s: the image %s has no such locale, and %s. Take an image that has it%s, or write C.UTF-8.", [name, setting.text, image.reference, rejection.consequence, other(image.reference)])),
		rejection.severity,
	)
}

# The environment of a server that exists is no longer read by initdb.
past(locale) if {
	locale.inherited
	before.cluster
}

other(reference) := sprintf(" (%s)", [replace(reference, "-minimal", "-standard")]) if contains(reference, "-minimal")

other(reference) := "" if not contains(reference, "-minimal")
