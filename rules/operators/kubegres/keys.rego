package walguard.operators.kubegres

import data.walguard.lib.k8s
import data.walguard.lib.keys

# spec.env is the environment of all its containers.
facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

missing_keys := [found |
	reviewed_cluster
	some found in keys.of_environment(["spec"], k8s.object.spec)
]
