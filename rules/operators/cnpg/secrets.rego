package walguard.operators.cnpg

import data.walguard.lib.get
import data.walguard.lib.k8s
import data.walguard.lib.placeholder
import data.walguard.lib.text

# Secrets that the operator makes for other settings only (internal/controller/cluster_create.go, reconcileSuperuserSecret and reconcileAppUserSecret); see walguard.model.
facts contains {"unmade_secrets": unmade_secrets} if count(unmade_secrets) > 0

unmade_secrets := array.concat(unmade_superuser, unmade_owner)

facts contains {"made_secrets": made_secrets} if count(made_secrets) > 0

made_secrets := [sprintf("%s-%s", [k8s.name, suffix]) |
	operator
	not placeholder.holds(k8s.name)
	some suffix in ["app", "superuser"]
	count([1 | some one in unmade_secrets; regex.match(one.names, sprintf("%s-%s", [k8s.name, suffix]))]) == 0
]

superuser_secret := sprintf("%s-superuser", [k8s.name])

unmade_superuser := [object.union(fault, {"names": sprintf(`^%s$`, [text.literal(superuser_secret)]), "made": []}) |
	operator
	count(spec) > 0
	not placeholder.holds(k8s.name)
	not get.unknown(spec, "enableSuperuserAccess")
	named := object.get(spec, ["superuserSecret", "name"], "")
	is_string(named)
	named != superuser_secret
	not placeholder.holds(named)
	fault := without_superuser(named)
]

without_superuser(_) := {
	"reason": "enableSuperuserAccess is not true",
	"cure": "set it, or log in as the owner of the database",
} if {
	not get.boolean(spec, "enableSuperuserAccess")
}

without_superuser(named) := {
	"reason": sprintf("superuserSecret names %s", [named]),
	"cure": sprintf("ask for %s", [named]),
} if {
	get.boolean(spec, "enableSuperuserAccess")
	named != ""
}

# What a former manifest had it make stays, in a cluster that runs.
unmade_owner := [object.union({"level": "warning" | get.present(k8s.object, ["status", "phase"])}, {
	"names": sprintf(`^%s-app$`, [text.literal(k8s.name)]),
	"made": [],
	"reason": sprintf("bootstrap.%s.secret names %s", [way, owner_secret]),
	"cure": sprintf("ask for %s, or take it out there", [owner_secret]),
}) |
	operator
	way := owner_path[2]
	owner_secret != sprintf("%s-app", [k8s.name])
	not placeholder.holds(owner_secret)
	not placeholder.holds(k8s.name)
	not get.present(spec, "replica")
]
