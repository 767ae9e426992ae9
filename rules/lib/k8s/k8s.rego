# METADATA
# description: |
#   The envelope. Whatever a host hands in – the canonical review, an AdmissionReview, a Kubewarden request, a
#   Gatekeeper review, a bare object (conftest), a List, conftest's --combine – is read here into one form, and
#   nothing else in the rules reads `input.review`, `input.request` or a bare `input`.
#
#   Canonical form, which every host of ours sends:
#   {"review": {"object", "oldObject"?, "operation"?, "namespace"?, "userInfo"?, "namespaceObject"?},
#    "parameters"?: settings, "inventory"?: see walguard.lib.inventory, "now"?: RFC 3339}
package walguard.lib.k8s

import data.walguard.lib.get

# METADATA
# description: The review when the input holds exactly one. Undefined for lists of documents and for a non-object.
review := input.review if reviewed

reviewed if {
	is_object(input)
	is_object(input.review)
}

review := input.request if {
	is_object(input)
	not reviewed
	requested
	not request_of_object
}

review := {"object": input} if {
	is_object(input)
	not reviewed
	not requested
	is_string(input.kind)
	not is_list
}

# A call with an undefined argument is undefined even under `not`, hence these rules.
requested if is_object(input.request)

request_of_object if is_string(input.request.kind)

is_list if {
	is_object(input)
	endswith(input.kind, "List")
	is_array(input.items)
}

# METADATA
# description: |
#   The objects of an input that holds several: the items of a List, the documents of conftest --combine (each
#   {"path", "contents"}; contents may be a list of documents again, or Lists). Non-objects are left out.
documents := [document |
	some content in contents
	some document in flat(content)
	is_object(document)
]

contents := [input] if is_list

contents := [content |
	some file in input
	is_object(file)
	some content in each(file.contents)
] if {
	is_array(input)
}

each(value) := value if is_array(value)

each(value) := [value] if is_object(value)

flat(content) := content.items if {
	endswith(content.kind, "List")
	is_array(content.items)
}

listed(content) if is_array(content.items)

flat(content) := [content] if not listed(content)

# METADATA
# description: The object under review; on DELETE there is none.
object := review.object if is_object(review.object)

# METADATA
# description: The object before the change, on UPDATE; of a file the one that it replaces, where the host compares two (`lint --since`).
old_object := review.oldObject if {
	is_object(review.oldObject)
	changes
}

changes if operation == "UPDATE"

changes if not operation

# METADATA
# description: The object as it was before it is changed or deleted.
changed := review.oldObject if {
	operation in {"UPDATE", "DELETE"}
	is_object(review.oldObject)
}

# METADATA
# description: True of a deletion.
removed if operation == "DELETE"

operation := get.string(review, "operation")

# METADATA
# description: Which of several clusters the review is about that it changes, or holds, all at once (walguard.each); undefined for the first.
chosen := get.string(review, "chosen")

# METADATA
# description: Who asks, undefined where the host does not say; and the groups, [] likewise.
user := get.string(review, ["userInfo", "username"])

groups := get.list(review, ["userInfo", "groups"])

# METADATA
# description: The Namespace of the object, where the host sends it along. Gatekeeper sends an empty one where it knows none.
namespace_object := review.namespaceObject if {
	is_object(review.namespaceObject)
	count(review.namespaceObject) > 0
}

# METADATA
# description: |
#   What the host noticed in the text of the manifest, of which nothing is left in the object: [{"path", "first_line", "second_line",
#   "by": "key" | "merge"}], a key that is written twice or replaced by a merge, and {"by": "comment", …}, a comment that ignores findings
#   (walguard.checks.manifest.ignore_comment reads those). [] where the host reads no text.
notices := get.list(review, "notices")

# METADATA
# description: When the object was made, in nanoseconds since 1970; a file does not say, that is 0.
created := creation(object)

# METADATA
# description: The same of another object.
creation(o) := moment if {
	moment := time.parse_rfc3339_ns(get.string(o, ["metadata", "creationTimestamp"]))
}

creation(o) := 0 if not get.string(o, ["metadata", "creationTimestamp"])

# METADATA
# description: |
#   True when the object is on its way out (finalizers are running), so that nothing may block that. It lives until the last finalizer is gone, which
#   may be its author's: a change of more than metadata and status is judged. Only the API server says so; a file may say anything.
deleting if {
	operation == "UPDATE"
	get.present(object, ["metadata", "deletionTimestamp"])
	substance(object) == substance(review.oldObject)
}

substance(o) := {key: value |
	some key, value in o
	not key in {"metadata", "status"}
}

api_version := get.string(object, "apiVersion")

kind := get.string(object, "kind")

# METADATA
# description: API group of the object, "" for the core group.
group := group_of(api_version)

# METADATA
# description: The group of an apiVersion.
group_of(text) := split(text, "/")[0] if contains(text, "/")

group_of(text) := "" if not contains(text, "/")

# METADATA
# description: Name of the object; the generateName with a star when the API server is to choose it; "" when there is none.
name := get.string(object, ["metadata", "name"])

name := concat("", [get.string(object, ["metadata", "generateName"]), "*"]) if {
	not get.string(object, ["metadata", "name"])
	get.string(object, ["metadata", "generateName"])
}

name := "" if {
	not get.string(object, ["metadata", "name"])
	not get.string(object, ["metadata", "generateName"])
}

# METADATA
# description: Namespace of the object, "default" where a manifest names none.
namespace := get.string(object, ["metadata", "namespace"])

namespace := get.string(review, "namespace") if {
	not get.string(object, ["metadata", "namespace"])
	get.string(review, "namespace")
}

namespace := "default" if {
	not get.string(object, ["metadata", "namespace"])
	not get.string(review, "namespace")
}

annotations := get.map(object, ["metadata", "annotations"])

labels := get.map(object, ["metadata", "labels"])

# METADATA
# description: The reference of an object as findings carry it.
reference(o) := {
	"apiVersion": object_text(o, "apiVersion"),
	"kind": object_text(o, "kind"),
	"namespace": object_text(get.map(o, "metadata"), "namespace"),
	"name": object_text(get.map(o, "metadata"), "name"),
}

object_text(o, key) := get.string(o, key)

object_text(o, key) := "" if not get.string(o, key)

# METADATA
# description: |
#   The moment of judgement in nanoseconds since 1970: `now` of the input (RFC 3339) where the host gives one, so
#   that a verdict can be repeated; else the clock.
now_nanoseconds := time.parse_rfc3339_ns(input.now) if is_string(input.now)

now_nanoseconds := time.now_ns() if not told

told if is_string(input.now)

# METADATA
# description: True of an object that is about to be made. In files that is one which no API server has.
new if operation == "CREATE"

new if {
	not operation
	created == 0
}
