package walguard.lib.mount_test

import data.walguard.lib.mount

test_clean if {
	{path: mount.clean(path) |
		some path in ["/a/b", "/a//b/", "/a/./b", "/a/x/../b", "/a/x/y/../../b", "/../a", "a/./b", "./a", "/", ""]
	} == {
		"/a/b": "/a/b",
		"/a//b/": "/a/b",
		"/a/./b": "/a/b",
		"/a/x/../b": "/a/b",
		"/a/x/y/../../b": "/a/b",
		"/../a": "/a",
		"a/./b": "a/b",
		"./a": "a",
		"/": "/",
		"": "",
	}
}
