# METADATA
# description: |
#   The model: one PostgreSQL cluster in one form, whoever's custom resource it came from. Checks read this and nothing
#   of an operator. Every fact is known, an operator's or PostgreSQL's default, or undefined (unknown); null never occurs.
#
#   An adapter (walguard.operators.<op>) recognises a resource and defines `cluster`:
#     operator       name of the operator as its users write it ("CloudNativePG")
#     name, namespace
#     partial        true when the resource carries only a few facts of the cluster (an OpsRequest, a ConfigMap): what is absent is unknown, not default
#     others         list of texts, a name for each other cluster that the resource changes or holds at once: the adapter reads that one when k8s.chosen is its name
#     change         true when the resource changes a cluster that is another one: it answers only for findings that lead into it
#     client         true of a change that runs clients or poolers by itself: its server is not in sight, and "hosts" are the names that it calls
#     by_hand        true of a change that goes by the operator, if the server has one: SQL, files, what Patroni keeps
#     edition        "postgresql", "enterprisedb", "postgrespro-enterprise", "polardb", … (absent: "postgresql")
#     major          fact (walguard.lib.fact) with the major version as number
#     minor          fact: the minor release, where it is written apart from an image
#     image          fact: the reference of the server's image, where one is written
#     copied_without_image  {"path", "field": where an image would be written}: the data come from a backup, and the image is what the operator takes of itself
#     image_of_the_day  {"path", "field": where an image would be written}: a new cluster gets the image that its operator has by default when it is made
#     image_major    fact: the major of PostgreSQL in the image that is written, where the operator does not go by it, with {"consequence": of another one than major, one clause, "range"?: the majors that it has, in words, "cure"?: sentence without the full stop}
#     wrong_images   list of {"reason", "cure": sentences without the full stop, "path", "resource"?, "level"?: severity, else error}: images that have not the programs that run in their place
#     requests_fitted  true where the operator raises a limit that is below its request, or refuses the resource itself
#     upgrade        {"by": "operator" | "nobody", "one_distribution"? true where the operator upgrades between images of one distribution only, "way"? the kind of object that asks for it}: who upgrades the data when the major changes; absent where it cannot be changed in place
#     collation      fact: what sorts text, "C", "POSIX", "icu", "builtin" or the name of a locale of the C library
#     archive_program  fact: a program that the image must have for WAL to be archived, with {"absent"? true where it is known to lack it}
#     archive_name   fact: under which name WAL and base backups go where, in words, with {"cure": a format of the next major, one clause}; where the archive does not tell majors apart
#     removals       list of {"path", "of": "backups" or "metrics", "what", "release": of the operator, "instead"}: what is written here and will be taken away
#     parameters     list of {"name", "value" (any JSON), "path", "argument"?: true on a command line, "resource"?, "line"? (from 1, in the text at the path), "file"? and "first_line" of
#                    that text, where it is a file's} in the operator's order of precedence: the last of a name wins
#     parameters_path  where a parameter would be written ([] when the resource has no such place)
#     parameter_values what the operator's schema takes at parameters_path: "text" (strings), "text or integer" or "any"
#     defaults       {parameter: text or ""}: what the operator sets when nobody writes it ("" = computed from something that is not known)
#     managed        {parameter: text or ""}: what the operator sets whatever is written ("" = depends)
#     forbidden      {parameter: text}: what the operator or its schema refuses below parameters_path, unless it is that text
#     refusals       list of {"path", "reason": one clause, "cure": one sentence, "by"? who refuses it where that is not the operator, "refused"? what, where that is not the resource, "level"? severity}: what the operator, its webhook or its plugin refuses the resource for
#     ignored        list of {"name", "value"?, "path", "resource"?, "reason": one clause, "level"?: severity of its own}: parameters written where nobody reads them
#     inclusions     list of {"name", "file", "path"}: what puts a file in the place of postgresql.conf that is not the resource's
#     unread         list of {"source": where else parameters come from, in words, "path", "resource"?, "missing"?: true where an object is named that is not in
#                    sight, "reason"?: clause, "severity"?: of the finding}
#     syntax_errors  list of {"reason", "path", "resource"?, "line", "file"?, "first_line"?}: lines of a postgresql.conf that PostgreSQL cannot read
#     misstated      list of {"path", "reason": one clause}: facts of a document of walguard's own that nobody can read
#     companions     list of {"container": in words, "resources": {"requests", "limits"}, "burstable": whether a container of its pod says some, "path": where they are written, "unsettable"?: true where no field sets them}: containers that stand in pods
#                    of the cluster beside the server, or in pods that work for it
#     machine        true for a server on a machine of its own and not in pods: what nobody states of it (huge pages, backups) is unknown
#     patroni        true when Patroni writes postgresql.conf: it leaves out what it does not know or cannot read, and moves
#                    numbers into their range, where PostgreSQL would not start
#     patroni_by     who starts Patroni where that is no operator: "container" by its command, or "script", which may install it first
#     instance_sets  list of {"name", "path", "replicas"? fact, "resources" {"requests","limits"}, "resources_path",
#                      "node_types"? fact: the types of machine its pods may run on, a list of the names that the cloud gives them,
#                      "resources_filled"? true where the operator gives what "resources" does not say, "default_limit"? {"memory": the limit that it gives unless a configuration out of sight
#                      says another, "archives"?: true where WAL is archived by a program in the same container}, "data"? volume, "wal"? volume,
#                      "wal_path"? where a WAL volume would be written, absent where the operator has none, "tablespaces"? list of volumes, each with
#                      its "name" and "temporary"? true for one that holds temporary objects only}; volume = {"path", "size", "size_path", "class"?, "class_path",
#                      "attributes_class"?, "parameters"? {iops, throughput, type as the StorageClass spells them}, "resource"?, "provisioner"?, "disk_name"? and
#                      "filesystem"? (see volumes) where they are stated and no StorageClass is asked, "many"? (path of the access modes of a filesystem for many nodes), "mixed"? (path of access modes that may not stand together), "ephemeral"? (text: what goes with the pod, "an emptyDir"), "left_behind"? true where it stays on the node that the pod leaves}
#     instances      fact: number of PostgreSQL instances of the cluster
#     segment        fact: WAL segment size, {"value": number of megabytes, or the text where it is none, "unit": "MB", …}; initdb's 16 where
#                    initdb ran without a word about it, unknown in a cluster recovered from another one
#     checksums      fact: data checksums, boolean
#     rewind         {"used": bool, "consequence": what happens when pg_rewind refuses, one clause}
#     slots          fact: standbys stream from replication slots, boolean
#     synchronous    fact: the cluster has synchronous standbys, boolean
#     pooler         fact: a connection pooler stands before the primary, boolean; with {"connections": number} that its instances together open
#                    at most for one user on each database, and "cached"?: likewise for as many users and databases as they are set to keep connections for
#     pooler_sums    fact: how a pooler authenticates that logs in to the server with MD5 sums, where it has SCRAM secrets, with {"variable": that says so, "cure"?: sentence without the full stop, "server"?: why it has them, a clause, "level"?: another severity}
#     poolers_beside list of {"name": in words, "labels", "own", "count"?}: poolers that are workloads of their own; labels and own as in selection
#     pooler_pods    list of {"host": name of a Service, "labels": of the pods behind it, as far as they are known}: poolers that the operator makes
#     own_monitor    true where the operator makes a PodMonitor for the servers
#     bare_poolers   list of {"name", "path", "resource"}: poolers whose pods ask for no resources
#     pooler_metrics  list of {"name", "selector": label of its pods, in words, "labels": of these, "path", "resource"}: poolers whose metrics nobody collects unless a PodMonitor leads to them
#     pooler_limits  list of {"hosts": names of its Services, "clients": number that its instances together take at most, "written": that number as it comes about, "cure": sentence without the full stop
#                    with a place for the number, %d, "each": number of its instances, "path", "resource"?, "direct_port"? of the same Services that leads to the server itself}: poolers with a limit of clients
#     pooler_faults  list of {"reason", "cure": sentences without the full stop, "path", "resource"?, "level"?: severity, else warning}: why users cannot log in through a pooler
#     prepared       list of {"reason", "cure": sentences without the full stop, "path", "resource"?}: clients that prepare statements, or do what needs a session, and come by a pooler that does not follow them, "level"?: severity, else warning
#     impatient_poolers  list of {"reason", "cure": sentences without the full stop, "path", "resource"?}: poolers that are killed before they have let their clients go
#     schedules_beside  true where the files have the store of its backups or the keys to it, and schedules of no cluster
#     others_backed_up  true when backups of other clusters were found where this one's would stand, none of which can be its own
#     schedules_known  true when schedules that are not found do not exist: they stand in the resource, or other ones were found where they stand
#     first_backup   true when the operator takes one base backup after it has created the cluster, whatever is scheduled
#     backed_up_elsewhere  true where the operator takes no base backup of it, since it follows a primary that is backed up
#     archive_target fact: the directory that archive_command copies to, where that is not a place of its own; with {"where": "data volume" | "container"}
#     recovery_target  fact: the moment that the cluster is recovered to when it is created, as text; with {"local"?: true where the server takes one without a time zone for its own}
#     begun          fact: how the cluster is created and what is read then alone, with {"from": map of what it is made from}
#     clock          fact: a time zone other than UTC that the cluster is told of, with the "name" of the variable or parameter
#     snapshot_classes  list of {"name", "path"}: the VolumeSnapshotClasses that backups name
#     snapshot_owner fact: what the volume snapshots are deleted with, "cluster" or "backup"; unasked?: true where the schedules found take none
#     own_libraries  fact: the list of preloaded libraries, where the server has only those of its image and libraries_brought; with {"asked"?: who names them, in words, where that is not shared_preload_libraries, "cure"?: sentence without the full stop}
#     uninstalled_libraries  {"reason", "cure": sentences without the full stop, "path", "resource"?}: libraries that are preloaded and that the operator was not told to install
#     libraries_mounted  true where libraries are mounted, or installed at the start, that the image does not have, and of which nothing is known
#     libraries_brought  list of the names of libraries and extensions that images mounted beside that of the server have
#     preload        list of the libraries that the operator preloads unless shared_preload_libraries is written
#     standby_backup fact: base backups are taken from a standby, boolean; the path leads to the choice
#     archiving      fact: "on", "off" or "discards" (archiving looks on but drops WAL)
#     torn_page_repair  true for a product that repairs torn pages itself
#     unsized_claims  list of {"written": the name of what they ask for, "path", "resource"?}: claims that ask for no storage
#     held_claims    list of the names of PersistentVolumeClaims that its pods mount by name
#     templated_claims    {name: spec} of those that a template of its own makes
#     data_claim     the name of the PersistentVolumeClaim on which the data directory of its only pod lies
#     data_claims    regular expression of the names of the PersistentVolumeClaims that hold its data, as the operator calls them
#     claims_stay    true where nothing makes them larger when the resource asks for more: what is there already stays as it is
#     deletions      list of {"what": "volumes" | "claims" | "backups" | "volumes and backups", "setting": as it is written, "level"?: severity, else by what goes, "when"?: "scaled to 0" (absent: deleted), "default"?: true where the operator does so of its own accord, "cure"?: sentence without the full stop, "path", "resource"?}: what goes with the resource because it says so
#     pruned         list of {"reason", "cure": sentences without the full stop, "level": severity, "path", "resource"}: what of the cluster a GitOps tool takes for its own and deletes
#     claims_go      true where the operator removes the claims when the resource is deleted, whatever it says
#     claims_kept    true where the operator leaves the claims when the resource is deleted
#     unmounted      list of {"role": "data" | "WAL", "directory", "path", "mounted": mount paths of the volumes that outlive the pod, "idle"?: names of claims that no container mounts, "relied"?: true where a StatefulSet has the server}: directories of
#                    the server that lie on no volume (plain workloads; operators mount what they need)
#     lost           list of {"what": part of the server's files, in words, "on": what goes with the pod, "when"?: another moment at which it goes, "path", "resource"?}, or {"reason", "cure": sentences without the full stop, "path", "resource"?}: what of the data is not on the volume of the instance sets
#     cuts           list of {"name": of a container that runs no server, "what": it takes from one of what that needs to recover, in words, "path"}
#     overlap        fact: two servers may come to run on one data volume, "replicas" (all of them do), "update" (the new one starts before the
#                    old one is gone) or "other" (another workload's does); with {"claim": name of the claim, "other"?: kind and name of that workload}; "host": true where "claim" is a directory of the node
#     overlap_by_scaler  fact: the number of pods to which "scaler" may raise those on the one claim "claim"
#     pods           list of {"sysctls"?: path of a list of sysctls for the pods, "containers"?: paths of lists of containers that run in them
#                    besides the operator's own, "volumes"?: path of the list of volumes that these mount, "additions"?: path of a list of volumes that say where they are mounted, "environment"?: paths of lists of variables of
#                    the server, "given"?: list of {"name", "value", "path", "resource"}: variables that the operator's configuration gives it besides}; walguard.model.kernel reads what they set, walguard.model.containers what they lack
#     patience       fact: seconds that a starting server has until something kills it for not taking connections, with {"probe": what kills it,
#                  "starting"?: true of a probe for the start, "seconds"?: true where these seconds are what the place has}
#     pod_lists      list of paths of what stands as imagePullSecrets, tolerations or topologySpreadConstraints of pods, where something does
#     affinities     list of paths of what stands as nodeAffinity, podAffinity or podAntiAffinity of pods
#     selection      what Services and PodDisruptionBudgets see of the pods: {"labels": what all of them carry, "own": those of them that
#                    no other pods carry together, "count"?: number of pods}
#     hosts          list of the names by which the cluster is reached in its namespace (Services)
#     traffic        list of {"port", "from": "operator" | "instances", "other_names"?: set of the names of other ports of the pods, "labels"?: of the pods, where they have no others, "consequence": one clause, "level"?: severity, else warning}: what has to reach the pods
#     reaches        list of {"ports": set of numbers that lead there, "to": "api" | "names" | "instances" | "outside", "host"? of what is outside, "what": in words, "consequence": one clause}: what the pods have to reach
#     waiting_jobs   list of {"what": in words, "proxy": a mesh's, in words, "unless": clause, "on": what makes it end, "field": where that is written, "path"}: jobs whose end the operator waits for, with a proxy that does not end
#     unending_jobs  list of {"what": in words, "field": where their annotations are written, "path", and the proxy as walguard.lib.mesh describes it}: jobs of an operator that a service mesh gives a proxy which does not end
#     outposts       list of {"name": in words, "labels", "way": "Egress" | "Ingress", "ports", "what", "consequence"}: likewise of other pods, in whatever namespace they are
#     api_needs      {"account": service account of the pods, "needs": list of {"resources": of the core API, one of which is enough, "verbs"}}: what Patroni
#                    asks the API server for in the namespace
#     helpers        list of {"name": in words, "labels", "lacking": set of labels that they do not carry, "reaches"}: other pods that work for the cluster
#     annotations    {"path": of the annotations of the pods, "volume": name of the data volume in the pods}
#     primary_budget fact: the operator keeps a PodDisruptionBudget that forbids to evict the primary, boolean, with {"field"?: what switches it off}
#     requests_hold_buffers  true where the operator refuses shared_buffers above the memory request
#     shared_memory  fact: bytes of /dev/shm in the pods; absent when the memory of the pod is the only bound, and when unknown
#     synchronous_short  {"path", "resource"?, "reason": one clause, "cure": sentence without the full stop, "level"?: severity, else error}: more standbys have to confirm than are asked
#     commit_wait    fact: number of standbys without which no commit returns, however long they are gone; with {"relax": what lets commits return without}
#     synchronous_refused  list of {"path", "reason": one clause, "cure"}: what the operator refuses of its settings for synchronous standbys
#     quorum_deadlock  fact: true where a startup probe waits for what synchronous replication does not allow before it
#     unknown_sample  true where the image may have a postgresql.conf.sample of its own, so that defaults of PostgreSQL's are not certain
#     decoded_hosts  list of the names of Services that lead to the primary, where "hosts" are not known: those that read from slots come by them
#     slots_left     {"kept": names of logical slots that another instance has when it takes over, "cure": sentence without the full stop}: the others stay on the former primary
#     decoders       list of {"what": that decodes the WAL, in words, "who"?: words for who keeps a slot for that, "consequence" where wal_level does not allow it, one clause, "path", "resource"?, "level"?: severity, else error}: what of the operator's or the image's own needs wal_level=logical
#     permanent_slots  fact: number of replication slots that the operator keeps beside those of the standbys
#     failover_lag   fact: the bytes that a standby may be behind to be promoted (Patroni, maximum_lag_on_failover), with {"within"?: true where it is a part of a file}
#     patroni_timing {"ttl", "loop_wait", "retry_timeout"}: facts in seconds, where one of them is written
#     primary        {"object", "path"}: the object of the server that this one streams from, where both are manifests of their own
#     follows        fact: it replays the WAL of a primary elsewhere, and its limits of connections and processes must not be below that one's
#     unrelated_servers  fact: number of servers, each with a volume of its own, that know nothing of each other
#     one_node, one_zone   facts: what keeps, or does not keep, all instances on one node (a clause), with "soft"? true where that is a default for all clusters; the zone that all must be in
#     hba            list of lines of pg_hba.conf that a user wrote, in order (walguard.lib.hba); "hba_needs" list of {"type", "database", "reason": one clause,
#                    "line"}: what must be among them where nothing of the operator's own stays
#     hba_added      list of {"source": in words, "text": the line, "path", "resource"?}: scripts of the first start that add a line with trust to pg_hba.conf
#     hba_unread     list of {"source": in words, "path", "resource"?, "severity"?}: where else lines of pg_hba.conf come from
#     open_poolers   list of {"pooler", "text": what is written, "cure": sentence without the full stop, "path", "resource"?, "level"?: severity, else error}: poolers that ask clients for no password
#     pooler_lines   list of {"pooler", "lines": as those of "hba"}: the lines by which a pooler asks its clients, in the form of pg_hba.conf
#     copied_by      paths of init containers that do nothing but copy files in sight to where the server sees them: what they copy has been read
#     hba_file_read  true where the lines are those of the file that hba_file names
#     hba_of_start   {"path", "resource"?}: a pg_hba.conf that lets nobody in who sets the first passwords
#     hba_rest       fact: the line of pg_hba.conf that the operator writes behind those of the user
#     hba_behind     fact: likewise a line of another kind, which decides something only where none of the user is for everybody
#     passwords      list of {"name", "path", "resource"?}: passwords that stand in a manifest
#     guessable      {"service", "path"}: a password that attackers try first, of a server that a Service opens to the internet
#     login_mismatch fact: the owner of the database, with {"login", "secret"}: a Secret of another user's
#     tls_key        {"path", "reason": one clause, "cure", "certain": false where something out of sight may say otherwise}: why the server cannot take its private key
#     served         fact: something reaches the server over the network, boolean; "loopback_only" fact: it listens on the loopback only, text, with "level"?: severity
#     liveness       fact: seconds that a try of a liveness probe may take which starts a client, with {"window": seconds until it kills, "session"? {"superuser": bool,
#                    "path"} where it needs a session}
#     readiness      the same of a readiness probe
#     alone          fact: the kind of a server that nothing creates again when it goes, though its volume stays
#     grace          fact: seconds that a stopping server has until it is killed, with {"field", "waits_for_clients"? true where it lets them go on until then}
#     data_on_root   fact: data directory that is the root of a new volume, with {"claim": id in model.volumes, "fixed"? true where no variable moves it, "existing"? true where the server is there already}
#     data_occupied  list of {"value": data directory, "inside": what is mounted in it, "wal": bool, "path", "level"?: severity, else warning, and, where it is not a mount, "reason", "cure": sentences without the full stop}: where initdb finds a new directory that is not empty
#     data_place     fact: which volume and where in it the data directory is, "volume" in words, "within": path without a slash in front, with {"major"?, "owner"?: number of the user that its files belong to, "adapts"?: true where the new server makes them its own, "configuration"?: "inside" or "outside" of it}; "data_brought": true where the
#                    claim is bound to a volume or copied, so that it may hold data; "data_place_hidden": {"variable", "path"} where a variable says it whose value is not in sight
#     closed_hba     {"path", "resource"?}: a pg_hba.conf in force that lets in nobody but the pod itself, though a Service leads to it
#     closed_family  {"service", "path", "resource"?}: a pg_hba.conf in force that lets in IPv4 alone, and a Service that has IPv6 alone
#     powerless_hook  {"program", "user", "path"}: the preStop hook changes the user, which the container's own may not
#     hasty_hooks    list of {"program", "path"}: postStart hooks that ask the server once, as the container begins
#     dead_probes    list of {"probe", "reason": one clause, "path"}: probes of the server that can never succeed
#     lost_clients   list of {"client", "reason": one clause, "cure", "path", "resource"?, "level"?: severity, else warning, "outcome"?: else that it finds no database}: programs that have the server's password and look for it where it is not, or take the name of the cluster for that of a Service
#     first_boot     {"value": seconds until the probe kills it, "probe", "path", "starting"?, "slow": scripts that wait or restore, "scripted": whether there are any}: a probe over TCP while the image makes a new database and does not listen
#     copied_at_start  fact: true where a standby is copied from the primary before its server starts
#     buffers_of_first_start  fact: the percentage of the memory limit that the image writes as shared_buffers into the file of its first start, and never again, with {"by": what program does so}
#     first_start    map of name -> {"value", "path", "variable"? where the name says more than that, "by_hand"? true of a word that somebody replaces by hand, "reason"? and "cure"? where it is not the image,
#                    "message"? instead of all of them, "absent"? true where there is nothing to tell of}:
#                    variables with a value in sight that an image reads on its first start alone
#     shadowed       fact: data directory on a volume of the image that hides the one mounted above it, with {"mount", "volume", "cure", "level"?}
#     unreachable_files  list of {"reason", "cure": sentences, "level": severity, "path", "claim"?: id in model.volumes, where it depends on the volume, "anywhere"?: true where it does
#                    so on network filesystems only}: why the server cannot reach its own files
#     lonely_backup  {"setting", "path"}: a setting by which base backups are left to standbys, of a cluster that has none
#     own_dumps      list of {"image", "newest": the newest major whose pg_dump the image has, "path", "resource"?}: jobs of the operator's own that dump the cluster
#     shared_claims  list of {"claim", "directory", "path"}: claims that all instances mount where each of them writes
#     size_fixed     {"reason": one clause, "cure": a sentence without the full stop}: why a size that is raised changes nothing in a cluster that exists
#     lockouts       list of {"reason", "cure": sentences without the full stop, "path", "resource"?, "level"?}: why standbys cannot log in to the primary whatever pg_hba.conf says, and whom in sight a pg_hba.conf of one's own lets in by no line
#     repository_volumes  map of a volume as in instance_sets by the name of the repository on it: volumes for backups that the operator claims
#     ungrown        {"reason", "cure": sentences without the full stop, "path", "resource"?}: why the operator does not grow the volumes
#     api_elsewhere  {"namespace", "variable", "path", "resource"?}: a namespace that is not the pods' own, in which Patroni looks for them
#     unlabelled     {"labels": list of "name=value", "path"}: labels by which Patroni looks for the members and that the pods lack
#     hidden         {"mount", "what", "cure": sentence without the full stop, "path"}: what of the image a volume hides without which the server does not start
#     unusable_stores  list of {"reason", "cure": sentences without the full stop, "path", "resource"?, "level"?: severity, else error}: why the program that archives and backs up can never use the place that is written
#     backup_sidecars  list of {"what": in words, "limit"?: of its memory, where one is written, "field": where it is written, "path", "resource"}: containers beside the server that take base backups
#     visits         list of {"port", "by": pattern of the image's name, "consequence": one clause, "labels"?: where labels of the pods are written, in words, "path"?}: what the operator itself connects to in the pods of the server
#     store_refusals  list of {"reason", "cure": sentences without the full stop, "level": severity, "path", "resource"?}: why a store may refuse what the program that archives sends to it
#     initdb_user    fact: the number of the user that runs initdb, which the image must know by name
#     misspelt_fields  list of {"name", "path", "resource"?, "meant", "refused"?: true where kubectl hears of it from the API server, "outcome"?: what becomes of it, "level"?}: keys that the schema does not have, where it has one that is nearly the same
#     line_breaks    list of {"secret", "key", "consequence": one clause, "level": severity, "path", "resource"?, "end"?: what it ends with where that is not "a line break"}: what the server, or what archives for it, takes from a Secret and ends with a line break
#     strange_logins list of {"client", "what": role or database, "asked", "made", "variable", "path", "resource", "unnamed"?: true of a database that nobody names, "level"?}: what clients ask for and the first start does not make
#     roles          list of {"name", "superuser", "createdb", "createrole", "replication": bool, "secrets": names of Secrets with its login}: roles of which it is known what they may do
#     logins         list of {"secret", "role"}: Secrets with the password of a role, beside those of roles
#     databases_made  {"names", "main"?: the one of the application, "role"?: whose logins alone are meant, "reason": one clause, "outcome": one clause, "cure": sentence without the full stop}: all databases that the operator makes beside PostgreSQL's own, where nothing else is known to make any
#     absent_roles   {"names": of roles that the first start does not make, "made": the one that it does, "variable": that says so}
#     hooks          list of {"words", "role", "text", "path"}: programs in the pods of the server, with the role that they log in as
#     schemaless_users  list of {"name", "databases": names, "cure": sentence without the full stop, "path", "level"?}: users without a schema to create tables in, since the major that took public away
#     uncreated      list of {"path", "reason", "cure": sentences without the full stop, "level"?: severity, else warning}: databases and roles that the operator does not create as they are written
#     unknown_options  list of {"name", "program", "path", "meant"?: the option that is nearest}: options of the backup program that it does not have
#     contested_logins  list of {"reason", "cure": sentences without the full stop, "level": severity, "path"}: roles whose password two sides write, or none
#     upgrading      the same of an image that runs pg_upgrade at its start and opens the port when it is done, with {"upgrader": words}
#     probed_databases  list of {"database": the one that a probe asks for and the first start does not make, "made": the one that it does, "probe", "path"}
#     stranger_probes  list of {"user": the role that a probe names and the image does not create, "superuser": the one that it does, "session": bool, "probe", "path"}
#     script_faults  list of {"reason", "cure": sentences without the full stop, "path", "resource"?, "level"?: severity, else warning}: scripts of the first start that do not do what they are for
#     refused_ids    {"reason": field and number, "range", "count", "path", "sign"?: what shows that it is OpenShift, where the range is not in sight}: a user or group that OpenShift does not admit in the namespace
#     pod_security   list of {"level": "baseline" | "restricted", "reason": one clause, "path"}: what the Pod Security Standard of that level refuses of the pods
#     dead_ports     list of {"service", "target": port or its name, "listening": port of the server, "level": severity, "cure"?: sentence without the full stop, "path", "resource"?}: Services that lead to a port on which nothing listens
#     balancers      list of {"balancer": in words, "path": place of what makes it, "ranges_path"?: place of its ranges, where that is not the field loadBalancerSourceRanges below "path", "service": {"metadata": {"annotations"}, "spec"} of the Service that the operator makes, "cure"?: sentence without the full stop}: load balancers that the operator makes
#     ready_at_once  {"pods": number, "service", "path"}: copies that a Service leads to before they listen
#     common_labels  list of the labels that the pods of all clusters of the operator have, and that do not tell one from the other
#     shared_services  list of {"reason": one clause, "level": severity, "path", "resource"}: Services that lead to the server and to pods of something else
#     stray_services  list of {"service", "label", "wanted", "carried"?: its value in the pods, where they have it, "carried_label"?: another one that the pods have for it, "path", "resource"}: Services that are meant for the pods and select another label
#     authority      {"secret"?: that holds it as ca.crt}: the CA that the operator makes for the certificate of the server
#     scram          true where passwords become SCRAM secrets unless password_encryption says otherwise
#     tls_only       fact: the line of pg_hba.conf without which nobody gets in but over TLS, with {"hosts": names of its Services}
#     tls_only_poolers  list of {"hosts": names of its Services, "rule": the setting}: poolers that let nobody in but over TLS
#     password_only  fact: the line of pg_hba.conf that asks every client for a password, with {"hosts": names of its Services}
#     tls_wanted     list of {"client", "asks": as it is written, "path", "resource"?}: clients that insist on TLS with a server that has none
#     empty_hosts    list of {"name": of a Service that leads nowhere, "reason", "cure": sentences without the full stop}
#     other_doors    {"doors": list of {"name": of a Service, "of": what is behind it, in words}, "names": that its certificate has besides those of the operator's own Services, "cure": a sentence without the full stop}
#     unproven_hosts  list of {"reason", "cure": sentences without the full stop, "path"}: servers that this one is copied from or follows, and cannot tell by their certificate as it is told to
#     misissued      {"reason", "cure": sentences without the full stop, "path"}: the server's certificate has no name of the cluster
#     unrenewed      {"secrets": in words, "field", "days", "path"}: Secrets with certificates of the operator's that the manifest names, so that it renews them no more
#     unset_variables  list of {"probe", "variable", "session": bool, "path"}: variables of a probe that nothing defines
#     literal_variables  list of {"probe", "text": as it is written, "session": bool, "path"}: variables in the command of a probe that nothing replaces
#     frozen         map of {"value", "path"} by name: what nobody may change once the object is there
#     archive_places map of {"text", "path", "stanza"?: true where the operator prepares a new place only when something else changes} by name: where WAL and base backups go
#     numbered_places  map of {"text", "path", "level": severity, "consequence": of another number, one clause} by name: where the repositories are that backups are known by
#     unmade_secrets  list of {"names": regular expression of names of Secrets that the operator does not make, but for those "made": list of names, "reason": one clause, "cure": clause, "level"?: severity, else error}
#     made_secrets   list of the names of Secrets that the operator makes for programs, in the namespace of the cluster
#     unmade_keys    list of {"secret", "keys": list of keys that the operator does not write into it, "reason": one clause, "cure": sentence without the full stop}
#     missing_keys   list of {"kind", "name", "key", "keys": those it has, "consequence": one clause, "path", "cure"?, "level"?: severity, else error}: Secrets and ConfigMaps in sight without a key that is asked for
#     unresolved     list of {"reason", "cure": sentences without the full stop, "path", "resource"?, "level"?: severity, else error}: names of objects that are not where they are looked for
#     password_missing  fact: the variable that is not set, with {"refuses": what the image does not do without it}
#     lost_libraries {"libraries", "consequence": one clause, "path", "resource"?, "level"?: severity, else error}: what the image preloads by something that is written anew without them
#     preloaded      list of the libraries that the server preloads, where that is more than a parameter
#     outgrown       the directory of a volume at which the newest image of the tag refuses to start
#     libc_moves     true where the image is pulled at every start by a tag that names its major and no distribution, and its C library sorts the text
#     preloaded_besides  list of the libraries that the operator adds to that parameter, at least where something asks for them
#     extensions     list of {"name", "path", "resource"?, "by"?: "script" or "operator" where the creation of the cluster goes on without, "certain"?: true of a script that has nothing but what is in the image, "level"?: severity, "consequence"?: what fails where that is not the creation of the cluster,
#                    "cure"?: sentence without the full stop}: extensions created when the cluster is, or by the operator afterwards
#     fs_group       fact: when the owner of all files of the data volume is set, "Always" or "OnRootMismatch"
#     standbys_restart_first  fact: a change of parameters restarts the standbys before the primary, boolean
#     locales        list of {"name", "value", "path", "resource"?}: locales that initdb is told
#   and, apart from it, because looking for them takes a walk over other objects that most reviews need not pay for,
#     backups        list of {"finished": RFC 3339, "from": "primary"|"standby"|"unknown", "name", "schedule"?: what made it, "proven"? true where the author of the cluster
#                    cannot have written it (walguard.lib.evidence)}: completed physical base backups
#     restores       list of {"ready": RFC 3339, "cluster", "major"?: of that cluster, "proven"? likewise}: clusters recovered from this one's backup that became ready
package walguard.model

