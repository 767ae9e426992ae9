# METADATA
# description: |
#   Variables of the pods of Spilo. WAL-E and WAL-G run by envdir and get what configure_spilo.py copies (write_wale_environment), and nothing else: postgres itself is started
#   with an environment that has none of them.
# related_resources:
#   - https://github.com/zalando/spilo/blob/master/postgres-appliance/scripts/configure_spilo.py
#   - https://github.com/zalando/spilo/blob/master/ENVIRONMENT.rst
package walguard.lib.spilo

import data.walguard.lib.barman
import data.walguard.lib.get
import data.walguard.lib.image
import data.walguard.lib.placeholder
import data.walguard.lib.store
import data.walguard.lib.text

# METADATA
# description: The variables that Spilo runs, and those of Patroni that name what runs or where the configuration lies.
commands := `^(CRONTAB|CALLBACK_SCRIPT|PATRONI_CONFIGURATION|PATRONI_POSTGRESQL_(BIN_.*|CONFIG_DIR|DATA_DIR))$`

# METADATA
# description: |
#   The variables of Patroni that say where it keeps its configuration, which an operator has it keep in the objects of its cluster: in a store of somebody else's lie other parameters. Of two stores
#   Patroni takes the first by name (patroni/dcs/__init__.py, get_dcs), and variables come before its file.
stores := `^PATRONI_((CONSUL|ETCD3?|EXHIBITOR|RAFT|ZOOKEEPER)_.*|NAMESPACE|SCOPE|KUBERNETES_(LABELS|NAMESPACE|SCOPE_LABEL))$`

# METADATA
# description: |
#   What Spilo makes of the value of a variable beyond a value, as the end of a sentence; undefined where that is nothing. configure_spilo.py fills it into Patroni's configuration,
#   in which a line break begins another key, and puts it into lines for cron and commands as it is, as does launch.sh. Where there is a content, it is written to the file of its name.
misread(name, value, variables) := "its line break begins another line of Patroni's configuration" if {
	contains(value, "\n")
	regex.match(`^(SSL_.*_FILE|PG.*|BGMON_LISTEN_IP|INITDB_LOCALE|SCOPE|HUMAN_ROLE|STANDBY_.*|CLONE_.*|RESTAPI_CONNECT_ADDRESS|PG_CONNECT_ADDRESS|WALE_.*|WAL_.*|LOG_.*|APIPORT|PAM_OAUTH2)$`, name)
} else := "Spilo puts it as it is into what cron, a shell or YAML reads" if {
	not regex.match(`^[\w./:,@+=~-]*$`, regex.replace(value, `\$\(\w+\)`, ""))
	regex.match(`^(PATH|PG(DATA|ROOT|HOME|PORT|USER_.*)|SSL_.*_FILE|(CLONE_|STANDBY_)?WALE_(ENV_DIR|BACKUP_THRESHOLD_.*)|LOG_(ENV_DIR|SHIP_SCHEDULE)|RW_DIR|WAL_RESTORE_TIMEOUT|INITDB_LOCALE|SCOPE|HUMAN_ROLE|APIPORT|CLONE_(TARGET_TIME|TARGET_TIMELINE|SCOPE|PGPASS|HOST|PORT|USER)|STANDBY_(HOST|PORT|PRIMARY_SLOT_NAME))$`, name)
	not spaced(name, value)
} else := "Spilo writes there, where others read programs or what cron runs" if {
	regex.match(`(^|/)\.\.(/|$)|^/(etc/(cron|pam|profile|runit|service)|var/spool|scripts|s?bin|usr/(local/)?s?bin)`, value)
	regex.match(`^(SSL_.*_FILE|(CLONE_)?WALE_(ENV_DIR|TMPDIR)|LOG_(ENV_DIR|TMPDIR)|RW_DIR|CLONE_PGPASS)$`, name)
} else := sprintf("Spilo writes %s there", [trim_suffix(name, "_FILE")]) if {
	endswith(name, "_FILE")
	startswith(name, "SSL_")
	regex.match(`^/(etc|usr|opt|lib|var)/`, value)
	variables[trim_suffix(name, "_FILE")]
}

