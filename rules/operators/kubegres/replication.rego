package walguard.operators.kubegres

import data.walguard.lib.get
import data.walguard.lib.hba
import data.walguard.lib.k8s
import data.walguard.lib.login
import data.walguard.lib.probe

# Its key takes the place of the operator's pg_hba.conf, whose replication line the standbys need.
hba_file_path := ["data", "pg_hba.conf"]

facts contains {"hba": lines, "hba_needs": needs} if {
	home
	some holder in hba_holders
	text := get.string(holder, hba_file_path)
	lines := hba.of_text(text, object.union({"path": hba_file_path}, reference_of(holder)))
	needs := [{"type": "host", "database": "replication", "reason": "the standbys stream over the network", "line": "host replication replication all md5"} |
		instances.value > 1
	]
}

# Each key of one's own comes before that of the base configuration (internal/controller/states/ConfigStates.go).
hba_holders := [holder | some holder in [script_holders[0]]] if {
	reviewed_file
}

hba_holders := [with_lines[0]] if {
	reviewed_cluster
	not unseen
	with_lines := [holder | some holder in script_holders; get.string(holder, hba_file_path)]
}

facts contains {"passwords": found} if {
	reviewed_cluster
	found := [{"name": name, "path": ["spec", "env", i, "value"]} |
		some i, variable in get.list(home, ["spec", "env"])
		is_object(variable)
		name := get.string(variable, "name")
		endswith(name, "PASSWORD")
		login.literal(get.string(variable, "value"))
	]
	count(found) > 0
}

facts contains {"liveness": found} if {
	reviewed_cluster
	found := probe.liveness(k8s.object, ["spec", "probe"])
}

facts contains {"locales": found} if {
	home
	found := [{"name": trim_left(word_name, "-"), "value": value, "path": option.path} |
		some option in options
		some word in option.words
		[word_name, value] := split(word, "=")
		word_name in {"--locale", "--lc-collate", "--lc-ctype"}
	]
	count(found) > 0
}