import data.walguard.index
import data.walguard.lib.disk
import data.walguard.lib.evidence
import data.walguard.lib.get
import data.walguard.lib.inventory
import data.walguard.lib.k8s
import data.walguard.lib.scope
import data.walguard.lib.settings
import data.walguard.model.claims

# METADATA
# description: The cluster under review as its adapter reads it; undefined when the resource is not a PostgreSQL cluster, and when it is being deleted.
cluster := claims.cluster if not k8s.deleting

# METADATA
# description: '"Cluster default/orders" without the quotes, for messages.'
title := sprintf("%s %s/%s", [cluster.operator, cluster.namespace, cluster.name]) if cluster.namespace != ""

title := sprintf("%s %s", [cluster.operator, cluster.name]) if cluster.namespace == ""

# METADATA
# description: Major version, undefined when unknown.
major := cluster.major.value

edition := cluster.edition

edition := "postgresql" if not cluster.edition

partial if cluster.partial == true

# ---------------------------------------------------------------------------------------------------- WAL segments

# METADATA
# description: The sizes in megabytes that initdb takes.
segment_sizes := {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}

# METADATA
# description: The WAL segment size in bytes; undefined when it is unknown or none that PostgreSQL has.
segment_bytes := cluster.segment.value * 1048576 if cluster.segment.value in segment_sizes

