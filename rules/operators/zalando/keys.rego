package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.keys

# spec.env is the environment of the server, and its sidecars and init containers have their own.
facts contains {"missing_keys": missing_keys} if count(missing_keys) > 0

missing_keys := array.concat(
	[found | recognised; some found in keys.of_environment(["spec"], spec)],
	[found |
		recognised
		some field in ["sidecars", "initContainers"]
		some i, container in get.list(spec, field)
		some found in keys.of_environment(["spec", field, i], container)
	],
)
