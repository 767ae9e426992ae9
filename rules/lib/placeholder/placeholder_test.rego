package walguard.lib.placeholder_test

import data.walguard.lib.placeholder

file := {"review": {"object": {"kind": "Cluster"}}}

unfilled := [
	"${X}", "db-${X}-a", "$(X)", "$SIZE", "$cluster_name", "$cluster_name-bis", "$Instances", "{{ .Values.size }}", "${{ x }}", "<NAME>", "<YOUR_STORAGE-CLASS name>", "__SIZE__", "%SIZE%",
	"#{Size}#", "AUTOREPLACE_SIZE", "REPLACE_ME_A", "REPLACEME", "replace-me", "CHANGEME", "change_me", "REDACTED", "REDACTED_BASE64_PASSWORD", "YOUR_PASSWORD", "s3://YOUR_BUCKET/pg", "ENC[AES256_GCM,data:abc,type:str]",
	"($cluster.name)", "(to_number($postgres.version))", "${A:-1}-${B}", "${A:=${B:=x}}", "{% if x %}", "<path:secret/data/db#size>", "REPLACE_WITH_CLASS", "BACKUP_URL_PLACEHOLDER", "s3://BUCKET_PLACEHOLDER/pg", "PLACEHOLDER", "PLACEHOLDER_DO_NOT_USE",
	"$APPNAME$", "$APP$-postgres-init", "changeUser", "changePassword", "change_this",
]

test_what_is_to_be_filled_in_is_unknown if {
	known := [value | some value in unfilled; not placeholder.unknown(value)] with input as file
	known == []
	given := [value | some value in unfilled; placeholder.default_of(value)] with input as file
	given == []
}

plain := [
	"on", "4GB", "0 0 2 * * *", "%t [%p]: user=%u,db=%d ", "<%u@%d> ", "test ! -f /a/%f && cp %p /a/%f", "a<b", "__init__", "50%", "fast_ssd",
	"replacement", "exchange", "placeholder", "log_placeholder", "PLACEHOLDERS", "redacted", "your_name", "YOUR", "(select $1)", "(a) $b", "$1", "$libdir/a", "$user, public", "a$b", "$$a", "$", "$body$", "DO $BODY$ BEGIN END $BODY$", "changed", "change_password()", 3, true, null, ["${X}"], {"a": "${X}"},
]

test_other_text_is_not if {
	held := [value | some value in plain; placeholder.holds(value)] with input as file
	held == []
}

test_a_default_that_is_written_counts if {
	defaults := {"${X:-16MB}": "16MB", "${X:=off}": "off", "${X-a}": "a", "${X=a}": "a", `${X:="256MB"}`: "256MB", "pg:${V:-17}-${S:=x}": "pg:17-x", "${X:-}": ""}
	found := {value: text | some value, _ in defaults; text := placeholder.default_of(value)} with input as file
	found == defaults
	unknowns := [value | some value, _ in defaults; placeholder.unknown(value)] with input as file
	unknowns == []
}

test_a_placeholder_inside_of_a_command_is_not_the_whole_of_it if {
	whole := [value | some value in ["${X}", " <A> ", "cp %p /a/$(X)/%f", "${X}-a"]; placeholder.whole(value)] with input as file
	whole == ["${X}", " <A> "]
}

# What an API server asks about, or has stored, is text.
test_text_is_text_in_a_cluster if {
	reviews := [
		{"review": {"object": {"kind": "Cluster"}, "operation": "CREATE"}},
		{"review": {"object": {"kind": "Cluster"}, "uid": "1"}},
		{"request": {"object": {"kind": "Cluster"}, "uid": "1", "operation": "CREATE"}},
		{"kind": "AdmissionReview", "request": {"object": {"kind": "Cluster"}}},
		{"review": {"object": {"kind": "Cluster", "metadata": {"uid": "1"}}}},
		{"kind": "Cluster", "metadata": {"uid": "1"}},
	]
	found := [review | some review in reviews; placeholder.holds("${X:-a}") with input as review]
	found == []
	resolved := {text |
		some review in reviews
		text := placeholder.resolved("${X:-a}") with input as review
	}
	resolved == {"${X:-a}"}
}

test_a_bare_object_is_a_file if placeholder.unknown("${X}") with input as {"kind": "Cluster", "metadata": {}}

# The quotes of a default are YAML's.
test_quoted_defaults if {
	given := [placeholder.default_of(value) | some value in ["${A:-'off'}", "${A:-\"off\"}", "${A:-off}"]] with input as file
	given == ["off", "off", "off"]
}