# A time, and the five fields of a schedule.
spaced("CLONE_TARGET_TIME", value) if regex.match(`^[\w.:+ -]*$`, value)

spaced("LOG_SHIP_SCHEDULE", value) if regex.match(`^\s*(@\w+|([\w*/,-]+[ \t]+){4}[\w*/,-]+)[ \t]*$`, value)

# METADATA
# description: |
#   Of variables, {name: {"path", "resource"?}}, those that Spilo copies to nobody and that are meant for one that it copies, as walguard.model has unknown options.
unread(variables) := [object.union(object.union({"name": name, "program": "Spilo", "meant": concat("", [prefix, meant])}, level_of_unread(variables, prefix, meant)), object.filter(variable, ["path", "resource"])) |
	some name, variable in variables
	some prefix in ["", "CLONE_", "STANDBY_"]
	startswith(get.upper_case(name), prefix)
	meant := meaning(substring(name, count(prefix), -1))
	count([1 | some other in others_of(meant); variables[concat("", [prefix, other])]]) == 0
]

meaning(name) := meanings[get.upper_case(name)]

# The place of the archive, without which there are no backups, where they are asked for and no other place is named.
# WAL-G gets no key then (pkg/storages/azure/configure.go), and what is not Amazon's knows no instance profile.
level_of_unread(variables, "", meant) := {"level": "error"} if {
	some [destination, names] in keys_needed
	meant in names
	variables[destination]
	count([1 | some name in ["AZURE_STORAGE_SAS_TOKEN", "AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE"]; variables[name]]) == 0
} else := {"level": "error"} if {
	meant in destinations
	count([1 | some name in ["USE_WALG_BACKUP", "BACKUP_SCHEDULE"]; variables[name]]) > 0
	count([1 | some name in destinations; variables[name]]) == 0
} else := {}

level_of_unread(_, prefix, _) := {} if prefix != ""

keys_needed := [["WALG_AZ_PREFIX", {"AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_ACCOUNT"}], ["AWS_ENDPOINT", {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}]]

# Names are compared as they are written (os.environ), and keys of the operator's configuration are in small letters.
meaning(name) := get.upper_case(name) if {
	name != get.upper_case(name)
	regex.match(`^(WAL_(S3|GS|GCS|SWIFT)_BUCKET|WAL[EG]_(S3|GS|AZ|SWIFT|SSH)_PREFIX|AWS_(ENDPOINT|REGION|ACCESS_KEY_ID|SECRET_ACCESS_KEY|ROLE_ARN)|USE_WALG_(BACKUP|RESTORE)|BACKUP_(SCHEDULE|NUM_TO_RETAIN))$`, get.upper_case(name))
}

# The older variable of WAL-E says it too.
others_of(meant) := {meant, "WALE_S3_ENDPOINT"} if meant == "AWS_ENDPOINT"

others_of(meant) := {meant} if meant != "AWS_ENDPOINT"