# ------------------------------------------------------------------------------------------------------- volumes

# METADATA
# description: |
#   The volumes: walguard.model.claims joined with what a storage vendor knows –
#     disk        what the volume can do (walguard.lib.disk); absent when no vendor knows the class
#     filesystem  {"name": "ext4", "xfs", "zfs" (a dataset), "btrfs", …, "origin": "StorageClass" | "driver default" | "stated"}; absent when unknown
#     atomic      {"bytes", "evidence"}: writes of that many bytes are never torn, on trusted word; absent otherwise
volumes[id] := volume if {
	some id, volume in mounted
	volume.role != "tablespace"
}

# METADATA
# description: |
#   The volumes of tablespaces, likewise. They are none of `volumes`: how much of the load comes to them nobody knows, so that checks of
#   performance have nothing to say of them.
tablespaces[id] := volume if {
	some id, volume in mounted
	volume.role == "tablespace"
}

# METADATA
# description: The volumes with those of tablespaces, for checks of what holds whatever the load is.
all_volumes := object.union(volumes, tablespaces)

# METADATA
# description: The volumes that hold pages which outlive a restart.
page_volumes := object.union(data_volumes, {id: volume |
	some id, volume in tablespaces
	not volume.temporary
})

mounted[id] := volume if {
	some id, claim in claims.claims
	volume := object.union_n([
		claim,
		{"disk": found | not claim.unfilled; found := index.disks[id]},
		{"filesystem": filesystem | not claim.picked; filesystem := filesystem_of(id, claim)},
		{"atomic": attested | not claim.picked; attested := attestation(claim)},
	])
}

