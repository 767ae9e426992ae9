package walguard.lib.initdb_test

import data.walguard.lib.initdb

written(value, path) := {"value": value, "unit": "MB", "origin": "written", "path": path}

test_segment if {
	initdb.segment(64, ["a"]) == written(64, ["a"])
	initdb.segment("64", ["a"]) == written(64, ["a"])
	initdb.segment("64MB", ["a"]) == written("64MB", ["a"])
	not initdb.segment({}, ["a"])
	not initdb.segment(null, ["a"])
}

test_option_segment if {
	initdb.option_segment(["-E", "UTF8", "--wal-segsize=64"], ["o"]) == written(64, ["o", 2])
	initdb.option_segment(["--wal-segsize", "128"], ["o"]) == written(128, ["o", 0])
	initdb.option_segment(["--wal-segsize 256"], ["o"]) == written(256, ["o", 0])
	initdb.option_segment(["--wal-segsize=1", "--wal-segsize=2"], ["o"]) == written(2, ["o", 1])
	initdb.option_segment(["-k"], ["o"]) == {"value": 16, "unit": "MB", "origin": "postgres", "path": ["o"]}
}

test_option_checksums if {
	initdb.option_checksums(["-k"], ["o"], null) == {"value": true, "origin": "written", "path": ["o", 0]}
	initdb.option_checksums(["-k", "--no-data-checksums"], ["o"], 18) == {"value": false, "origin": "written", "path": ["o", 1]}
	initdb.option_checksums(["-E"], ["o"], 18) == {"value": true, "origin": "postgres", "path": ["o"]}
	initdb.option_checksums(["-E"], ["o"], 17) == {"value": false, "origin": "postgres", "path": ["o"]}
	not initdb.option_checksums(["-E"], ["o"], null)
}

test_settings if {
	initdb.settings(["--set=work_mem=8MB", "-c", "max-connections=50", "-cjit=off", "--se fsync=a=b", "--set"], ["o"]) == [
		{"name": "work_mem", "value": "8MB", "path": ["o", 0]},
		{"name": "max_connections", "value": "50", "path": ["o", 1]},
		{"name": "jit", "value": "off", "path": ["o", 3]},
		{"name": "fsync", "value": "a=b", "path": ["o", 4]},
	]
	initdb.settings(["-k", "--set=jit", "-c=on", "--setup=a=b"], ["o"]) == []
}

test_short_options_in_one_word if {
	initdb.settings(["-kcfsync=off", "-Nkc", "jit=off", "-Ac=d", "-Dc"], ["o"]) == [
		{"name": "fsync", "value": "off", "path": ["o", 0]},
		{"name": "jit", "value": "off", "path": ["o", 1]},
	]
	initdb.option_checksums(["-Nkcfsync=off"], ["o"], 17).value == true
	initdb.option_checksums(["-EUTF8k"], ["o"], 17).value == false
}

test_words if {
	initdb.words(`-k\t-c 'fsync=off'  --set="a=b c"`, "shell") == ["-k\\t-c", "fsync=off", "--set=a=b c"]
	initdb.words("-k\t-c\n'a=b'", "shell") == ["-k", "-c", "a=b"]
	initdb.words("-k\t-c 'a b'", "blanks") == ["-k", "-c", "'a", "b'"]
}

test_commands if {
	initdb.commands("-k; echo a >> b")
	initdb.commands("$(cat a)")
	initdb.commands("`a`")
	not initdb.commands("-k --set='a=b c' --locale=de_DE.UTF-8")
}

test_words_of_checksums if {
	every word, value in {"--data-checksums": true, "--no-data-checksums": false, "-k": true, "-gk": true, "-kE": true} {
		initdb.option_checksums(["-E", word], ["o"], null) == {"value": value, "origin": "written", "path": ["o", 1]}
	}
	every word in ["--data-checksumx", "-Ek", "-x", "k"] {
		not initdb.option_checksums([word], ["o"], null)
	}
}

test_set_in_two_words if {
	every word in ["--set", "--se", "-c", "-kc"] {
		initdb.settings([word, "jit=off"], ["o"]) == [{"name": "jit", "value": "off", "path": ["o", 0]}]
	}
	initdb.settings(["--s", "jit=off"], ["o"]) == []
}

test_directories if {
	every options in [["-X", "/w"], ["-X/w"], ["-kX/w"], ["--waldir=/w"], ["--waldir", "/w"], ["--wald=/w"], ["--waldi /w"]] {
		[one.value | some one in initdb.wal_directories(options, ["x"])] == ["/w"]
	}
	initdb.wal_directories(["-k", "--wal-segsize=64", "-A", "md5"], ["x"]) == []
	initdb.inputs(["-k", "-L", "/s"], ["x"]) == [{"name": "-L", "value": "/s", "path": ["x", 1]}]
	initdb.inputs(["--locale=C"], ["x"]) == []
}

test_beginnings_of_checksums if {
	options_of := {"--data-checksums": true, "--data-ch": true, "--no-data-checksums": false, "--no-d": false, "--no-data-check": false}
	every option, value in options_of {
		initdb.option_checksums([option], [], 18).value == value
	}
	initdb.option_checksums(["--no-sync"], [], 18).value == true
	initdb.option_checksums(["--no-data-checksum-x"], [], 18).value == true
}

test_braces if initdb.commands("{-c,fsync=off}")