meanings := {
	"WALG_S3_ENDPOINT": "AWS_ENDPOINT",
	"WALG_AWS_ENDPOINT": "AWS_ENDPOINT",
	"WALG_ENDPOINT": "AWS_ENDPOINT",
	"AWS_S3_ENDPOINT": "AWS_ENDPOINT",
	"AWS_ENDPOINT_URL": "AWS_ENDPOINT",
	"AWS_ENDPOINT_URL_S3": "AWS_ENDPOINT",
	"S3_ENDPOINT": "AWS_ENDPOINT",
	"S3_ENDPOINT_URL": "AWS_ENDPOINT",
	"WALG_S3_BUCKET": "WAL_S3_BUCKET",
	"WALE_S3_BUCKET": "WAL_S3_BUCKET",
	"WALG_GS_BUCKET": "WAL_GS_BUCKET",
	"WALE_GS_BUCKET": "WAL_GS_BUCKET",
	"WAL_GSC_BUCKET": "WAL_GCS_BUCKET",
	"WALG_GCS_BUCKET": "WAL_GCS_BUCKET",
	"WALE_GCS_BUCKET": "WAL_GCS_BUCKET",
	"WALG_GCS_PREFIX": "WALG_GS_PREFIX",
	"WAL_AZ_STORAGE_ACCOUNT": "AZURE_STORAGE_ACCOUNT",
	"AZURE_STORAGE_ACCOUNT_NAME": "AZURE_STORAGE_ACCOUNT",
	"AZURE_ACCOUNT_NAME": "AZURE_STORAGE_ACCOUNT",
	"AZURE_STORAGE_ACCOUNT_ACCESS_KEY": "AZURE_STORAGE_ACCESS_KEY",
	"AZURE_STORAGE_ACCOUNT_KEY": "AZURE_STORAGE_ACCESS_KEY",
	"AZURE_STORAGE_KEY": "AZURE_STORAGE_ACCESS_KEY",
	"AZURE_ACCESS_KEY": "AZURE_STORAGE_ACCESS_KEY",
	"AZURE_ACCOUNT_KEY": "AZURE_STORAGE_ACCESS_KEY",
	"AWS_ACCESS_KEY": "AWS_ACCESS_KEY_ID",
	"WALG_AWS_ACCESS_KEY_ID": "AWS_ACCESS_KEY_ID",
	"S3_ACCESS_KEY": "AWS_ACCESS_KEY_ID",
	"S3_ACCESS_KEY_ID": "AWS_ACCESS_KEY_ID",
	"AWS_SECRET_KEY": "AWS_SECRET_ACCESS_KEY",
	"AWS_SECRET_KEY_ID": "AWS_SECRET_ACCESS_KEY",
	"AWS_ACCESS_SECRET_KEY": "AWS_SECRET_ACCESS_KEY",
	"WALG_AWS_SECRET_ACCESS_KEY": "AWS_SECRET_ACCESS_KEY",
	"S3_SECRET_KEY": "AWS_SECRET_ACCESS_KEY",
	"S3_SECRET_ACCESS_KEY": "AWS_SECRET_ACCESS_KEY",
	"GOOGLE_CREDENTIALS": "GOOGLE_APPLICATION_CREDENTIALS",
	"GOOGLE_APPLICATION_CREDENTIAL": "GOOGLE_APPLICATION_CREDENTIALS",
	"GCP_CREDENTIALS": "GOOGLE_APPLICATION_CREDENTIALS",
	"WALG_AZURE_PREFIX": "WALG_AZ_PREFIX",
	"WALE_AZ_PREFIX": "WALG_AZ_PREFIX",
	"USE_WAL_BACKUP": "USE_WALG_BACKUP",
	"USE_WAL_RESTORE": "USE_WALG_RESTORE",
	"USEWALG_BACKUP": "USE_WALG_BACKUP",
	"USEWALG_RESTORE": "USE_WALG_RESTORE",
	"WALG_S3_REGION": "AWS_REGION",
	"AWS_S3_REGION": "AWS_REGION",
	"AWS_DEFAULT_REGION": "AWS_REGION",
}

# METADATA
# description: |
#   Why Spilo does not clone by its variables, {name: {"value"?, "path", "resource"?}}, as walguard.model has unusable stores; [] where they may come from elsewhere as well. Without a source it only says so in its log
#   and runs initdb (configure_spilo.py, set_extended_wale_placeholders).
clone_faults(variables) := [object.union(
	{
		"reason": sprintf("CLONE_METHOD is %s, and %s: Spilo clones nothing, and creates an empty database", [variables.CLONE_METHOD.value, lacking]),
		"cure": cure,
	},
	object.filter(variables.CLONE_METHOD, ["path", "resource"]),
) |
	some method, [lacking, cure] in clone_needs
	variables.CLONE_METHOD.value == method
	not cloneable(method, variables)
]