filesystem_of(_, claim) := claim.filesystem

# A driver formats what it provisions; a disk that is stated was formatted by somebody else.
filesystem_of(id, claim) := index.filesystems[id] if {
	not claim.filesystem
	not claim.disk_name
}

# external-provisioner honours the parameter for every CSI driver, one that no vendor here lists too.
filesystem_of(id, claim) := disk.filesystem(claim, "") if {
	not index.filesystems[id]
	provisioner := claim.provisioner
	not index.provisioners[provisioner]
	claim.parameters["csi.storage.k8s.io/fstype"]
}

# METADATA
# description: The volume that holds the WAL of a set – its own, or the one it shares with the data.
wal_volumes[id] := volume if {
	some id, volume in volumes
	volume.role == "wal"
}

wal_volumes[id] := volume if {
	some id, volume in volumes
	volume.shared
}

data_volumes[id] := volume if {
	some id, volume in volumes
	volume.role == "data"
}

# ------------------------------------------------------------------------------------------------------- trust

# METADATA
# description: |
#   Word that a storage never tears a write of N bytes, from somebody who may say so: annotations of the StorageClass
#   (cluster-scoped, not the author of the resource) or the policy configuration. Unexpired, with evidence.
attestation(claim) := given[0] if {
	given := array.concat(
		[word | word := of_class(claim.class)],
		[word | word := of_configuration(claim.class_name)],
	)
	count(given) > 0
}

