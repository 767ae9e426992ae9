package walguard.operators.workload_arithmetic_test

import data.walguard.lib.k8s
import data.walguard.operators.workload

test_sizes_of_tuning if {
	every text, kilobytes in {"3kB": 3, "3 MB": 3072, "3GB": 3145728, "3TB": 3221225472} { workload.kilobytes(text) == kilobytes }
	every text in ["3", "3KB", "3 kBs", "", "x3MB"] { not workload.kilobytes(text) }
	every text, buffers in {"3kB": "0kB", "4kB": "1kB", "7kB": "1kB", "1GB": "262144kB"} { workload.tuned("shared_buffers", text) == buffers }
	every text, most in {"1kB": "16MB", "27306kB": "16MB", "27307kB": "32MB", "1GB": "624MB"} { workload.tuned("max_wal_size", text) == most }
	workload.tuned("max_connections", "100") == "100"
	not workload.tuned("max_connections", "100x")
}

test_sizes_of_sclorg if {
	every memory, sizes in {"1048575": ["0MB", "0MB"], "10Mi": ["2MB", "5MB"], "11Mi": ["2MB", "5MB"], "12Mi": ["3MB", "6MB"], "13631487": ["3MB", "6MB"]} {
		workload.sclorg_sizes == {"shared_buffers": sizes[0], "effective_cache_size": sizes[1]} with k8s.object as {"resources": {"limits": {"memory": memory}}}
			with workload.resources_path as ["resources"]
	}
	every memory in ["0", "x"] {
		not workload.sclorg_sizes with k8s.object as {"resources": {"limits": {"memory": memory}}}
			with workload.resources_path as ["resources"]
	}
}

test_modes if {
	every mode, text in {420: "0644", 416: "0640", 511: "0777", 83: "0123", 8: "0010", 64: "0100"} { workload.mode_shown(mode) == text }
	workload.get_mode({"secret": {}}, "secret") == 420
	workload.get_mode({"secret": {"defaultMode": 256}}, "secret") == 256
	not workload.get_mode({"secret": {"defaultMode": "0400"}}, "secret")
	not workload.get_mode({"secret": {"items": [{"key": "a"}]}}, "secret")
}

test_names_of_ports if {
	every name in ["a23456789012345", "x", "pg-1"] { not workload.fault_of_port(name) }
	every name in ["A", "a_b", "-a"] { workload.fault_of_port(name) == "other characters than small letters, digits and dashes" }
	workload.fault_of_port("a234567890123456") == "16 characters, and 15 are allowed"
	workload.in_letters("-Pg_Port.1-") == "pg-port-1"
}

test_patience if {
	every toml, seconds in {"shutdown_timeout = 1_500": 1, "  shutdown_timeout=999": 0, "shutdown_timeout = 60000": 60, "a = 1": 60} { workload.patience_of_pgdog(toml) == seconds }
	not workload.patience_of_pgdog("shutdown_timeout = x")
}

test_users_without_a_name if {
	every user in [1000, 1001, 65533, 65535] { workload.nameless_user({"container": {"image": "postgres:16"}}) == user with workload.number_written as user }
	every user in [999, 65534, 0] { not workload.nameless_user({"container": {"image": "postgres:16"}}) with workload.number_written as user }
	every image in ["bitnami/postgresql:16", "bitnamilegacy/postgresql:16"] { workload.nameless_user({"container": {"image": image}}) == 1001 with workload.number_written as 1001 }
	every image in ["timescale/timescaledb:16", "quay.io/bitnami/postgresql:16"] { not workload.nameless_user({"container": {"image": image}}) with workload.number_written as 1001 }
}
