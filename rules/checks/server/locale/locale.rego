# METADATA
# title: An encoding where initdb wants a locale
# description: |
#   A locale is a name such as C, C.UTF-8 or en_US.UTF-8; UTF8 is an encoding. initdb refuses it – "invalid locale name" – and the
#   cluster never gets its first instance.
# related_resources:
#   - https://www.postgresql.org/docs/current/locale.html
#   - https://www.postgresql.org/docs/current/app-initdb.html#APP-INITDB-OPTION-LOCALE
# custom:
#   severity: error
#   since: 0.1.0
#   remediation: Write a locale (C.UTF-8, en_US.UTF-8), and the encoding where the encoding goes.
#   sources: []
package walguard.checks.server.locale

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.model

encodings := {"utf8", "utf-8", "utf_8", "unicode", "latin1", "latin9", "sql_ascii", "win1252", "iso-8859-1"}

findings contains f if {
	some locale in model.cluster.locales
	get.lower_case(locale.value) in encodings
	f := finding.at(locale, sprintf("%s=%s is an encoding, not a locale: initdb fails. Write C.UTF-8, or a locale of the image such as en_US.UTF-8.", [locale.name, locale.value]))
}