of_class(class) := {"bytes": bytes_, "evidence": proof, "expires": expires} if {
	evidence.vouched(class)
	annotations := get.map(class, ["metadata", "annotations"])
	bytes_ := decimal(get.string(annotations, "walguard.dev/atomic-write-bytes"))
	proof := get.string(annotations, "walguard.dev/atomic-write-evidence")
	expires := get.string(annotations, "walguard.dev/atomic-write-expires")
	settings.ahead(expires)
}

of_configuration(class_name) := given[0] if {
	given := [{"bytes": bytes_, "evidence": proof, "expires": expires} |
		some word in settings.attestations
		get.string(word, "storageClass") == class_name
		meant(word)
		bytes_ := get.number(word, "atomicWriteBytes")
		proof := get.string(word, "evidence")
		get.string(word, "by")
		expires := get.string(word, "expires")
		settings.ahead(expires)
	]
	count(given) > 0
}

# Of one that names no resources every cluster on the class may make use.
meant(word) if not get.present(word, "resource")

meant(word) if scope.covers_reviewed(word.resource)

decimal(text) := to_number(text) if {
	trim_left(text, "123456789") != text
	trim_left(text, "0123456789") == ""
}

# METADATA
# description: The completed base backups in sight, none of the future; see the contract of adapters above. Undefined when the operator records none.
backups := [backup | some backup in recorded; evidence.past(backup.finished)] if recorded := index.backups[claims.operator]

