package walguard.operators.workload_test

import data.walguard.checks.access.trust
import data.walguard.checks.parameters.unread_source
import data.walguard.operators.workload

# A server whose configuration lies at /etc/pg, with these texts, and with what else it mounts.
with_mounted_files(image, texts, mounted, listed) := {
	"review": {"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "shop"}, "spec": {
		"containers": [{
			"name": "postgres",
			"image": image,
			"command": ["postgres", "-c", "config_file=/etc/pg/postgresql.conf", "-c", "hba_file=/etc/pg/pg_hba.conf"],
			"volumeMounts": array.concat([{"name": "c", "mountPath": "/etc/pg"}], mounted),
		}],
		"volumes": array.concat([{"name": "c", "configMap": {"name": "c"}}], listed),
	}}},
	"inventory": {"namespace": {"shop": {"v1": {"ConfigMap": {name: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": said} | some name, said in texts}}}}},
}

second := [{"name": "d", "mountPath": "/etc/pg.d"}]

of_second := [{"name": "d", "configMap": {"name": "d"}}]

values_of(review) := found if {
	found := [[setting.name, setting.value, setting.line, object.get(setting, "file", "")] | some setting in workload.cluster.parameters; setting.line] with input as review
}

# [what is not read, whether a parameter may have any value]
unread_of(review) := found if {
	found := [[f.message | some f in unread_source.findings], object.get(workload.cluster, "partial", false)] with input as review
}

included(line, texts) := with_mounted_files("postgres:17.6", object.union({"c": {"postgresql.conf": concat("\n", ["work_mem = 4MB", line, "jit = off"])}}, texts), second, of_second)

test_what_an_included_file_says if {
	review := included("include '/etc/pg.d/more.conf' # ours", {"d": {"more.conf": "# first\nwork_mem = 8MB\n"}})
	values_of(review) == [["work_mem", "4MB", 1, ""], ["work_mem", "8MB", 2, "/etc/pg.d/more.conf"], ["jit", "off", 3, ""]]
	unread_of(review) == [[], false]
}

test_a_file_beside if {
	review := with_mounted_files("postgres:17.6", {"c": {"postgresql.conf": "include_if_exists = 'more.conf'\nwork_mem = 4MB", "more.conf": "work_mem = 8MB"}}, [], [])
	values_of(review) == [["work_mem", "8MB", 1, "/etc/pg/more.conf"], ["work_mem", "4MB", 2, ""]]
	unread_of(review) == [[], false]
}

test_a_directory_in_its_order if {
	review := included("include_dir = '/etc/pg.d'", {"d": {"b.conf": "work_mem = 2MB", "a.conf": "work_mem = 1MB", "notes.txt": "work_mem = 9MB", ".c.conf": "work_mem = 9MB"}})
	values_of(review) == [["work_mem", "4MB", 1, ""], ["work_mem", "1MB", 1, "/etc/pg.d/a.conf"], ["work_mem", "2MB", 1, "/etc/pg.d/b.conf"], ["jit", "off", 3, ""]]
	unread_of(review) == [[], false]
}

test_several if {
	review := included("include '/etc/pg.d/a.conf'\ninclude '/etc/pg.d/b.conf'", {"d": {"a.conf": "work_mem = 1MB", "b.conf": "work_mem = 2MB"}})
	[value[1] | some value in values_of(review)] == ["4MB", "1MB", "2MB", "off"]
}

test_a_file_that_is_not_there if {
	unread_of(included("include_if_exists '/etc/pg.d/more.conf'", {"d": {}})) == [[], false]
	unread_of(included("include_dir '/etc/pg.d'", {"d": {}})) == [[], false]
}

warned := [["Parameters can also come from what /etc/pg/postgresql.conf includes, which walguard does not read. Make sure that nothing is set there that this resource should say"], true]

test_what_is_not_in_sight if {
	every line in ["include '/etc/pg.d/more.conf'", "include '/var/lib/x.conf'", "include_if_exists '/var/lib/x.conf'", "include_dir '/var/lib'", "include '${EXTRA}'", "include ''", "include_dir '/etc'", "include_dir 'conf.d'"] {
		unread_of(included(line, {"d": {}})) == warned
	}
	warned[0][0] in unread_of(included("include_dir '/etc/pg.d'", {}))[0]
	unread_of(included("include '/etc/pg.d/more.conf'", {"d": {"more.conf": "include '/var/lib/x.conf'"}})) == warned
}

# Somebody may fill an empty volume, and a part of a projected one may be anything.
test_volumes_of_others if {
	every volume in [{"name": "d", "emptyDir": {}}, {"name": "d", "persistentVolumeClaim": {"claimName": "d"}}, {"name": "d", "projected": {"sources": [{"configMap": {"name": "c"}}]}}] {
		unread_of(with_mounted_files("postgres:17.6", {"c": {"postgresql.conf": "include_if_exists '/etc/pg.d/more.conf'"}}, second, [volume])) == warned
	}
	deeper := array.concat(second, [{"name": "e", "mountPath": "/etc/pg.d/z.conf"}])
	unread_of(with_mounted_files("postgres:17.6", {"c": {"postgresql.conf": "include_dir '/etc/pg.d'"}, "d": {}}, deeper, array.concat(of_second, [{"name": "e", "emptyDir": {}}]))) == warned
}

unread_there(review) := found if {
	found := {one.source | some one in workload.cluster.unread} with input as review
}

test_bitnami_reads_elsewhere if {
	"what /etc/pg/postgresql.conf includes" in unread_there(with_mounted_files("bitnamilegacy/postgresql:17.5.0", {"c": {"postgresql.conf": "include '/etc/pg.d/more.conf'"}, "d": {"more.conf": "work_mem = 8MB"}}, second, of_second))
}

trusting(text, more) := found if {
	found := {[f.message, f.resource.name, f.line] | some f in trust.findings} with input as with_mounted_files("postgres:17.6", {"c": {"postgresql.conf": "", "pg_hba.conf": text}, "d": more}, second, of_second)
}

test_included_lines_of_pg_hba if {
	open := "\"host all all all trust\" lets anyone who reaches the port log in as any user without a password. Use scram-sha-256 instead of trust."
	trusting("# ours\ninclude /etc/pg.d/hba.conf", {"hba.conf": "\nhost all all all trust"}) == {[open, "d", 2]}
	trusting("include /etc/pg.d/hba.conf\nhost all all all trust", {"hba.conf": "host all all all reject"}) == set()
	unseen := "Who logs in without a password is also up to /etc/pg.d/hba.conf, which the file includes, which walguard does not read. Write the lines where it reads them."
	trusting("include /etc/pg.d/hba.conf", {"hba.conf": "include other.conf"}) == {[unseen, "c", 1]}
	trusting("include /etc/pg.d/hba.conf", {}) == {[unseen, "c", 1]}
	trusting("include_if_exists /etc/pg.d/hba.conf", {}) == set()
}

# A mount of one file lies over that of its directory, though it is written first.
test_a_file_that_another_mount_covers if {
	review := with_mounted_files(
		"postgres:17.6",
		{"c": {"postgresql.conf": "include '/etc/pg.d/more.conf'"}, "d": {"more.conf": "work_mem = 8MB"}, "e": {"x": "work_mem = 9MB"}},
		array.concat([{"name": "e", "mountPath": "/etc/pg.d/more.conf", "subPath": "x"}], second),
		array.concat(of_second, [{"name": "e", "configMap": {"name": "e"}}]),
	)
	values_of(review) == [["work_mem", "9MB", 1, "/etc/pg.d/more.conf"]]
}
