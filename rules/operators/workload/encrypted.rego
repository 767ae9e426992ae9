package walguard.operators.workload

import data.walguard.lib.get
import data.walguard.lib.hba

# A pg_hba.conf in force by whose lines nobody comes in from elsewhere but over TLS.
facts contains {"tls_only": object.union(object.filter(telling, ["path", "resource"]), {"value": telling.text, "origin": "written", "hosts": hosts})} if {
	layout in {"docker", "bitnami"}
	server.product.name != "postgresql-repmgr"
	in_force(mounted_hba)
	count(hosts) > 0
	lines := hba.of_text(mounted_hba.text, object.filter(mounted_hba, ["path", "resource"]))
	count([1 | some entry in lines; regex.match(`^\s*include|@|\$|\{\{`, entry.line)]) == 0
	coming_in := [rule | some rule in hba.rules(lines); not hba.own(rule); rule.databases != ["replication"]]
	admitting := [rule | some rule in coming_in; rule.type != "hostnossl"; rule.method != "reject"]
	count(admitting) > 0
	refused_at := array.concat([i | some i, rule in coming_in; refuses_the_rest(rule)], [count(coming_in)])[0]
	every rule in array.slice(coming_in, 0, refused_at) {
		rule_for_tls(rule)
	}
	telling := array.concat(array.slice(coming_in, refused_at, refused_at + 1), admitting)[0]
}

# configure_spilo.py writes it before "hostssl all all all md5" unless ALLOW_NOSSL is set.
facts contains {"tls_only": {"value": "hostnossl all all all reject", "origin": "operator", "hosts": hosts}} if {
	layout == "spilo"
	regex.match(`^(ghcr\.io/zalando|registry\.opensource\.zalan\.do/acid)/spilo-[0-9]+(:|@|$)`, get.string(container, "image"))
	count(hosts) > 0
	not first_of(["ALLOW_NOSSL"])
	not unknown(["ALLOW_NOSSL"])
	not first_of(spilo_variables)
	not unknown(spilo_variables)
}

rule_for_tls(rule) if rule.type == "hostssl"

rule_for_tls(rule) if rule.method == "reject"

refuses_the_rest(rule) if {
	rule.type in {"host", "hostnossl"}
	rule.method == "reject"
	rule.databases == ["all"]
	rule.users == ["all"]
	rule.address == "all"
}