clone_needs := {
	"CLONE_WITH_WALE": ["no variable says where the backups of the source are", "Set CLONE_WALG_S3_PREFIX, or CLONE_SCOPE and CLONE_WAL_S3_BUCKET (CLONE_WAL_GS_BUCKET), and what the store asks for with CLONE_ in front"],
	"CLONE_WITH_BASEBACKUP": ["CLONE_SCOPE, CLONE_HOST, CLONE_USER or CLONE_PASSWORD is not set", "Set all four"],
}

cloneable("CLONE_WITH_WALE", variables) if {
	some name, _ in variables
	regex.match(`^CLONE_(WAL[EG]_(S3|GS|GCS|SWIFT|AZ|SSH)_PREFIX|WALE_ENV_DIR)$`, name)
}

cloneable("CLONE_WITH_WALE", variables) if {
	variables.CLONE_SCOPE
	some name, _ in variables
	regex.match(`^CLONE_WAL_(S3|GS|GCS|SWIFT)_BUCKET$`, name)
}

cloneable("CLONE_WITH_BASEBACKUP", variables) if {
	every name in ["CLONE_SCOPE", "CLONE_HOST", "CLONE_USER", "CLONE_PASSWORD"] {
		variables[name]
	}
}

# METADATA
# description: |
#   The majors of PostgreSQL that an image of Zalando's has, {"newest", "oldest"?}; undefined for others. Its name says the newest, and PGOLDVERSIONS of
#   postgres-appliance/Dockerfile at its release the oldest, which is left out where it is older than every major with a catalogue here.
majors(reference) := object.union({"newest": newest}, {"oldest": oldest | oldest := oldest_of(newest, object.get({"tag": tag | tag := image.tag(reference)}, "tag", ""))}) if {
	found := regex.find_all_string_submatch_n(`^spilo-([0-9]{2})$`, image.name(reference), 1)
	count(found) == 1
	newest := to_number(found[0][1])
}

oldest_of(17, _) := 13

oldest_of(16, tag) := 12 if startswith(tag, "3.3-")

oldest_of(16, tag) := 11 if not startswith(tag, "3.3-")

# ------------------------------------------------------------------------------------------------------- archive

# METADATA
# description: |
#   Names of the variables with which Spilo archives, each by itself (configure_spilo.py, USE_WALE). An account of Azure is none: without WALG_AZ_PREFIX nothing is
#   written for WAL-G.
destinations := {
	"WAL_S3_BUCKET",
	"WALE_S3_PREFIX",
	"WALG_S3_PREFIX",
	"WAL_GS_BUCKET",
	"WALE_GS_PREFIX",
	"WALG_GS_PREFIX",
	"WAL_GCS_BUCKET",
	"WALE_GCS_PREFIX",
	"WALG_AZ_PREFIX",
	"WALE_SWIFT_PREFIX",
	"WAL_SWIFT_BUCKET",
	"WALG_SSH_PREFIX",
}

# METADATA
# description: |
#   Why Spilo archives nothing though its variables, {name: {"value"?, "path", "resource"?}}, speak of a store, as walguard.model has unusable stores. They must be all that
#   its pods have, and mounts the directories in them that are mounted.
archive_faults(variables, mounts) := array.concat(of_azure(variables), array.concat(to_nowhere(variables), without_credentials(variables, mounts)))

of_azure(variables) := [object.union(
	{
		"reason": "AZURE_STORAGE_ACCOUNT names no container: Spilo archives to Azure by WALG_AZ_PREFIX alone, so that no WAL is archived and no backup taken",
		"cure": "Set WALG_AZ_PREFIX to azure://CONTAINER/$(SCOPE)/$(PGVERSION)",
	},
	object.filter(variables.AZURE_STORAGE_ACCOUNT, ["path", "resource"]),
) |
	variables.AZURE_STORAGE_ACCOUNT
	without_destination(variables)
]

without_destination(variables) if count(object.keys(variables) & destinations) == 0

