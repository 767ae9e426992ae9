package walguard.checks.change.locale_test

import data.walguard.checks.change.locale as check
import data.walguard.lib.manifest_test as manifests

updated(old, new) := {"review": {"operation": "UPDATE", "object": new.review.object, "oldObject": old.review.object}}

initdb(locale) := manifests.review({}, {"bootstrap": {"initdb": {"locale": locale}}})

test_another_locale if {
	check.findings == {{
		"message": "locale goes from C.UTF-8 to de_DE.UTF-8, but the locale of a cluster is fixed by initdb. Write C.UTF-8 again; another one needs a new cluster.",
		"path": ["spec", "bootstrap", "initdb", "locale"],
	}} with input as updated(initdb("C.UTF-8"), initdb("de_DE.UTF-8"))
}

test_the_same if check.findings == set() with input as updated(initdb("C"), initdb("C"))

# A section that was taken out after the first start says nothing.
test_silent_without_both if {
	check.findings == set() with input as initdb("C")
	check.findings == set() with input as updated(initdb("C"), manifests.review({}, {}))
	check.findings == set() with input as updated(manifests.review({}, {}), initdb("C"))
}
