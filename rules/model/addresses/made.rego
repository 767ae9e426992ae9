package walguard.model.addresses

import data.walguard.lib.client
import data.walguard.lib.environment
import data.walguard.lib.get
import data.walguard.model

# The texts and words of a container (walguard.lib.client) as its program has them: Kubernetes writes the value of a variable for $(NAME), and the operator a host or an address into the Secrets that it makes.
said_by(container, names) := [object.union(one, {"text": filled(one.text, values)}) |
	values := known(container, names)
	some one in array.concat(client.texts(container), client.words(container))
]

filled(text, values) := strings.replace_n({found[0]: values[found[1]] | some found in regex.find_all_string_submatch_n(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`, text, -1)}, text)

known(container, names) := object.union(environment.values(container), made_values(container, names))

# By these names of hosts; PostgreSQL's own and a pooler's are told of apart (generatePostgresUserSecret of PGO and of Percona's operator, and CloudNativePG's CLUSTER-app).
made_values(container, names) := {get.string(variable, "name"): sprintf(row[1], [host]) |
	some variable in get.list(container, "env")
	get.string(variable, ["valueFrom", "secretKeyRef", "name"]) in get.list(model.cluster, "made_secrets")
	row := keys_of_hosts[get.string(variable, ["valueFrom", "secretKeyRef", "key"])]
	host := [name | some name in sort(names); regex.match(row[0], name)][0]
}

keys_of_hosts := {
	"host": [`-(primary|rw)$`, "%s"],
	"jdbc-uri": [`-(primary|rw)$`, "jdbc:postgresql://%s/"],
	"pgbouncer-host": [`-pgbouncer$`, "%s"],
	"pgbouncer-uri": [`-pgbouncer$`, "postgresql://%s/"],
	"uri": [`-(primary|rw)$`, "postgresql://%s/"],
}