# One of them alone may be for something else.
to_nowhere(variables) := [object.union(
	{
		"reason": sprintf("%s are set and nothing says where backups go: Spilo archives no WAL, takes no backup and says nothing", [text.list(array.slice(names, 0, 2), "and")]),
		"cure": "Set WALG_S3_PREFIX, WALG_GS_PREFIX or WALG_AZ_PREFIX, or take them out",
		"level": "warning",
	},
	object.filter(variables[names[0]], ["path", "resource"]),
) |
	without_destination(variables)
	not variables.AZURE_STORAGE_ACCOUNT
	names := sort([name | some name in ["AWS_ENDPOINT", "BACKUP_NUM_TO_RETAIN", "BACKUP_SCHEDULE", "USE_WALG_BACKUP", "WALE_S3_ENDPOINT", "WALG_DISABLE_S3_SSE"]; variables[name]])
	count(names) > 1
	count(unread(variables)) == 0
]

without_credentials(variables, mounts) := [object.union(
	{
		"reason": sprintf("GOOGLE_APPLICATION_CREDENTIALS is %s, where nothing is mounted: WAL-G finds no key and archives nothing", [variable.value]),
		"cure": "Mount the Secret there, or leave it out where the pods have an identity of their own",
	},
	object.filter(variable, ["path", "resource"]),
) |
	count([1 | some name in ["WAL_GS_BUCKET", "WALE_GS_PREFIX", "WALG_GS_PREFIX", "WAL_GCS_BUCKET"]; variables[name]]) > 0
	variable := variables.GOOGLE_APPLICATION_CREDENTIALS
	startswith(variable.value, "/")
	not placeholder.holds(variable.value)
	count([1 | some mount in mounts; startswith(variable.value, sprintf("%s/", [trim_suffix(mount, "/")]))]) == 0
	count([1 | some mount in mounts; mount == variable.value]) == 0
]

# METADATA
# description: |
#   What WAL-G finds no store by, of variables, {name: {"value"?, "path", "resource"?}}, as walguard.model has unusable stores. Spilo puts the scheme before the name of a bucket and a path
#   behind it (configure_spilo.py, write_wale_environment); WAL-G takes no prefix without scheme ("missing url scheme and/or host") and no compression that it does not know.
place_faults(variables) := array.concat(
	[object.union({"reason": sprintf("%s is %s, which %s: %s", [name, value, fault[0], consequences[prefix]]), "cure": fault[1]}, object.filter(variables[name], ["path", "resource"])) |
		some prefix in ["", "CLONE_", "STANDBY_"]
		some plain, scheme in schemes
		name := concat("", [prefix, plain])
		value := variables[name].value
		not placeholder.holds(value)
		fault := misplaced(name, value, scheme)
	],
	[object.union(
		{"reason": sprintf("%s is %s, a compression that WAL-G does not know: nothing is archived or backed up", [name, value]), "cure": "Write lz4, lzma, zstd or brotli"},
		object.filter(variables[name], ["path", "resource"]),
	) |
		some name in ["WALG_BACKUP_COMPRESSION_METHOD", "WALG_COMPRESSION_METHOD"]
		value := variables[name].value
		regex.match(`^[A-Za-z0-9]+$`, value)
		not value in {"brotli", "lz4", "lzma", "none", "zstd"}
	],
)

consequences := {"": "nothing is archived or backed up", "CLONE_": "no backup is found", "STANDBY_": "no backup is found"}

schemes := {"WAL_S3_BUCKET": "s3", "WAL_GS_BUCKET": "gs", "WAL_GCS_BUCKET": "gs", "WALG_S3_PREFIX": "s3", "WALE_S3_PREFIX": "s3", "WALG_GS_PREFIX": "gs", "WALE_GS_PREFIX": "gs", "WALG_AZ_PREFIX": "azure"}

