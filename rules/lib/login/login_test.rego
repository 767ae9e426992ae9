package walguard.lib.login_test

import data.walguard.lib.login

test_passwords if {
	every text in ["s3cret", "hunter2", "Postgres", "a$b"] {
		login.literal(text)
	}
}

test_places_where_one_is_put if {
	every text in ["${PASSWORD}", "$(PASSWORD)", "{{ .Values.password }}", "<password>", "%(password)s", "@@pw@@", "$PASSWORD", "YOUR_PASSWORD", "xxxx", "****", "...", "on", "Yes", "", 3, null] {
		not login.literal(text)
	}
}

test_field_of_a_secret if {
	login.field({"data": {"u": base64.encode("app")}}, "u") == "app"
	login.field({"data": {"u": base64.encode("app")}, "stringData": {"u": "web"}}, "u") == "web"
	not login.field({"data": {"u": "no base64!"}}, "u")
	not login.field({}, "u")
}
