package walguard.lib.conf_test

import data.walguard.lib.conf

text := "# Tuned\nwork_mem = 64MB\n\ninclude_dir 'conf.d'\nshared_buffers == 1\nJit off\n"

place := {"path": ["data", "a.conf"], "resource": {"name": "x"}}

test_settings if {
	conf.settings(text, place) == [
		{"name": "work_mem", "value": "64MB", "line": 2, "path": ["data", "a.conf"], "resource": {"name": "x"}},
		{"name": "jit", "value": "off", "line": 6, "path": ["data", "a.conf"], "resource": {"name": "x"}},
	]
}

test_a_placeholder_names_its_parameter if {
	template := "{{ if .Values.x }}\nwork_mem = ${WORK_MEM:-4MB}\nshared_buffers={{ buffers }} \n{{ end }}\nfull_page_writes <ON_OR_OFF>\njit == 1\n"
	found := {"settings": conf.settings(template, {}), "errors": conf.errors(template, {})} with input as {"review": {"object": {"kind": "ConfigMap"}}}
	found == {
		"settings": [
			{"name": "work_mem", "value": "${WORK_MEM:-4MB}", "line": 2},
			{"name": "shared_buffers", "value": "{{ buffers }}", "line": 3},
			{"name": "full_page_writes", "value": "<ON_OR_OFF>", "line": 5},
		],
		"errors": [{"reason": "syntax error: jit == 1", "line": 6}],
	}
}

test_errors if {
	conf.errors(text, place) == [{"reason": "syntax error: shared_buffers == 1", "line": 5, "path": ["data", "a.conf"], "resource": {"name": "x"}}]
}

test_includes if {
	conf.includes_more(text)
	not conf.includes_more("work_mem = 1MB")
	not conf.includes_more(null)
}

test_line if {
	conf.line({"line": 3, "first_line": 9, "file": "a.conf"}) == "line 11 of a.conf"
	conf.line({"line": 3}) == "line 3"
}

# What a step puts in the place of a whole text may name other files.
test_a_text_that_is_a_placeholder if {
	file := {"review": {"object": {"kind": "ConfigMap"}}}
	conf.includes_more("{{ .Values.postgresql }}\n") with input as file
	not conf.includes_more("work_mem = {{ .Values.memory }}") with input as file
}

test_names if {
	conf.names("pg_cron, 'pgaudit',\"timescaledb\",") == {"pg_cron", "pgaudit", "timescaledb"}
	conf.names("") == set()
}
