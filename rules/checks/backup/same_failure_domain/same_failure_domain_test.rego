package walguard.checks.backup.same_failure_domain_test

import data.walguard.checks.backup.same_failure_domain as check
import data.walguard.model

repository(name, store) := {"name": name, "store": store, "retention": true, "cure": "x", "path": ["spec", name]}

findings(repositories) := found if found := check.findings with model.repositories as repositories

test_volumes_only if {
	findings([repository("repo1", "volume"), repository("repo2", "volume")]) == {{
		"message": "All backups are on volumes next to the data (repo1, repo2): losing the storage or the namespace loses both. Add a repository in object storage elsewhere.",
		"path": ["spec", "repo1"],
	}}
}

test_elsewhere_too if findings([repository("repo1", "volume"), repository("repo2", "objects")]) == set()

test_silent_when_unknown if {
	findings([]) == set()
	check.findings == set() with input as {"review": {"object": {"apiVersion": "v1", "kind": "Secret"}}}
}
