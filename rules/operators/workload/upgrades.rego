package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.k8s
import data.walguard.lib.probe

# Images that run pg_upgrade before the server takes connections: by their purpose (Sourcegraph's, pgautoupgrade), or told to (Red Hat's). A probe that asks for the port or the
# server fails for as long, and its kubelet kills pg_upgrade.
facts contains {"upgrading": object.union(impatient, {"upgrader": upgrader})} if {
	upgrader
	by_entrypoint
}

upgrader := sprintf("image %s", [image.name(get.string(container, "image"))]) if regex.match(`(^|/)(sourcegraph/(postgres|codeintel-db|codeinsights-db|postgresql)[a-z0-9.-]*|pgautoupgrade/pgautoupgrade)(:|@|$)`, get.string(container, "image"))

upgrader := sprintf("image with POSTGRESQL_UPGRADE=%s", [first_of(["POSTGRESQL_UPGRADE"]).value]) if {
	layout == "sclorg"
	first_of(["POSTGRESQL_UPGRADE"]).value in {"copy", "hardlink"}
}

impatient := probe.until_killed(k8s.object, container_path)
