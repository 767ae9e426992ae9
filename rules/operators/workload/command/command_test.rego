package walguard.operators.workload.command_test

import data.walguard.operators.workload.command

started(container) := [word.text | some word in command.server(container)]

test_what_starts_a_server if {
	started({}) == []
	started({"args": ["-c", "fsync=off"]}) == ["-c", "fsync=off"]
	started({"args": ["postgres", "-F"]}) == ["postgres", "-F"]
	started({"command": ["/usr/local/bin/docker-entrypoint.sh"]}) == []
	started({"command": ["docker-entrypoint.sh", "postgres"], "args": ["-F"]}) == ["postgres", "-F"]
	started({"args": ["/opt/bitnami/scripts/postgresql/run.sh"]}) == ["/opt/bitnami/scripts/postgresql/run.sh"]
}

test_what_does_not if {
	every container in [
		{"command": ["pg_dump"]},
		{"args": ["psql", "-c", "select 1"]},
		{"command": ["sh", "-c", "psql -U postgres"]},
		{"command": ["bash", "-ec", "until pg_isready -U postgres; do sleep 1; done"]},
		{"command": ["sh", "-c", "docker-entrypoint.sh psql"]},
		{"command": ["gosu", "postgres", "pg_dump"]},
		{"command": ["tini", "--", "docker-entrypoint.sh", "sleep", "1"]},
		{"command": ["sh", "/scripts/postgres"]},
		{"command": ["docker-entrypoint.sh", "psql"]},
		{"command": ["sleep"], "args": ["infinity"]},
		{"command": ["pg_ctl", "stop", "-D", "/data"]},
		{"command": ["pg_ctl", "-D", "/data", "promote"]},
		{"command": ["bash", "-c", "pg_ctl start -w && psql -f /a.sql && pg_ctl stop"]},
		{"command": ["sh", "-c", "sudo -u postgres pg_dump app"]},
		{"command": ["sh", "-c", "sudo -Eu postgres psql"]},
		{"command": ["sh", "-c", "su postgres -c 'psql -c \"select 1\"'"]},
		{"command": ["sh", "-c", "PGUSER=postgres psql"]},
	] {
		not command.server(container)
	}
}

test_hostile if {
	started({"command": null, "args": 3}) == []
	started({"args": [null, {"a": 1}, "-F"]}) == ["-F"]
}

read(words) := {[option.name, option.value, option.path[1]] | some option in command.options(command.server({"args": words}))}

test_options if {
	read(["-c", "max_wal_size=4GB"]) == {["max_wal_size", "4GB", 1]}
	read(["-cfsync=off"]) == {["fsync", "off", 0]}
	read(["--wal-level=minimal"]) == {["wal_level", "minimal", 0]}
	read(["-F"]) == {["fsync", "off", 0]}
	read(["-D", "/data", "-N", "50", "-B", "1000"]) == {["data_directory", "/data", 1], ["max_connections", "50", 3], ["shared_buffers", "1000", 5]}
	read(["-c", "a=b=c"]) == {["a", "b=c", 1]}
	read(["-c"]) == set()
	read(["--single", "-c", "=x"]) == set()
}

# getopt takes several of one letter in one word.
test_clustered_options if {
	read(["-eF"]) == {["fsync", "off", 0]}
	read(["-ecfsync=off"]) == {["fsync", "off", 0]}
	read(["-Fc", "max_wal_size=4GB"]) == {["fsync", "off", 0], ["max_wal_size", "4GB", 1]}
	read(["-elFB1000"]) == {["fsync", "off", 0], ["shared_buffers", "1000", 0]}
	read(["-N50"]) == {["max_connections", "50", 0]}
	read(["-x"]) == set()
}

test_what_starts_it_by_way_of_something_else if {
	started({"command": ["tini", "--", "docker-entrypoint.sh", "postgres", "-F"]}) == ["postgres", "-F"]
	started({"command": ["/usr/bin/env", "A=b", "postgres", "-F"]}) == ["postgres", "-F"]
	started({"command": ["gosu", "postgres", "postgres", "-F"]}) == ["postgres", "-F"]
	started({"command": ["tini", "docker-entrypoint.sh", "-F"]}) == ["-F"]
	started({"command": ["sh", "-c", "exec postgres"]}) == []
	started({"command": ["sh", "-c"], "args": ["mkdir -p /x && exec docker-entrypoint.sh postgres -c 'fsync=off' -F"]}) == ["postgres", "-c", "fsync=off", "-F"]
	started({"command": ["bash", "-ec", "echo a\nexec gosu postgres /usr/lib/postgresql/17/bin/postgres \\\n  -c fsync=off\n"]}) == ["-c", "fsync=off"]
	started({"command": ["sh", "-c", `exec docker-entrypoint.sh postgres "$@"`, "--"], "args": ["-c", "fsync=off"]}) == ["postgres", "-c", "fsync=off"]
}

test_pg_ctl if {
	started({"command": ["pg_ctl", "start", "-D", "/data", "-o", "-c fsync=off -F"]}) == ["-D", "/data", "-c", "fsync=off", "-F"]
	started({"command": ["/usr/lib/postgresql/17/bin/pg_ctl", "-D/data", "-w", "--options=-p 5433", "restart"]}) == ["-D", "/data", "-p", "5433"]
	started({"command": ["pg_ctl", "start", "-o"]}) == []
	started({"command": ["sh", "-c", `su - postgres -c "pg_ctl -D /data -o '-c fsync=off' start" && sleep infinity`]}) == ["-D", "/data", "-c", "fsync=off"]
	started({"command": ["sh", "-c", "pg_ctl start && tail -f /dev/null"]}) == []
}

