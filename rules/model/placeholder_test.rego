package walguard.placeholder_test

import data.walguard.index
import data.walguard.lib.disk_test as disks
import data.walguard.model
import data.walguard.model.claims

# Text that a later step fills in, as it comes out of real repositories.
cluster(spec) := {"review": {"object": {
	"apiVersion": "postgresql.cnpg.io/v1",
	"kind": "Cluster",
	"metadata": {"name": "${APP}-db", "namespace": "x"},
	"spec": spec,
}}}

asked(review) := {"review": object.union(review.review, {"operation": "CREATE"})}

filled := cluster({
	"instances": "${N:=3}",
	"imageName": "ghcr.io/cloudnative-pg/postgresql:${VERSION:-17}.4",
	"storage": {"size": "${SIZE}", "storageClass": "${CLASS}"},
	"walStorage": {"size": "${WAL:=10Gi}", "storageClass": "${CLASS:=ceph-block}"},
	"postgresql": {"parameters": {
		"max_connections": "${CONNECTIONS}",
		"shared_buffers": "${BUFFERS:=\"256MB\"}",
		"max_wal_size": "<MAX_WAL_SIZE>",
		"full_page_writes": "${FPW:=off}",
		"fsync": "CHANGEME",
		"${NAME}": "on",
	}},
})

test_an_unknown_value_is_neither_written_nor_a_default if {
	# Bound before `with`.
	review := filled
	facts := {"unfilled": model.unfilled, "written": object.keys(model.written), "known": [name |
		some name in ["max_connections", "max_wal_size", "fsync"]
		model.parameter(name)
	]} with input as review
	facts == {
		"unfilled": {"max_connections": "", "max_wal_size": "", "fsync": ""},
		"written": {"shared_buffers", "full_page_writes"},
		"known": [],
	}
}

test_a_default_is_a_fact_that_says_where_it_comes_from if {
	review := filled
	facts := [model.parameter("full_page_writes"), model.bytes("shared_buffers"), model.major, model.cluster.instances.value] with input as review
	facts == [
		{
			"name": "full_page_writes",
			"text": "off",
			"value": false,
			"origin": "default of a placeholder",
			"path": ["spec", "postgresql", "parameters", "full_page_writes"],
		},
		268435456,
		17,
		3,
	]
}

test_volumes if {
	review := filled
	found := {id: object.filter(claim, ["class_name", "size_bytes"]) | some id, claim in claims.claims} with input as review
	found == {"0/data": {"class_name": "${CLASS}"}, "0/wal": {"class_name": "ceph-block", "size_bytes": 10737418240}}
}

# No check of form speaks about what is not there yet; the knowledge about full_page_writes=off stays.
test_checks_of_form_are_silent if {
	review := filled
	found := {id | some id, findings in index.findings; count(findings) > 0; startswith(id, "parameters/")} with input as review

	# A name that nobody knows may be any.
	found == {"parameters/unread_source"}
	off := index.findings["durability/full_page_writes"] with input as review
	count(off) == 1
}

# An API server asks: the text is what the server would get.
test_in_a_cluster_text_is_text if {
	review := asked(filled)
	facts := {"unfilled": model.unfilled, "invalid": count(index.findings["parameters/invalid_value"]) > 2} with input as review
	facts == {"unfilled": {}, "invalid": true}
}

test_an_unfilled_full_page_writes_is_not_on if {
	review := cluster({"storage": {"size": "1Gi"}, "postgresql": {"parameters": {"full_page_writes": "${FPW}"}}})
	known := [setting | setting := model.parameter("full_page_writes")] with input as review
	known == []
}

test_the_words_of_a_shell_are_its_own if {
	review := cluster({"postgresql": {"parameters": {"archive_cleanup_command": "clean ${PGDATA} %r", "recovery_end_command": "${COMMAND}"}}})
	written := object.keys(model.written) with input as review
	written == {"archive_cleanup_command"}
}

# A parameter of the class that decides what the disk can do; a filesystem does not.
test_disk_of_a_class_that_is_filled_in_later if {
	every parameters, held in {{"iops": "${IOPS}"}: [true], {"type": "gp3", "csi.storage.k8s.io/fstype": "${FS}"}: []} {
		review := disks.review({"provisioner": "ebs.csi.aws.com", "size": "100Gi", "parameters": parameters})
		[claim.unfilled | some claim in claims.claims] == held with input as review
	}
}
