package walguard.lib.sessions

import data.walguard.lib.client
import data.walguard.lib.get
import data.walguard.lib.workloads

# METADATA
# description: |
#   The clients that log in as a role at Services of these names, as far as it is written there, the first place of each: [{"client": in words, "host", "path", "resource"}]. An address has both, and so do variables
#   that have one beginning (DB_HOST and DB_USER).
as_role(names, role) := [{"client": one.made.words, "host": places[0].host, "path": array.concat(one.path, places[0].at), "resource": one.made.resource} |
	count(names) > 0
	some one in workloads.calling
	told := array.concat(client.texts(one.container), client.words(one.container))
	places := array.concat(
		[{"at": said.at, "host": match[2]} |
			some said in told
			some match in regex.find_all_string_submatch_n(`^(?:jdbc:)?[a-z0-9+]+://([^:/@?\s]+)(?::[^@\s]*)?@([A-Za-z0-9.-]+)`, said.text, 1)
			match[1] == role
			leads(names, match[2])
		],
		[{"at": user.at, "host": host_in(said.text)} |
			some said in told
			some match in regex.find_all_string_submatch_n(`^(.*?)_?_?(?:HOST|HOSTNAME|SERVER|ADDR|ADDRESS|ENDPOINT)$`, get.upper_case(said.name), 1)
			leads(names, host_in(said.text))
			some user in told
			user.text == role
			regex.match(`^_{0,2}(USER|USERNAME|USER_NAME|LOGIN|ROLE)$`, trim_prefix(get.upper_case(user.name), match[1]))
			startswith(get.upper_case(user.name), match[1])
		],
	)
	count(places) > 0
]
