package walguard.lib.outsider

import data.walguard.lib.script

by_kubectl := `\b(kubectl|oc)\s[^|;&\n]*\b(exec|rsh|cp|debug)\b[^\n]*(postgresql\.auto\.con|postgresql\S*conf)`

by_remote(small) if regex.match(by_kubectl, small)

by_remote(small) if {
	not regex.match(by_kubectl, small)
	regex.match(remote, small)
	some line in split(replace(small, "\\\n", " "), "\n")
	regex.match(remote, line)
	regex.match(script.ways, line)
}

by_patroni(small) if regex.match(`\b(patronictl\b[^|;&\n]*\sedit-config|stolonctl\b[^|;&\n]*\supdate)\b`, small)

# In the objects that Patroni keeps it in.
by_patroni(small) if regex.match(script.kept_by_patroni, small)

by_patroni(small) if {
	regex.match(`/config\b`, small)
	regex.match(`(\b|-x)(patch|put)\b`, small)
	regex.match(`[:/\s]80[01][0-9]\b`, small)
}

# Whatever port its Service has: the body says parameters of PostgreSQL.
by_patroni(small) if {
	regex.match(`/config\b`, small)
	regex.match(`(\b|-x)(patch|put)\b`, small)
	regex.match(`\bpostgresql\b[\s\S]*\bparameters\b`, small)
}
