package walguard.operators.kubeblocks

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.text

facts contains {"rewind": rewind} if component.addon == "postgresql"

facts contains {"data_claims": sprintf(`^%s-(.*-)?[0-9]+$`, [usual_claims])} if {
	component_name
	count(prefixes) == 0
}

facts contains {"data_claims": sprintf(`^(%s)-(.*-)?[0-9]+$`, [concat("|", array.concat([usual_claims], prefixes))])} if {
	component_name
	count(prefixes) > 0
}

usual_claims := sprintf("data-%s-%s", [text.literal(cluster_name), text.literal(component_name)])

# Names of one's own for the claims.
prefixes := [text.literal(name) |
	some claim in get.list(component_spec, "volumeClaimTemplates")
	get.string(claim, "name") == "data"
	name := get.string(claim, "persistentVolumeClaimName")
]

# Of two templates of the name the first counts.
claim_of(path) := resized(volumes[0]) if {
	volumes := [volume |
		some i, claim in get.list(home, array.concat(path, ["volumeClaimTemplates"]))
		is_object(claim)
		get.string(claim, "name") == "data"
		volume := at_home(shared.claim(home, array.concat(path, ["volumeClaimTemplates", i, "spec"])))
	]
	count(volumes) > 0
}

resized(volume) := volume if not scaled.data

resized(volume) := object.union(volume, {"size": scaled.data.value, "size_path": scaled.data.path, "own": ["size_path"]}) if scaled.data

data_volume := claim_of(base_path)

data_volume := at_home(shared.volume(["spec", "storage"], ["spec", "storage", "size"], ["spec", "storage"], [
	shared.located(home, ["spec", "storage"], {"size": ["size"]}),
])) if {
	component
	not component.path
	is_object(object.get(home, ["spec", "storage"], null))
}