misplaced(name, value, scheme) := [sprintf("Spilo puts %s:// before once more", [scheme]), sprintf("Write %s", [trim_right(split(value, "://")[1], "/")])] if {
	endswith(name, "_BUCKET")
	contains(value, "://")
} else := [sprintf("has no %s:// before it", [scheme]), sprintf("Write %s://%s", [scheme, trim_left(value, "/")])] if {
	endswith(name, "_PREFIX")
	value != ""
	not startswith(value, "$")
	not contains(value, "://")
}

# METADATA
# description: |
#   Of the same variables, those that Spilo's programs cannot read and pass over, as walguard.model has ignored settings: postgres_backup.sh stops at a number of backups that is none before it deletes any.
#   Images without WAL-E know CLONE_WITH_WALG as well.
unheeded(variables, reference) := array.concat(unknown_methods(variables, reference), numbers_of_backups(variables))

unknown_methods(variables, reference) := [object.union(
	{
		"name": sprintf("CLONE_METHOD %s", [variable.value]),
		"reason": "Spilo clones by CLONE_WITH_WALE, for WAL-G too, or CLONE_WITH_BASEBACKUP alone, and creates an empty database. Write one of them",
		"level": "warning",
	},
	object.filter(variable, ["path", "resource"]),
) |
	variable := variables.CLONE_METHOD
	variable.value != ""
	not placeholder.holds(variable.value)
	not clone_needs[variable.value]
	not known_without_wal_e(variable.value, reference)
]

known_without_wal_e("CLONE_WITH_WALG", reference) if not has_wal_e(reference)

numbers_of_backups(variables) := [object.union(
	{
		"name": sprintf("BACKUP_NUM_TO_RETAIN \"%s\"", [variable.value]),
		"reason": "it is no number, and Spilo's script stops at it before it deletes what is old, so that every backup stays; write a number alone",
		"level": "warning",
	},
	object.filter(variable, ["path", "resource"]),
) |
	variable := variables.BACKUP_NUM_TO_RETAIN
	variable.value != ""
	not placeholder.holds(variable.value)
	not regex.match(`^\s*([1-9][0-9]*|0)\s*$`, variable.value)
]

# METADATA
# description: |
#   What the store may refuse of what WAL-G sends, as walguard.model has store refusals: where an endpoint is set, it signs for us-east-1 unless a region reaches it. Releases that still
#   have WAL-E pass the region on with USE_WALG_BACKUP alone (configure_spilo.py, write_wale_environment), which image says, its reference or "".
region_faults(variables, reference) := [object.union(
	{
		"reason": concat("", [lacking, trim_prefix(replace(replace(verdict.reason, "boto3", "WAL-G"), "nothing is archived or backed up", consequence), "No region is named")]),
		"cure": sprintf(cure, [prefix]),
		"level": verdict.level,
	},
	object.filter(variables[named], ["path", "resource"]),
) |
	some prefix, consequence in {"": "nothing is archived or backed up", "CLONE_": "no backup is found", "STANDBY_": "no backup is found"}
	named := concat("", [prefix, "AWS_ENDPOINT"])
	endpoint := get.lower_case(variables[named].value)
	not placeholder.unknown(endpoint)
	speaks_of_s3(prefix, variables)
	[lacking, cure] := region_lacking(variables, prefix, reference)
	verdict := barman.unregional(endpoint)
]

speaks_of_s3("", variables) if count(object.keys(variables) & {"WAL_S3_BUCKET", "WALE_S3_PREFIX", "WALG_S3_PREFIX"}) > 0

speaks_of_s3(prefix, _) if prefix != ""

region_lacking(variables, prefix, reference) := ["No region is named", "Set %sAWS_REGION"] if {
	not variables[concat("", [prefix, "AWS_REGION"])]
} else := [sprintf("%sAWS_REGION is passed on with %sUSE_WALG_BACKUP alone", [prefix, prefix]), "Set %sUSE_WALG_BACKUP to \"true\""] if {
	not variables[concat("", [prefix, "USE_WALG_BACKUP"])]
	has_wal_e(reference)
}

