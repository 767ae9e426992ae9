package walguard.operators.workload

import data.walguard.lib.get

# scripts/lib_functions.sh of kartoza/postgis leaves a lock file beside the scripts of the first start, and touches it under "set -e". Of the majors from 14 on, images built before
# September 2024 put it into another directory (issue 479).
locked_out := [{
	"reason": "The image writes a lock file into /docker-entrypoint-initdb.d, and what is mounted there cannot be written to: \"Read-only file system\"",
	"cure": "Mount the scripts one by one with subPath, or set SCRIPTS_LOCKFILE_DIR to a directory of the volume",
	"level": "error",
	"path": array.concat(container_path, ["volumeMounts"]),
} |
	regex.match(`(^|/)kartoza/postgis(:|@|$)`, get.string(container, "image"))
	not regex.match(`20(2[1-3][.-][0-9]|24[.-]0?[1-8])`, get.string(container, "image"))
	not first_of(["SCRIPTS_LOCKFILE_DIR"])
	not unknown(["SCRIPTS_LOCKFILE_DIR"])
	some mounted in get.list(container, "volumeMounts")
	regex.match(`^/docker-entrypoint-initdb\.d/?$`, get.string(mounted, "mountPath"))
	not get.string(mounted, "subPath")
	not writable(mounted)
]

writable(mounted) if {
	not get.boolean(mounted, "readOnly")
	volume := object.get(volumes, [mounted.name, "volume"], {})
	count([1 | some kind in ["configMap", "secret", "projected"]; get.present(volume, kind)]) == 0
}
