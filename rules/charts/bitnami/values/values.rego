# METADATA
# description: |
#   What the values of a release say, and what Helm and Bitnami's library chart `common` make of it. A release is {"values", "whole", "chart", "major"?, "name"?,
#   "namespace"?}: whole where nothing but the chart's defaults lies below the values.
# related_resources:
#   - https://github.com/bitnami/charts/tree/main/bitnami/common/templates
package walguard.charts.bitnami.values

import data.walguard.lib.get
import data.walguard.lib.placeholder

# METADATA
# description: The value at a path, undefined where nobody wrote one.
said(release, path) := value if {
	value := object.get(release.values, path, null)
	value != null
}

# METADATA
# description: The value at a path, or the default of every release; a placeholder where somebody else may have written one.
value(release, path, usual) := given if {
	given := said(release, path)
} else := usual if {
	release.whole
} else := placeholder.elsewhere

# METADATA
# description: The value at a path, where Go's templates take it for true.
filled(release, path) := given if {
	given := said(release, path)
	truthy(given)
}

# METADATA
# description: True unless a template takes the value for false.
truthy(given) if not given in {"", false, 0, null, [], {}}

# METADATA
# description: True where a switch is on for certain.
on(release, path, usual) if {
	given := value(release, path, usual)
	truthy(given)
	given != placeholder.elsewhere
	not placeholder.holds(given)
}

# METADATA
# description: True where a switch is off for certain.
off(release, path, usual) if {
	given := value(release, path, usual)
	not truthy(given)
}

# METADATA
# description: A text as Helm renders it, as far as the name of the release is its only template.
filled_in(release, text) := regex.replace(text, `\{\{-?\s*\.Release\.Name\s*-?\}\}`, release_name(release)) if is_string(text)

# METADATA
# description: The name of a release, or a placeholder.
release_name(release) := object.get(release, "name", "${RELEASE}")

# METADATA
# description: The namespace, undefined where it is not known.
namespace(release) := given if {
	given := filled(release, ["namespaceOverride"])
} else := release.namespace

# METADATA
# description: As `trunc 63 | trimSuffix "-"` has it.
trunc(text) := trim_suffix(substring(text, 0, 63), "-")

# METADATA
# description: The image at a path, as common.images.image has it.
image(release, path, usual) := concat("", [prefix, repository, suffix(release, path, usual)]) if {
	repository := repository_of(release, path, usual)
	prefix := concat("/", [registry(release, path), ""])
}

repository_of(release, path, usual) := get.text(object.get(release.values, array.concat(path, ["repository"]), usual.repository))

# Another values file may name one.
registry(release, path) := given if {
	given := filled(release, ["global", "imageRegistry"])
} else := given if {
	given := filled(release, array.concat(path, ["registry"]))
} else := "docker.io" if {
	release.whole
} else := "docker.io" if {
	said(release, array.concat(path, ["repository"]))
} else := placeholder.elsewhere

suffix(release, path, _) := sprintf("@%s", [digest]) if {
	digest := filled(release, array.concat(path, ["digest"]))
}

suffix(release, path, usual) := sprintf(":%s", [tag]) if {
	not filled(release, array.concat(path, ["digest"]))
	tag := get.text(object.get(release.values, array.concat(path, ["tag"]), usual.tag))
}

# METADATA
# description: What common.resources.preset gives; undefined for a name that it refuses.
preset(word) := presets[word]

presets := {name: {"requests": {"cpu": row[0], "memory": row[1], "ephemeral-storage": "50Mi"}, "limits": {"cpu": row[2], "memory": row[3], "ephemeral-storage": storage}} |
	some name, row in {
		"nano": ["100m", "128Mi", "150m", "192Mi"],
		"micro": ["250m", "256Mi", "375m", "384Mi"],
		"small": ["500m", "512Mi", "750m", "768Mi"],
		"medium": ["500m", "1024Mi", "750m", "1536Mi"],
		"large": ["1.0", "2048Mi", "1.5", "3072Mi"],
		"xlarge": [placeholder.elsewhere, placeholder.elsewhere, "3.0", "6144Mi"],
		"2xlarge": [placeholder.elsewhere, placeholder.elsewhere, "6.0", "12288Mi"],
	}

	# Releases of the library chart differ in it, and in what the largest request.
	storage := placeholder.elsewhere
}

# METADATA
# description: Resources as a chart takes them – those that are written, or a preset's.
resources(written, _) := written if truthy(written)

resources(written, word) := {} if {
	not truthy(written)
	word == "none"
}

resources(written, word) := preset(word) if not truthy(written)

# Nobody knows which: not even whether there are any.
resources(written, word) := {list: {name: placeholder.elsewhere | some name in ["cpu", "memory"]} | some list in ["requests", "limits"]} if {
	not truthy(written)
	word != "none"
	not presets[word]
}

# METADATA
# description: A map of Kubernetes without the switch that the charts add to it, over its defaults.
context(written, usual) := object.remove(object.union(usual, written), {"enabled"})

# METADATA
# description: |
#   Entries of a list with where each was written – {"item", "to"}.
entries(list, at) := [{"item": item, "to": array.concat(at, [i])} | some i, item in list]

# METADATA
# description: Where the items of such a list stand.
paths(from, listed) := [{"from": array.concat(from, [i]), "to": one.to} | some i, one in listed]

# METADATA
# description: The items of such a list.
items(listed) := [one.item | some one in listed]
