package walguard.operators.zalando

import data.walguard.lib.get
import data.walguard.lib.placeholder

# What the schema asks of the entries of users, additionalVolumes and volume (manifests/postgresql.crd.yaml).
refused_entries := array.concat(
	[{
		"by": "The API server",
		"path": ["spec", "users", name],
		"reason": sprintf("the flags of user %s are the text %s", [name, flags]),
		"cure": sprintf("Write a list: [%s]", [flags]),
	} |
		some name, flags in get.map(spec, "users")
		is_string(flags)
		flags != ""
		not placeholder.holds(flags)
		not placeholder.holds(name)
	],
	[{
		"by": "The API server",
		"path": ["spec", "additionalVolumes", i],
		"reason": sprintf("volume %s of additionalVolumes has no volumeSource", [one.name]),
		"cure": "Write what it is, such as emptyDir, below volumeSource",
	} |
		placeholder.honoured
		some i, one in get.list(spec, "additionalVolumes")
		get.string(one, "name")
		get.string(one, "mountPath")
		object.get(one, "volumeSource", null) == null
		count([1 | some field, _ in one; placeholder.holds(field)]) == 0
	],
)
