package walguard.checks.backup.dump_hides_errors_test

import data.walguard.checks.backup.dump_hides_errors as check

findings(script) := found if {
	found := check.findings with input as {
		"review": {"object": {"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster", "metadata": {"name": "orders", "namespace": "prod"}, "spec": {"imageName": "ghcr.io/cloudnative-pg/postgresql:17.6"}}},
		"inventory": {"namespace": {"prod": {"batch/v1": {"CronJob": {"dump": {
			"apiVersion": "batch/v1",
			"kind": "CronJob",
			"metadata": {"name": "dump", "namespace": "prod"},
			"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "dump", "image": "postgres:17", "command": ["sh", "-c", script]}]}}}}},
		}}}}}},
	}
}

test_pipe if {
	findings("pg_dump -h orders-rw orders | gzip > /dumps/orders.gz") == {{
		"message": "pg_dump is piped without pipefail: when the dump fails, the Job succeeds all the same, and what it leaves restores nothing. Let pg_dump write the file itself (-Fc -f FILE, compressed), or run the script by bash with set -eo pipefail.",
		"path": ["spec", "jobTemplate", "spec", "template", "spec", "containers", 0, "command"],
		"resource": {"apiVersion": "batch/v1", "kind": "CronJob", "name": "dump", "namespace": "prod"},
	}}
	count(findings("set -e\npg_dumpall -h orders-rw \\\n  --clean | aws s3 cp - s3://dumps/orders.sql")) == 1
	count(findings("if pg_dump -h orders-rw --verbose orders 2>&1 | gzip > /dumps/orders.gz; then echo done; fi")) == 1
}

# The status that is asked for is gzip's, and a size that is shown is looked at by nobody.
test_size_that_is_shown if {
	dump := "pg_dump -h orders-rw orders | gzip > /dumps/orders.gz\n"
	count(findings(concat("", [dump, "if [ $? -eq 0 ]; then echo \"$(du -h /dumps/orders.gz | cut -f1)\"; fi"]))) == 1
	findings(concat("", [dump, "[ \"$(stat -c%s /dumps/orders.gz)\" -gt 1000 ]"])) == set()
}

test_true if count(findings("pg_dump -h orders-rw -Fc -f /dumps/orders.dump orders || true")) == 1

test_deletion if {
	dump := "pg_dump -h orders-rw -Fc -f /dumps/orders-$(date +%F).dump orders"
	some delete in ["find /dumps -mtime +7 -delete", "find /dumps -mtime +7 -exec rm {} \\;", "ls -t /dumps | tail -n +8 | xargs rm"]
	{f.message | some f in findings(sprintf("%s\n%s", [dump, delete]))} == {"pg_dump is followed by the deletion of old dumps without set -e: when the dump fails, the Job succeeds all the same, and what it leaves restores nothing. Begin the script with set -e, so that a dump that failed deletes nothing."}
	count(findings(sprintf("%s; %s", [dump, delete]))) == 1
	every script in [sprintf("set -e\n%s\n%s", [dump, delete]), sprintf("%s && %s", [dump, delete]), sprintf("%s\n%s", [delete, dump]), sprintf("%s || exit 1\n%s", [dump, delete]), sprintf("%s\n[ $? = 0 ] || exit 1\n%s", [dump, delete])] {
		findings(script) == set()
	}
}

test_not_reported if {
	every script in [
		"pg_dump -h orders-rw -Fc -f /dumps/orders.dump orders",
		"set -eo pipefail; pg_dump -h orders-rw orders | gzip > /dumps/orders.gz",
		"pg_dump -h orders-rw orders | gzip > /dumps/orders.gz && gzip -t /dumps/orders.gz && test -s /dumps/orders.gz",
		"pg_dump -h orders-rw -f /dumps/orders.sql orders || exit 1",
		"pg_dump -h orders-rw -f /dumps/orders.sql orders; ls /dumps | wc -l",
		"pg_dump -h orders-rw -f /dumps/orders.sql orders; rm /dumps/old || true",
		"pg_dump -h stock-rw stock | gzip > /dumps/stock.gz",
	] {
		findings(script) == set()
	}
}

# A script in a file that is not in sight.
test_silent_when_unknown if findings("/scripts/dump.sh pg_dump orders-rw") == set()

# Whatever the image is called, the shell is one.
test_image_of_ones_own if {
	found := check.findings with input as {"review": {"object": {
		"apiVersion": "batch/v1",
		"kind": "CronJob",
		"metadata": {"name": "dump", "namespace": "prod"},
		"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "dump", "image": "registry.example.com/toolbox:24", "env": [{"name": "PGHOST", "value": "db"}], "command": ["bash", "-c", "pg_dump shop | aws s3 cp - s3://dumps/shop"]}]}}}}},
	}}}
	{f.path[count(f.path) - 1] | some f in found} == {"command"}
}

# A script in a file of a ConfigMap.
from_file(text) := found if {
	found := check.findings with input as {
		"review": {"object": {
			"apiVersion": "batch/v1",
			"kind": "CronJob",
			"metadata": {"name": "dump", "namespace": "prod"},
			"spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {
				"containers": [{"name": "dump", "image": "registry.example.com/toolbox:24", "env": [{"name": "PGHOST", "value": "db"}], "command": ["/bin/bash", "/s/dump.sh"], "volumeMounts": [{"name": "s", "mountPath": "/s"}]}],
				"volumes": [{"name": "s", "configMap": {"name": "s"}}],
			}}}}},
		}},
		"inventory": {"namespace": {"prod": {"v1": {"ConfigMap": {"s": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s", "namespace": "prod"}, "data": {"dump.sh": text}}}}}}},
	}
}

test_script_of_a_config_map if {
	found := from_file("#!/bin/bash\nset -eu\npg_dump shop | gzip > /tmp/shop.gz\naws s3 cp /tmp/shop.gz s3://dumps/\n")
	{[f.path, f.resource.kind] | some f in found} == {[["data", "dump.sh"], "ConfigMap"]}
	from_file("#!/bin/bash\nset -euo pipefail\npg_dump shop | gzip > /tmp/shop.gz\n") == set()
	from_file("#!/bin/bash\n# pg_dump shop | gzip\npg_dump -Fc shop -f /tmp/shop.dump\n") == set()
}

reasons(script) := {split(f.message, ":")[0] | some f in from_file(script)}

test_status_that_is_lost if {
	reasons("pg_dump shop > /tmp/a || echo failed\n") == {"pg_dump is followed by || echo"}
	reasons("pg_dump shop > /tmp/a || echo failed\nexit 1\n") == set()
	reasons("pg_dump shop > /tmp/a || { echo failed; exit 1; }\n") == set()
	reasons("pg_dump shop > /tmp/a\naws s3 cp /tmp/a s3://dumps/\n") == {"pg_dump is followed by other commands without set -e"}
	every script in ["#!/bin/sh -e\npg_dump shop > /tmp/a\ngzip /tmp/a\n", "set -e\npg_dump shop > /tmp/a\ngzip /tmp/a\n", "pg_dump shop > /tmp/a && gzip /tmp/a\n", "pg_dump shop > /tmp/a\nif [ $? -ne 0 ]; then exit 1; fi\ngzip /tmp/a\n", "pg_dump shop > /tmp/a\n"] {
		reasons(script) == set()
	}
}
