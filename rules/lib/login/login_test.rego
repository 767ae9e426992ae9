package walguard.lib.login_test

import data.walguard.lib.login

test_passwords if {
	every text in ["s3cret", "hunter2", "Postgres", "a$b", "vaulted", "secret:word"] {
		login.literal(text)
	}
}

test_places_where_one_is_put if {
	every text in ["${PASSWORD}", "$(PASSWORD)", "{{ .Values.password }}", "<password>", "%(password)s", "@@pw@@", "$PASSWORD", "YOUR_PASSWORD", "xxxx", "****", "...", "vault:secret/data/orders#password", ">>vault:database/creds/orders#password", "op://prod/orders/password", "ref+vault://secret/orders#/password", "on", "Yes", "", 3, null] {
		not login.literal(text)
	}
}

test_field_of_a_secret if {
	login.field({"data": {"u": base64.encode("app")}}, "u") == "app"
	login.field({"data": {"u": base64.encode("app")}, "stringData": {"u": "web"}}, "u") == "web"
	not login.field({"data": {"u": "no base64!"}}, "u")
	not login.field({}, "u")
}

# A repository holds what sops has encrypted, and Flux decrypts it.
test_what_is_decrypted_later_is_unknown if {
	encrypted := "ENC[AES256_GCM,data:F0vF6r3j9A==,iv:g4XEtejFtmSe,tag:Alw7geRUIcJQ,type:str]"
	every text in [encrypted, "${USER}"] {
		not login.field({"stringData": {"u": text}}, "u") with input as {"kind": "Cluster"}
		not login.field({"data": {"u": base64.encode(text)}}, "u") with input as {"kind": "Cluster"}
		not login.literal(text) with input as {"kind": "Cluster"}
	}
}

test_words_that_switch if {
	every text in ["yes", "no", "true", "false", "on", "off", "NO", "Off"] {
		not login.literal(text)
	}
}

test_broken if {
	login.broken({"stringData": {"p": "secret\n"}}, "p")
	login.broken({"data": {"p": base64.encode("secret\n")}}, "p")
	not login.broken({"stringData": {"p": "\nsecret"}}, "p")
	not login.broken({"stringData": {"p": "secret"}}, "p")
	not login.broken({}, "p")
}

test_address_without_its_password if {
	login.bare("postgresql+psycopg2://app:change-me@db:5432/app") == "postgresql+psycopg2://app@db:5432/app"
	login.bare("postgres://db/app") == "postgres://db/app"
	login.bare("change-me") == "change-me"
	login.raw({"stringData": {"a": "${X}"}}, "a") == "${X}"
	login.raw({"data": {"a": "YQ=="}}, "a") == "a"
}

# What is tried first, written once more: a word that is lost there is found here.
test_words_that_are_tried_first if {
	login.tried_first == {
		"1234", "12345", "123456", "12345678", "123456789", "admin", "admin123", "changeme", "default", "demo", "example", "letmein", "mypassword",
		"mysecretpassword", "p@ssw0rd", "pass", "passw0rd", "password", "password1", "password123", "postgres", "postgres123", "postgresql", "qwerty",
		"root", "secret", "test", "user", "welcome",
	}
}