# METADATA
# description: The restore tests in sight, likewise.
restores := [restore | some restore in recorded; evidence.past(restore.ready)] if recorded := index.restores[claims.operator]

# METADATA
# description: |
#   The schedules of backups in sight, from the adapter's package "plan"; undefined where it has none. {"method": "full" |
#   "incremental" | "logical" | "continuous", "path", "resource"?, "text"? (as it is written), "seconds"? true for six fields with the
#   seconds first, "suspended"? true, "unscheduled"? true where the moment is missing, "snapshot"? true for one of the volumes, "deltas"? true where a plugin may take differences, "unconfigured"? the method that it asks for in vain, "method_path"? where it stands, "doomed"? {"reason": clause, "cure": why each of its backups fails, "level"?: "error" where it is missing}, "asleep"? true where the cluster is stopped for a while, "needs_wal": true where it is of no use without the WAL archive, "lock"?: the
#   program that takes one backup at a time, "locked"?: of which repository}.
schedules := index.schedules[claims.operator]

# METADATA
# description: The schedules of base backups that run; none where schedules are unknown.
running_schedules := [schedule | some schedule in schedules; schedule.method == "full"; not schedule.suspended]

# METADATA
# description: |
#   The places where the cluster keeps backups and WAL, likewise: {"name" (for messages), "store": "volume" (of the cluster's own) | "objects",
#   "retention": true when something deletes what is old, "cure"?: what to set, "days"?: so many that every moment can be had back for, "days_path": where they are written, "idle"?: clause why the retention that is written does nothing, "bare"?: true where WAL goes and no base backup ever, "scheduled"?: true
#   where backups are scheduled, "complaint"?: clause, where the program itself complains of the missing retention at each of its full backups,
#   "path", "resource"?}.
repositories := index.repositories[claims.operator]

# METADATA
# description: |
#   Where others archive to the same place, likewise: {"place" and "other" (for messages), "source": true when the other is what this
#   cluster is recovered from, "accepted"?: the switch with which its author told the operator to go on there, "path", "resource"?}.
collisions := index.collisions[claims.operator]

# METADATA
# description: True when a moment (RFC 3339) lies within the last so many seconds.
within(text, seconds) if {
	moment := time.parse_rfc3339_ns(text)
	moment > k8s.now_nanoseconds - (seconds * 1000000000)
}

# METADATA
# description: True when every object that matters is in sight, so that an absent one does not exist.
complete if inventory.complete

# METADATA
# description: True where somebody asks an API server for the change, who need not be allowed to see what else is in the cluster.
admission if k8s.operation

# METADATA
# description: So many of the other clusters that one resource changes, or holds, are judged with it (walguard.each).
together := 100
