package walguard.operators.workload

import data.walguard.lib.cluster as shared
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.sessions
import data.walguard.lib.startup

refused_parameters := array.concat(
	[object.union(
		{
			"reason": sprintf("PgBouncer refuses %s with \"unsupported startup parameter: extra_float_digits\", which its driver always sends", [asking[0].client]),
			"cure": pooler.cure,
			"path": pooler.path,
			"resource": pooler.resource,
		},
		object.filter(asking[0], ["level"]),
	) |
		some pooler in strict_poolers
		not "extra_float_digits" in pooler.passes
		asking := array.concat(
			[object.union({"client": sprintf("container %s", [shared.name_or(beside, i)])}, startup.level_of_exporter(get.string(beside, "image"))) |
				some i, beside in get.list(pooler.made, ["spec", "template", "spec", "containers"])
				startup.exporter_of_pools(get.string(beside, "image"))
			],
			array.concat(
				[object.union({"client": one.client}, startup.level_of_exporter(one.image)) | some one in startup.asking(pooler.names); startup.exporter_of_pools(one.image)],
				[{"client": one.client, "level": "error"} | some one in startup.asking(pooler.names); one.jdbc],
			),
		)
		count(asking) > 0
	],
	startup.refused(strict_poolers),
)

# Those whose settings are in sight, with what they pass over.
strict_poolers := array.concat(
	[{"made": one.made, "names": names, "passes": passes, "option": "ignore_startup_parameters", "cure": "Set ignore_startup_parameters = extra_float_digits in pgbouncer.ini", "path": one.path, "resource": k8s.reference(one.source)} |
		some one in with_a_file("pgbouncer", "pgbouncer.ini", server_in_ini)
		not regex.match(`(?m)^\s*%include`, one.text)
		not placeholder.holds(one.text)
		names := services_of(one.made)
		passes := {trim_space(name) |
			some line in regex.find_all_string_submatch_n(`(?m)^\s*(?:ignore_startup_parameters|track_extra_parameters)\s*=\s*(.*)$`, one.text, -1)
			some name in split(line[1], ",")
		}
	],
	[{"made": one.made, "names": names, "passes": passes, "option": option, "cure": sprintf("Set %s to extra_float_digits", [option]), "path": one.path, "resource": k8s.reference(one.made)} |
		some one in pooling
		some publisher, option in {`(^|/)edoburu/pgbouncer$`: "IGNORE_STARTUP_PARAMETERS", `(^|/)bitnami(legacy|secure)?/pgbouncer$`: "PGBOUNCER_IGNORE_STARTUP_PARAMETERS"}
		regex.match(publisher, image.repository(get.string(one.container, "image")))
		count([1 | some source in get.list(one.container, "envFrom"); not in_hand(source)]) == 0
		count([1 | some variable in get.list(one.container, "env"); get.string(variable, "name") == option; not get.present(variable, "value")]) == 0
		count([1 | some mounted in get.list(one.container, "volumeMounts"); regex.match(`pgbouncer`, get.string(mounted, "mountPath"))]) == 0
		names := services_of(one.made)
		passes := {trim_space(name) | some name in split(object.get(one.values, option, passed_by_default(one)), ",")}
	],
)

# Bitnami's image passes over nothing by itself before 1.21, whose first builds did not either (https://github.com/bitnami/containers/pull/52335).
passed_by_default(one) := "" if {
	regex.match(`(^|/)bitnami(legacy|secure)?/pgbouncer$`, image.repository(get.string(one.container, "image")))
	sessions.released(get.string(one.container, "image")) in numbers.range(0, 20)
} else := "extra_float_digits"
