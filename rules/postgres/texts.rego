package walguard.postgres

import data.walguard.lib.get

# Names that every server looks up alike. A server of PostgreSQL 15 started, or did not, with each of the values of the tests.

refusal(parameter, value) := sprintf("there is no encoding %q", [value]) if {
	parameter.check == "encoding"
	not regex.match(encodings, regex.replace(get.lower_case(value), `[^a-z0-9]`, ""))
}

# pg_encname_tbl of src/common/encnames.c, by what is left without signs.
encodings := concat("", [
	`^(abc|alt|big5|euc(cn|jis2004|jp|kr|tw)|gb18030|gbk|iso8859(1|2|3|4|5|6|7|8|9|10|13|14|15|16)|johab|koi8[ru]?|latin([1-9]|10)|mskanji|muleinternal|`,
	`s(hift)?jis(2004)?|sqlascii|tcvn(5712)?|uhc|unicode|utf8|vscii|win|(win|windows)(125[0-8]|866|874|932|936|949|950))$`,
])

refusal(parameter, value) := sprintf("there is no time zone %q", [value]) if {
	parameter.check == "time_zone"
	nowhere(get.lower_case(value))
}

# Of the names that are not in the list, those of libraries may be any; these are the server's own without pages, and what people write for a boolean.
refusal(parameter, value) := sprintf("%q is not a comma-separated list of all, heap, btree and other kinds of WAL records with pages", [value]) if {
	parameter.check == "resource_managers"
	regex.match(identifiers, value)
	regex.match(`(?i)(^|,)[\s"]*(xlog|transaction|storage|clog|database|tablespace|multixact|relmap|standby|committs|replicationorigin|logicalmessage|on|off|true|false|yes|no|none|index|table|toast|wal)[\s"]*(,|$)`, value)
}

# The sets of timezonesets, whose names have letters only; a set of one's own is called otherwise than these.
refusal(parameter, value) := sprintf("%q is not a set of abbreviations such as Default, Australia or India", [value]) if {
	parameter.check == "abbreviations"
	value != ""
	regex.match(`[^A-Za-z]|^(?i:default|australia|india|africa|america|antarctica|asia|atlantic|etc|europe|indian|pacific|utc|gmt|posix|none)$`, value)
	not value in {"Default", "Australia", "India"}
}

# Words of today, which check_recovery_target_time refuses, and what no day is.
refusal(parameter, value) := sprintf("%q is not a point in time such as 2026-01-31 12:00:00+00", [value]) if {
	parameter.check == "point_in_time"
	regex.match(`^[^0-9]+$|^[0-9]{4}-(00|1[3-9]|[2-9][0-9])-|^[0-9]{4}-[0-9]{2}-(00|3[2-9]|[4-9][0-9])([T ]|$)`, value)
}

# A word without a number is no rule of POSIX, so that it must be the name of a file; these are the ones of the tz database.
nowhere(zone) if {
	regex.match(`^[a-z_]+$`, zone)
	not zone in words_of_zones
}

nowhere(zone) if {
	some match in regex.find_all_string_submatch_n(`^([a-z_]+)/[a-z]`, zone, 1)
	not match[1] in areas_of_zones
}

# Capitals and other cities that people write, whose zones are called after another one.
nowhere(zone) if {
	regex.match(
		concat("", [
			`^(asia/(abu_dhabi|bangalore|beijing|chennai|delhi|guangzhou|hanoi|islamabad|mumbai|new_delhi|osaka|shenzhen)|`,
			`america/(atlanta|austin|boston|brasilia|dallas|houston|miami|ottawa|philadelphia|rio_de_janeiro|san_francisco|seattle|washington)|`,
			`europe/(barcelona|cologne|edinburgh|frankfurt|geneva|hamburg|kharkiv|lviv|lyon|milan|milano|munich|roma|saint_petersburg|st_petersburg))$`,
		]),
		zone,
	)
}

words_of_zones := {
	"cet", "cuba", "default", "eet", "egypt", "eire", "est", "factory", "gb", "gmt", "greenwich", "hongkong", "hst", "iceland", "iran", "israel", "jamaica", "japan", "kwajalein", "libya",
	"localtime", "met", "mst", "navajo", "nz", "poland", "portugal", "posixrules", "prc", "roc", "rok", "singapore", "turkey", "uct", "universal", "utc", "wet", "zulu",
}

areas_of_zones := {
	"africa", "america", "antarctica", "arctic", "asia", "atlantic", "australia", "brazil", "canada", "chile", "etc", "europe", "indian", "mexico", "pacific", "posix", "right", "us",
}