has_wal_e(reference) if {
	majors(reference)
	regex.match(`^([123]|4\.0)[.-]`, image.tag(reference))
}

# METADATA
# description: |
#   Endpoints at which WAL-G finds no bucket, of the same variables, as walguard.model has unusable stores: it puts the bucket in front of the host unless AWS_S3_FORCE_PATH_STYLE is true, which Spilo sets by
#   itself since 2.1-p4 (configure_spilo.py, write_wale_environment). WAL-E, which older images take unless they are told to take WAL-G, has paths.
path_faults(variables, reference) := [object.union(
	{
		"reason": sprintf("WAL-G looks for the bucket at BUCKET.%s, and %s has no such name: %s", [host, kind, consequence]),
		"cure": sprintf("Set %sAWS_S3_FORCE_PATH_STYLE to \"true\"", [prefix]),
	},
	object.filter(variables[named], ["path", "resource"]),
) |
	majors(reference)
	regex.match(`^(1\.|2\.0-|2\.1-p[1-3]$)`, image.tag(reference))
	some [prefix, switch, consequence] in [["", "USE_WALG_BACKUP", "no WAL is archived, and no base backup ends"], ["CLONE_", "USE_WALG_RESTORE", "no backup is found"], ["STANDBY_", "USE_WALG_RESTORE", "no backup is found"]]
	named := concat("", [prefix, "AWS_ENDPOINT"])
	not placeholder.holds(variables[named].value)
	[host, kind] := store.bucketless(get.lower_case(variables[named].value))
	variables[concat("", [prefix, switch])].value == "true"
	object.get(variables, [concat("", [prefix, "AWS_S3_FORCE_PATH_STYLE"]), "value"], absent(variables, concat("", [prefix, "AWS_S3_FORCE_PATH_STYLE"]))) == "false"
]

# Of one whose value is not in sight nothing is known.
absent(variables, name) := "unknown" if variables[name]

absent(variables, name) := "false" if not variables[name]

# METADATA
# description: |
#   What is cloned, or followed by a standby, with WAL-E though it is WAL-G's, as walguard.model has unusable stores: releases that have both take WAL-G of themselves from Amazon's store alone (configure_spilo.py,
#   set_walg_placeholders, and clone_with_wale.py), and USE_WALG_RESTORE is for the cluster's own archive. The variables have to be all that the pods have.
restore_faults(variables, reference) := [object.union(
	{
		"reason": sprintf("%sUSE_WALG_RESTORE is not set, and Spilo looks in %s for backups of WAL-E then, where WAL-G makes them: %s", [prefix, place, consequence]),
		"cure": sprintf("Set %sUSE_WALG_RESTORE to \"true\"", [prefix]),
	},
	object.union(object.filter(variables[named], ["path", "resource"]), level),
) |
	has_wal_e(reference)
	some [prefix, consequence, level] in [["CLONE_", "no backup is found", {}], ["STANDBY_", "the standby never comes up", {"level": "warning"}]]
	restores_by(prefix, variables)
	count([1 | some name, _ in variables; regex.match(sprintf(`^USE_WALG$|^%s(WAL[EG]_S3_PREFIX|WAL_S3_BUCKET|USE_WALG(_RESTORE)?)$`, [prefix]), name)]) == 0
	some [pattern, place] in [[`^(WAL[EG]_GS_PREFIX|WAL_GS_BUCKET)$`, "Google Cloud Storage"], [`^WALG_AZ_PREFIX$`, "Azure"]]
	named := sort([name | some name, _ in variables; startswith(name, prefix); regex.match(pattern, trim_prefix(name, prefix))])[0]
	archived_by_walg(place, variables)
]

restores_by("CLONE_", variables) if variables.CLONE_METHOD.value == "CLONE_WITH_WALE"

restores_by("STANDBY_", variables) if not variables.CLONE_METHOD

# WAL-E is not told of Azure.
archived_by_walg("Azure", _)

archived_by_walg(_, variables) if get.lower_case(variables.USE_WALG_BACKUP.value) == "true"