test_scripts_that_change_the_user if {
	every script in [
		`su postgres -c "postgres -c fsync=off"`,
		"su -c 'exec postgres -c fsync=off' postgres",
		"sudo -u postgres postgres -c fsync=off",
		"exec runuser -u postgres -- postgres -c fsync=off",
		"PGDATA=/data nohup env A=b postgres -c fsync=off",
		"nohup env A=b postgres -c fsync=off &",
	] {
		some started_words in [started({"command": ["sh", "-c", script]})]
		array.slice(started_words, 0, 2) == ["-c", "fsync=off"]
	}
}

test_patroni if {
	command.patroni({"command": ["/bin/bash", "-c", "\ntouch x\nexec patroni /etc/timescaledb/patroni.yaml\n"]}) == "/etc/timescaledb/patroni.yaml"
	command.patroni({"command": ["sh", "-c"], "args": ["/usr/bin/patroni a.yml"]}) == "a.yml"
	not command.patroni({"command": ["sh", "-c", "cat patroni.yaml"]})
	not command.patroni({"args": ["patronictl list x.yaml"]})
	command.patroni_directory({"command": ["patroni"], "args": ["/etc/patroni/"]}) == "/etc/patroni"
	command.patroni_directory({"command": ["sh", "-c", "exec patroni /etc/patroni; true"]}) == "/etc/patroni"
	not command.patroni_directory({"command": ["patroni", "/etc/patroni/a.yml"]})
	not command.patroni_directory({"command": ["patroni"]})
	not command.patroni({})
}

test_set_puts_others_in_their_place if {
	words := [word.text | some word in command.server({"command": ["sh", "-c", "set -- -c fsync=off; exec docker-entrypoint.sh postgres \"$@\""]})]
	words == ["postgres", "-c", "fsync=off"]
	more := [word.text | some word in command.server({"command": ["sh", "-c", "set -- -c fsync=off \"$@\"; exec docker-entrypoint.sh postgres \"$@\"", "x", "-c", "jit=off"]})]
	more == ["postgres", "-c", "fsync=off", "-c", "jit=off"]
}

test_every_server_of_a_script if {
	[word.text | some word in command.server({"command": ["sh", "-c", "postgres -c fsync=off & wait; postgres -c jit=off"]})] == ["-c", "fsync=off", "-c", "jit=off"]
}

test_every_wrapper if {
	every wrapper in [
		"eatmydata", "prlimit", "setsid", "taskset", "timeout", "tini", "tini-static", "dumb-init", "catatonit", "env", "exec", "setpriv", "chpst", "nice", "ionice",
		"numactl", "stdbuf", "nohup",
	] {
		started({"command": [wrapper, "postgres", "-F"]}) == ["postgres", "-F"]
		started({"command": [concat("", ["/usr/bin/", wrapper]), "--", "docker-entrypoint.sh", "postgres", "-F"]}) == ["postgres", "-F"]
		not command.server({"command": [wrapper, "psql"]})
	}
	every wrapper in ["gosu", "su-exec", "s6-setuidgid", "setuidgid"] {
		started({"command": [wrapper, "postgres", "postgres", "-F"]}) == ["postgres", "-F"]
		not command.server({"command": [wrapper, "postgres", "psql"]})
	}
	started({"command": ["chpst", "-u", "postgres", "postgres", "-F"]}) == ["postgres", "-F"]
	not command.server({"command": ["chpst", "-u", "postgres", "psql"]})
	every shell in ["sh", "bash", "ash", "dash"] {
		started({"command": [shell, "-ec", "exec postgres -F"]}) == ["-F"]
	}
	not command.server({"command": ["fish", "-c", "exec postgres -F"]})
}

script_options(text) := [[option.name, option.value] | some option in command.options(command.server({"command": ["bash", "-c", text]}))]

test_what_ends_a_command if {
	script_options("exec postgres -c 'log_line_prefix=%m;' -c a=b") == [["log_line_prefix", "%m;"], ["a", "b"]]
	script_options("exec postgres -c 'log_line_prefix=%m\n' -c a=b") == [["log_line_prefix", "%m\n"], ["a", "b"]]
	script_options("exec postgres 2>&1 -c a=b") == [["a", "b"]]
	script_options("exec postgres -c a=b & wait; echo \"done; x\"") == [["a", "b"]]
	script_options("exec postgres -c a=b # it's -c a=c") == [["a", "b"]]
	script_options("exec postgres -c a=#b") == [["a", "#b"]]
	script_options("su postgres -c \"postgres -c a=b\" && echo 'x'") == [["a", "b"]]
	script_options("exec postgres -c `cat x`") == []
	[word.text | some word in command.server({"command": ["sh", "-c", "exec postgres $0 $1"], "args": ["-c", "a=b"]})] == ["$(0)", "$(1)"]
}

test_options_of_pg_ctl if {
	every words in [["-o", "-F"], ["-wo", "-F"], ["-wo-F"], ["--options=-F"], ["--opti", "-F"]] {
		[[option.name, option.value] | some option in command.options(command.server({"command": array.concat(["pg_ctl", "start"], words)}))] == [["fsync", "off"]]
	}
}

test_rest if {
	contains(command.rest({"command": ["sh", "-c", "f() { postgres \"$@\"; }; f -c fsync=off; exec postgres -c a=b"]}), "f -c fsync=off")
	not contains(command.rest({"command": ["sh", "-c", "exec postgres -c fsync=off"]}), "fsync")
	command.rest({"command": ["postgres"]}) == ""
}
