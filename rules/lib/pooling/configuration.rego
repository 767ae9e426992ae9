package walguard.lib.pooling

import data.walguard.lib.get
import data.walguard.lib.text as prose

# METADATA
# description: |
#   What PgCat, PgDog and Odyssey do not start with in their files, which is known of a whole file alone: [{"reason", "cure"}], sentences without the full stop. Files with placeholders are not for here.
# related_resources:
#   - https://github.com/postgresml/pgcat/blob/main/src/config.rs
#   - https://github.com/pgdogdev/pgdog/tree/main/pgdog-config/src
#   - https://github.com/yandex/odyssey/blob/master/sources/rules.c
#   - https://github.com/yandex/odyssey/blob/master/sources/config.c
unreadable(name, file) := array.concat(
	[{"reason": sprintf("[%s] of %s has no %s, which %s wants: it ends there (\"missing field\")", [section.name, base(file), prose.list(sort(missing), "and"), shown[name]]), "cure": sprintf("Add %s", [prose.list(sort(missing), "and")])} |
		some pattern, keys in required[name]
		some section in sections(file.text)
		regex.match(pattern, section.name)
		missing := keys - {pair[0] | some pair in section.pairs}
		count(missing) > 0
	],
	[{"reason": sprintf("%s = %q in [%s] of %s is not one of %s, and %s ends there", [pair[0], pair[1], section.name, base(file), prose.list(sort(choices[name][pair[0]]), "and"), shown[name]]), "cure": "Write one of them"} |
		some section in sections(file.text)
		some pair in section.pairs
		not get.lower_case(pair[1]) in choices[name][pair[0]]
	],
) if {
	required[name]
	endswith(file.file, ".toml")
}

required := {
	"pgcat": {
		`^general$`: {"admin_password", "admin_username"},
		`^pools\.("[^"]+"|[^."]+)\.shards\.[^.]+$`: {"database", "servers"},
		`^pools\.("[^"]+"|[^."]+)\.users\.[^.]+$`: {"pool_size", "username"},
	},
	"pgdog": {`^databases$`: {"host", "name"}, `^users$`: {"name"}},
}

choices := {
	"pgcat": {"default_role": {"any", "primary", "replica"}, "pool_mode": {"session", "transaction"}},
	"pgdog": {"pooler_mode": {"session", "statement", "transaction"}},
}

base(file) := regex.replace(file.file, `^.*/`, "")

# METADATA
# description: 'The tables of a TOML: [{"name", "pairs": {[key, value without its quotes]}}]; rows of lists that stand on lines of their own are none of them.'
sections(toml) := [{"name": name, "pairs": pairs} |
	parts := regex.split(`(?m)^[ \t]*\[{1,2}`, regex.replace(toml, `(?m)^[ \t]*\[[^\]\n=]*,[^\n=]*$`, ""))
	some part in array.slice(parts, 1, count(parts))
	name := regex.replace(regex.find_all_string_submatch_n(`^([^\]\n]+)\]`, part, 1)[0][1], `\s`, "")
	pairs := {[pair[1], trim(trim_space(regex.replace(pair[2], `\s#.*$`, "")), `"'`)] |
		some pair in regex.find_all_string_submatch_n(`(?m)^[ \t]*"?([A-Za-z0-9_-]+)"?[ \t]*=[ \t]*([^\n\r]*)`, part, -1)
	}
]

unreadable("odyssey", file) := [{"reason": sprintf("%s: Odyssey ends there", [fault[0]]), "cure": fault[1]} |
	regex.match(`(?m)^[ \t]*(storage|database)\s`, file.text)
	some fault in of_odyssey(regex.replace(file.text, `(?m)(^|[ \t])#[^\n"]*$`, ""))
]

of_odyssey(conf) := array.concat(
	array.concat(
		[[sprintf("storage %q has the type %q, and there are remote and local alone", [one[1], type]), "Write type \"remote\""] |
			some one in storages(conf)
			some type in values_of("type", one[2])
			not type in {"local", "remote"}
		],
		[[sprintf("storage %q has no type", [one[1]]), "Add type \"remote\""] |
			some one in storages(conf)
			count(values_of("type", one[2])) == 0
		],
	),
	array.concat(
		[[sprintf("user %s has no %s", [trim(one[1], `"`), prose.list(missing, "and")]), sprintf("Add %s to it", [prose.list(missing, "and")])] |
			some one in users(conf)
			missing := [word | some word in ["authentication", "pool", "storage"]; count(values_of(word, one[2])) == 0]
			count(missing) > 0
		],
		[[cause, cure] |
			not regex.match(`(?m)^[ \t]*include\s`, conf)
			some [wanting, pattern, cause, cure] in [
				["", `(?m)^[ \t]*log_format\s`, "log_format is not there", `Add log_format "%p %t %l [%i %s] (%c) %m\n"`],
				["", `(?m)^[ \t]*listen\s*\{`, "there is no listen { … }", "Add one with host and port"],
				[`(?m)^[ \t]*unix_socket_dir\s`, `(?m)^[ \t]*unix_socket_mode\s`, "unix_socket_dir is there without unix_socket_mode", `Add unix_socket_mode "0644"`],
			]
			regex.match(wanting, conf)
			not regex.match(pattern, conf)
		],
	),
)

storages(conf) := regex.find_all_string_submatch_n(`(?m)^[ \t]*storage\s+"([^"]+)"\s*\{([^{}]*)\}`, conf, -1)

users(conf) := regex.find_all_string_submatch_n(`(?m)^[ \t]*user\s+(default|"[^"]*"|[A-Za-z0-9_]+)[^{}\n]*\{((?:[^{}]|\{[^{}]*\})*)\}`, conf, -1)

values_of(word, body) := [trim(match[1], `"`) | some match in regex.find_all_string_submatch_n(sprintf(`(?m)^[ \t]*%s[ \t]+("[^"\n]*"|[^\s{]+)`, [word]), body, -1)]
