# METADATA
# title: Parameters may come from a place that is not read
# description: |
#   PostgreSQL takes parameters from more places than the resource: files that others include, postgresql.auto.conf, which ALTER SYSTEM writes,
#   scripts of the first start, objects that are named but were not given. Every finding about the cluster assumes that nothing is set
#   there. docs/sources.md lists the places by operator. What an init container, a sidecar, another Pod, the server's own script or a command among the
#   parameters writes to postgresql.auto.conf or sets by ALTER SYSTEM is one of them. A warning where an object is named that is not there (it may come later, with
#   anything in it), where a file is included, SQL says ALTER SYSTEM, or what is said there loses data; else info. A ConfigMap by itself, which a server may mount that is not in sight, is
#   such a place where it says what loses data.
# related_resources:
#   - https://www.postgresql.org/docs/current/config-setting.html
# custom:
#   severity: info
#   since: 0.1.0
#   remediation: Write parameters where the operator takes them, and bring the object that is named into sight (--context).
#   sources: []
package walguard.checks.parameters.unread_source

import data.walguard.lib.finding
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.script
import data.walguard.model
import data.walguard.model.commanded
import data.walguard.model.containers
import data.walguard.model.outsiders
import data.walguard.model.substituted

findings contains f if {
	some place in array.concat(array.concat(get.list(model.cluster, "unread"), substituted.setting), array.concat(containers.setting, outsiders.setting))
	f := finding.with_severity(
		finding.at(place, sprintf("Parameters can also come from %s, which walguard does not read%s. %s", [place.source, because(place), advice(place)])),
		severity(place),
	)
}

# A claim that is filled with another one's files has the postgresql.auto.conf of a server that nobody names.
findings contains f if {
	some set in model.cluster.instance_sets
	not set.data.resource
	some field in ["dataSource", "dataSourceRef"]
	path := array.concat(set.data.path, [field])
	get.present(k8s.object, path)
	count([1 | some place in get.list(model.cluster, "unread"); place.path == path]) == 0
	f := finding.with_severity(
		finding.at_path(path, sprintf("Parameters can also come from the postgresql.auto.conf of the copied volume, which walguard does not read. %s", [advice({})])),
		"info",
	)
}

# What the server itself runs, or writes where it reads parameters.
findings contains f if {
	some name, setting in model.written
	what := own_words(name, setting.text)
	f := finding.with_severity(
		finding.at(setting, sprintf("Parameters can also come from what %s %s, which walguard does not read. %s", [name, what, advice({})])),
		severity_of(setting.text),
	)
}

# Its script lies on a volume.
findings contains f if {
	some one in commanded.setting
	count([1 | some other in containers.setting; array.slice(one.path, 0, count(other.path)) == other.path]) == 0
	f := finding.with_severity(
		finding.at(one, sprintf("Parameters can also come from the script on a volume that %s runs, which walguard does not read. %s", [one.name, advice({})])),
		one.severity,
	)
}

own_words(name, text) := "runs" if {
	endswith(name, "_command")
	sets(text)
}

own_words("log_filename", text) := "says the server writes" if endswith(text, ".conf")

sets(text) if script.sets(text)

sets(text) if script.hides(text)

severity_of(text) := "warning" if script.dangerous(text)

severity_of(text) := inventory.unread if not script.dangerous(text)

# Libraries that are no part of PostgreSQL's installation do in the server what they want.
findings contains f if {
	some name in ["archive_library", "dynamic_library_path", "extension_control_path", "jit_provider", "local_preload_libraries", "oauth_validator_libraries", "session_preload_libraries", "shared_preload_libraries"]
	setting := model.written[name]
	libraries := [library |
		some part in split(replace(setting.text, ":", ","), ",")
		library := trim(part, `"' `)
		startswith(library, "/")
		not regex.match(`^/(usr|opt|lib|lib64|nix|extensions)/`, library)
	]
	count(libraries) > 0
	f := finding.with_severity(
		finding.at(setting, sprintf("Parameters can also come from the library %s, which walguard does not read: %s loads it into the server. %s", [libraries[0], name, advice({})])),
		"info",
	)
}

# Many clusters may share one configuration, and what does not suit the last of them is no fault of the first.
findings contains f if {
	count(model.cluster.others) > model.together
	f := finding.with_severity(
		finding.at_path(shared_path, sprintf("%d clusters take their parameters from here, and walguard checked %d of them. Give them configurations of their own", [count(model.cluster.others) + 1, model.together + 1])),
		"warning",
	)
}

shared_path := model.cluster.parameters_path if count(model.cluster.parameters_path) > 0

shared_path := ["metadata", "name"] if count(model.cluster.parameters_path) == 0

# A name that somebody fills in later may be any.
findings contains f if {
	some setting in model.cluster.parameters
	placeholder.unknown(setting.name)
	f := finding.with_severity(
		finding.at(setting, sprintf("The name of a parameter is filled in later (%s), so that walguard does not know what is set. Write the name here", [setting.name])),
		"warning",
	)
}

because(place) := sprintf(": %s", [place.reason]) if place.reason

because(place) := ": it was not found" if {
	place.missing
	not place.reason
}

because(place) := "" if {
	not place.missing
	not place.reason
}

advice(place) := "Create it before the cluster that names it, or give it to walguard (--context)" if place.missing

advice(place) := place.cure if {
	place.cure
	not place.missing
}

advice(place) := "Make sure that nothing is set there that this resource should say" if {
	not place.missing
	not place.cure
}

severity(place) := place.severity if place.severity

severity(place) := "warning" if {
	not place.severity
	place.missing
	model.complete
}

severity(place) := "info" if {
	not place.severity
	not judged_by_absence(place)
}

judged_by_absence(place) if {
	place.missing
	model.complete
}
