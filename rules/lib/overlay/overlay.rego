# METADATA
# description: Volumes that somebody mounts into the container of a server, over its own files.
package walguard.lib.overlay

import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.mount
import data.walguard.lib.script

# METADATA
# description: |
#   What of it can set parameters, for walguard.model's "unread". mounts: [{"directory", "volume" (the source of the volume), "path"}]; homes: directories of
#   the image with files that the server reads, or scripts that it runs.
unread(mounts, homes) := [{"source": sprintf("what is mounted at %s", [mounted.directory]), "path": mounted.path, "severity": severity(mounted.volume)} |
	some mounted in mounts
	touches(mount.clean(mounted.directory), mounted.volume, homes)
]

# A program, whatever it comes from.
touches(directory, _, _) if regex.match(replaced, directory)

# Files, not a volume to store something on.
touches(directory, volume, homes) if {
	some field in ["configMap", "secret", "projected", "downwardAPI", "csi", "image"]
	get.present(volume, field)
	some home in homes
	mount.within(directory, home)
}

# Of what stores data only what lies over programs and their configuration: beside the data people keep archives.
touches(directory, volume, homes) if {
	some field in ["persistentVolumeClaim", "hostPath", "nfs", "gitRepo", "iscsi", "flexVolume", "ephemeral"]
	get.present(volume, field)
	some home in homes
	regex.match(`^/(etc|kb-scripts|launch\.sh|opt|run|scripts|tools|usr)(/|$)`, home)
	mount.within(directory, home)
}

# What an init container puts there.
touches(directory, volume, homes) if {
	mount.hollow(volume)
	some home in homes
	mount.within(directory, home)
	some name in filled
	name == get.string(volume, "name")
}

filled := {name |
	some path in [["spec", "initContainers"], ["spec", "template", "spec", "initContainers"]]
	some container in get.list(k8s.object, path)
	some mounted in get.list(container, "volumeMounts")
	name := get.string(mounted, "name")
}

# METADATA
# description: Places of the programs, scripts and samples that a server is started or made with.
replaced := concat("|", [
	`^/etc/ld\.so\.(preload|cache|conf|conf\.d(/.*)?)$`,
	`^/run/postgres\.yml$`,
	`/(dist|site)-packages(/|$)`,
	`^/usr/local/bin$|^(/usr)?/s?bin(/[^/]+)?$|/openssl\.cnf$`,
	`^(/usr(/local)?)?/lib(64)?(/[^/]+-linux-[^/]+)?(/[^/]+\.so[.0-9]*|/gconv(/.*)?)?$`,
	`^/usr/(local/)?(lib|share)/postgresql(/[0-9]+)?(/(bin|lib|extension|(lib/)?bitcode(/.*)?))?(/[^/]+\.(so|sql|bki|sample|control))?$`,
	`/(postgres|initdb|pg_ctl|gosu|su-exec|docker-entrypoint\.sh|docker-ensure-initdb\.sh|postgresql\.conf\.sample)$`,
	`^/usr/share/(perl5|postgresql-common)(/|$)|/\.?psqlrc(-[0-9.]+)?$`,
	`^/opt/bitnami/scripts(/|$)`,
	`^/opt/bitnami/postgresql(/(bin|share)(/.*)?)?$`,
	`^/docker-entrypoint-(pre)?initdb\.d(/|$)`,
	`/postgres(ql)?(\.auto|\.base)?\.conf$`,
])

severity(volume) := "warning" if {
	found := inventory.namespaced_object(k8s.namespace, "v1", "ConfigMap", get.string(volume, ["configMap", "name"]))
	some text in get.map(found, "data")
	is_string(text)
	script.dangerous(text)
} else := inventory.unread
