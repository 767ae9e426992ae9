package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.text

# Addresses in the URLs of clients: the host and the port that a variable spells out.
urls_of(one) := [{"name": get.string(variable, "name"), "host": match[1], "port": match[2], "path": array.concat(one.path, ["env", i, "value"]), "resource": one.made.resource} |
	some i, variable in get.list(one.container, "env")
	some match in regex.find_all_string_submatch_n(`^(?:jdbc:)?postgres(?:ql)?(?:\+[a-z0-9]+)?://(?:[^@\s]*@)?([A-Za-z0-9.-]+)(?::([0-9]{2,5}))?(?:[/?]|$)`, get.string(variable, "value"), 1)
]

lost_by_url := array.concat(
	[object.union({"client": one.client, "reason": sprintf("has the password of this server and looks for it at %s, where its pod has none", [url.host]), "cure": sprintf("Write %s", [hosts[0]]), "level": "error"}, object.filter(url, ["path", "resource"])) |
		some one in sharing_clients
		one.single
		some url in one.urls
		url.host in {"0.0.0.0", "127.0.0.1", "localhost"}
	],
	[object.union({"client": one.client, "reason": sprintf("asks for port %s of %s, which has %s", [url.port, split(url.host, ".")[0], text.list([sprintf("%d", [n]) | some n in offered], "and")]), "cure": sprintf("Write %d", [offered[0]])}, object.filter(url, ["path", "resource"])) |
		some one in client_containers
		some url in one.urls
		url.port != ""
		leads_home(url.host)
		some service in services
		get.string(service, ["metadata", "name"]) == split(url.host, ".")[0]
		offered := ports_offered(service)
		count(offered) > 0
		count([1 | some n in offered; n == to_number(url.port)]) == 0
	],
)
