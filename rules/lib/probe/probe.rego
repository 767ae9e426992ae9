# METADATA
# description: Probes of a container that ask the server whether it takes connections, which it does not do while it recovers.
# related_resources:
#   - https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
#   - https://www.postgresql.org/docs/current/app-pg-isready.html
package walguard.lib.probe

import data.walguard.lib.get

# METADATA
# description: |
#   How long a server may take from its start until it takes connections, before its container is killed:
#   {"value": seconds, "probe": its name, "origin", "path", "starting"?: true}. Undefined when nothing kills it, or when a probe does that asks otherwise:
#   the port is open from the first moment, and what a program of one's own does is not known.
patience(parent, path) := object.union(window(parent, path, "startupProbe"), {"starting": true}) if get.present(parent, array.concat(path, ["startupProbe"]))

patience(parent, path) := window(parent, path, "livenessProbe") if not get.present(parent, array.concat(path, ["startupProbe"]))

window(parent, path, probe) := {
	"value": delay + (failures * period),
	"probe": probe,
	"origin": "written",
	"path": place,
} if {
	place := array.concat(path, [probe])
	asks_the_server(concat(" ", [word | some word in get.list(parent, array.concat(place, ["exec", "command"])); is_string(word)]))
	delay := seconds(parent, array.concat(place, ["initialDelaySeconds"]), 0)
	failures := seconds(parent, array.concat(place, ["failureThreshold"]), 3)
	period := seconds(parent, array.concat(place, ["periodSeconds"]), 10)
}

# METADATA
# description: |
#   How long a container lives whose server does not take connections at all, nor opens its port: {"value": seconds, "probe", "origin", "path"}. Undefined without such a probe, or
#   where one asks otherwise.
until_killed(parent, path) := bound(parent, path, "startupProbe") if get.present(parent, array.concat(path, ["startupProbe"]))

until_killed(parent, path) := bound(parent, path, "livenessProbe") if not get.present(parent, array.concat(path, ["startupProbe"]))

bound(parent, path, probe) := window(parent, path, probe)

bound(parent, path, probe) := {"value": delay + (failures * period), "probe": probe, "origin": "written", "path": place} if {
	place := array.concat(path, [probe])
	get.present(parent, array.concat(place, ["tcpSocket"]))
	delay := seconds(parent, array.concat(place, ["initialDelaySeconds"]), 0)
	failures := seconds(parent, array.concat(place, ["failureThreshold"]), 3)
	period := seconds(parent, array.concat(place, ["periodSeconds"]), 10)
}

# A script that looks at the exit code may let 1 (recovering) pass.
asks_the_server(command) if {
	some program in ["pg_isready", "psql"]
	contains(command, program)
	not contains(command, "$?")
	not contains(command, "||")
	not contains(command, ";")
}

seconds(parent, path, _) := floor(get.number(parent, path))

seconds(parent, path, otherwise) := otherwise if {
	not get.number(parent, path)
	not get.unknown(parent, path)
}

# METADATA
# description: |
#   The probe that holds a starting container to a time (the startup probe, or the liveness probe where there is none), when it asks over TCP:
#   {"value": seconds until the container is killed, "probe", "path", "starting"?: true}. Undefined for one that asks otherwise.
over_tcp(parent, path) := object.union(told, {"starting": true | probe == "startupProbe"}) if {
	probe := [name | some name in ["startupProbe", "livenessProbe"]; get.present(parent, array.concat(path, [name]))][0]
	place := array.concat(path, [probe])
	reaches_port(get.map(parent, place))
	told := {
		"value": seconds(parent, array.concat(place, ["initialDelaySeconds"]), 0) + (seconds(parent, array.concat(place, ["failureThreshold"]), 3) * seconds(parent, array.concat(place, ["periodSeconds"]), 10)),
		"probe": probe,
		"path": place,
	}
}

reaches_port(probe) if get.present(probe, ["tcpSocket"])

reaches_port(probe) if {
	command := concat(" ", [word | some word in get.list(probe, ["exec", "command"]); is_string(word)])
	asks_the_server(command)
	regex.match(`(^| )(-h|--host)[ =]*["']?[A-Za-z0-9$]`, command)
}

# METADATA
# description: |
#   A liveness probe that starts a client of PostgreSQL in the container: {"value": seconds that one try may take, "window": seconds of
#   failures until the container is killed, "origin", "path", "session"?: {"superuser": whether it logs in as postgres, "path"} where it needs a
#   session of the server's}. One second is Kubernetes' default. Undefined for every other probe.
liveness(parent, path) := starting(parent, path, "livenessProbe")

# METADATA
# description: A readiness probe of the same kind, in the same form; "window" are the seconds of failures until no Service leads to the server.
readiness(parent, path) := starting(parent, path, "readinessProbe")

starting(parent, path, name) := object.union(
	{
		"value": timeout.value,
		"window": seconds(parent, array.concat(place, ["failureThreshold"]), 3) * seconds(parent, array.concat(place, ["periodSeconds"]), 10),
		"origin": timeout.origin,
		"path": timeout.path,
	},
	{"session": {"superuser": as_postgres(command), "path": array.concat(place, ["exec", "command"])} | needs_a_session(command)},
) if {
	place := array.concat(path, [name])
	command := concat(" ", [word | some word in get.list(parent, array.concat(place, ["exec", "command"])); is_string(word)])
	starts_a_client(command)
	timeout := timeout_of(parent, place)
}

# pg_isready is content with any answer, also with "too many clients" (fe-connect.c, internal_ping). What else a command does is not known.
needs_a_session(command) if {
	regex.match(`(^|[^a-z_])psql([^a-z_]|$)`, command)
	not contains(command, "pg_isready")
	not contains(command, "||")
	not contains(command, "$?")
	not contains(command, ";")
}

as_postgres(command) := regex.match(`(-U|--username)[ =]*["']?postgres(["' ]|$)`, command)

timeout_of(parent, place) := {"value": get.number(parent, at), "origin": "written", "path": at} if {
	at := array.concat(place, ["timeoutSeconds"])
	get.number(parent, at)
}

timeout_of(parent, place) := {"value": 1, "origin": "operator", "path": place} if {
	not get.number(parent, array.concat(place, ["timeoutSeconds"]))
}

starts_a_client(command) if {
	some program in ["pg_isready", "psql"]
	contains(command, program)
}

# METADATA
# description: |
#   The role that a probe logs in as by name, {"user", "session": whether it needs a session, "probe", "path"}: pg_isready is content with any answer. Undefined for
#   probes that name none or do more than ask.
login(parent, path, name) := {"user": users[0][2], "session": session, "probe": name, "path": place} if {
	place := array.concat(path, [name, "exec", "command"])
	command := concat(" ", [word | some word in get.list(parent, place); is_string(word)])
	starts_a_client(command)
	not regex.match(`\|\||\$\?|;`, command)
	users := regex.find_all_string_submatch_n(`(-U|--username)[ =]*["']?([A-Za-z0-9_]+)(?:["' ]|$)`, command, -1)
	count(users) == 1
	session := count([1 | needs_a_session(command)]) == 1
}
