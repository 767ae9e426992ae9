package admission

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What a denial of full_page_writes=off says is missing.
const (
	checksums = "data checksums not known to be on"
	archive   = "WAL archiving not known to be on"
	standby   = "base backups come from a standby"
	backup    = "no base backup of the primary in"
	restore   = "no restore test in"
)

var reasons = []string{checksums, archive, standby, backup, restore}

// state is how far the backups of a cluster, or the word for its storage, go.
type state string

const (
	noBackup   state = "none"
	configured state = "configured"
	completed  state = "completed"
	stale      state = "stale" // the policy configuration gives this namespace a window of no time at all
	onStandby  state = "standby"
	restored   state = "restored"
	attested   state = "attested"
	expired    state = "attested-expired"
	bySelf     state = "attested-by-itself"
	dataset    state = "zfs-dataset"
	small      state = "zfs-small-records"
	zvol       state = "zvol"
	unknown    state = "class-unknown"
)

var states = []state{noBackup, configured, completed, stale, onStandby, restored, attested, expired, bySelf, dataset, small, zvol, unknown}

// operator is one operator's way to write a cluster and its evidence. Texts are YAML in which NAMESPACE, CLASS, ANNOTATIONS and TIME
// (shortly after the cluster was created) are filled in. What has a status gets it in a second request, as from its controller.
type operator struct {
	cluster string
	// added to the cluster in this state, and every later one of the list none, configured, completed …
	backups, standby string
	// objects that record a base backup, one on a standby, and a restore that became ready
	backup, standbyBackup, restored string
	// the change to judge: a merge patch of the cluster, or an object to create
	off, create string
	// what is missing where it is not what the state says
	missing map[state][]string
}

// missing in each state, where the operator records everything.
var missing = map[state][]string{
	noBackup:   {archive, backup, restore},
	configured: {backup, restore},
	completed:  {restore},
	stale:      {backup},
	onStandby:  {standby, backup},
	restored:   nil,
	attested:   nil,
	expired:    {archive, backup, restore},
	bySelf:     {archive, backup, restore},
	dataset:    nil,
	small:      {archive, backup, restore},
	zvol:       {archive, backup, restore},
	unknown:    {archive, backup, restore},
}

// The class of a state, where it is not the ext4 of the others.
var classes = map[state]string{
	attested: "walguard-attested",
	expired:  "walguard-attested-expired",
	dataset:  "walguard-zfs-8k",
	small:    "walguard-zfs-4k",
	zvol:     "walguard-zvol",
	unknown:  "walguard-nobody-knows",
}

// missing is what a denial in this state says is missing; nothing where the change is admitted.
func (o operator) missingIn(at state) []string {
	if own, ok := o.missing[at]; ok {
		return own
	}
	return missing[at]
}

var evidenceOperators = map[string]operator{
	"cnpg": {
		cluster: `
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: db, namespace: NAMESPACE, annotations: ANNOTATIONS}
spec:
  instances: INSTANCES
  imageName: ghcr.io/cloudnative-pg/postgresql:17.5
  storage: {size: 100Gi, storageClass: CLASS}
  bootstrap: {initdb: {dataChecksums: true}}
`,
		backups: `{"spec":{"backup":{"target":"primary","barmanObjectStore":{"destinationPath":"s3://NAMESPACE","s3Credentials":{"inheritFromIAMRole":true}}}}}`,
		standby: `{"spec":{"backup":{"target":"prefer-standby"}}}`,
		backup: `
apiVersion: postgresql.cnpg.io/v1
kind: Backup
metadata: {name: base, namespace: NAMESPACE}
spec: {cluster: {name: db}}
status: {phase: completed, stoppedAt: TIME}
`,
		restored: `
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: rehearsal, namespace: NAMESPACE}
spec:
  instances: 1
  imageName: ghcr.io/cloudnative-pg/postgresql:17.5
  storage: {size: 100Gi, storageClass: CLASS}
  bootstrap: {recovery: {backup: {name: base}}}
status: {conditions: [{type: Ready, status: "True", reason: ClusterIsReady, message: ready, lastTransitionTime: TIME}]}
`,
		off: `{"spec":{"postgresql":{"parameters":{"full_page_writes":"off"}}}}`,
	},
	"crunchy": {
		cluster: `
apiVersion: postgres-operator.crunchydata.com/v1beta1
kind: PostgresCluster
metadata: {name: db, namespace: NAMESPACE, annotations: ANNOTATIONS}
spec:
  postgresVersion: 17
  instances:
    - name: main
      replicas: INSTANCES
      dataVolumeClaimSpec: {accessModes: [ReadWriteOnce], storageClassName: CLASS, resources: {requests: {storage: 100Gi}}}
`,
		backups: `{"spec":{"backups":{"pgbackrest":{"repos":[{"name":"repo1","s3":{"bucket":"NAMESPACE","endpoint":"s3.example.com","region":"r"}}]}}}}`,
		standby: `{"spec":{"backups":{"pgbackrest":{"global":{"backup-standby":"y"}}}}}`,
		backup: `
apiVersion: postgres-operator.crunchydata.com/v1beta1
kind: PostgresCluster
metadata: {name: db, namespace: NAMESPACE}
status: {pgbackrest: {scheduledBackups: [{cronJobName: db-repo1-full, succeeded: 1, completionTime: TIME}]}}
`,
		restored: `
apiVersion: postgres-operator.crunchydata.com/v1beta1
kind: PostgresCluster
metadata: {name: rehearsal, namespace: NAMESPACE}
spec:
  postgresVersion: 17
  dataSource: {postgresCluster: {clusterName: db, repoName: repo1}}
  instances:
    - name: main
      dataVolumeClaimSpec: {accessModes: [ReadWriteOnce], storageClassName: CLASS, resources: {requests: {storage: 100Gi}}}
status: {pgbackrest: {restore: {id: again, finished: true, succeeded: 1, completionTime: TIME}}, instances: [{name: main, readyReplicas: 1}]}
`,
		off: `{"spec":{"config":{"parameters":{"full_page_writes":"off"}}}}`,
	},
	"percona": {
		cluster: `
apiVersion: pgv2.percona.com/v2
kind: PerconaPGCluster
metadata: {name: db, namespace: NAMESPACE, annotations: ANNOTATIONS}
spec:
  crVersion: 2.7.0
  postgresVersion: 17
  instances:
    - name: main
      replicas: INSTANCES
      dataVolumeClaimSpec: {accessModes: [ReadWriteOnce], storageClassName: CLASS, resources: {requests: {storage: 100Gi}}}
  backups: {enabled: false}
`,
		backups: `{"spec":{"backups":{"enabled":true,"pgbackrest":{"repos":[{"name":"repo1","s3":{"bucket":"NAMESPACE","endpoint":"s3.example.com","region":"r"}}]}}}}`,
		standby: `{"spec":{"backups":{"pgbackrest":{"global":{"backup-standby":"y"}}}}}`,
		backup: `
apiVersion: pgv2.percona.com/v2
kind: PerconaPGBackup
metadata: {name: base, namespace: NAMESPACE}
spec: {pgCluster: db, repoName: repo1}
status: {state: Succeeded, completed: TIME}
`,
		restored: `
apiVersion: pgv2.percona.com/v2
kind: PerconaPGRestore
metadata: {name: rehearsal, namespace: NAMESPACE}
spec: {pgCluster: db, repoName: repo1}
status: {state: Succeeded, completed: TIME}
`,
		off: `{"spec":{"patroni":{"dynamicConfiguration":{"postgresql":{"parameters":{"full_page_writes":"off"}}}}}}`,
	},
	"zalando": {
		cluster: `
apiVersion: acid.zalan.do/v1
kind: postgresql
metadata: {name: acid-db, namespace: NAMESPACE, annotations: ANNOTATIONS}
spec:
  teamId: acid
  numberOfInstances: INSTANCES
  volume: {size: 100Gi, storageClass: CLASS}
  postgresql: {version: "17"}
`,
		backups: `{"spec":{"env":[{"name":"WAL_S3_BUCKET","value":"NAMESPACE"}]}}`,
		standby: `{"spec":{"env":[{"name":"WAL_S3_BUCKET","value":"NAMESPACE"},{"name":"WALG_BACKUP_FROM_REPLICA","value":"true"}]}}`,
		restored: `
apiVersion: acid.zalan.do/v1
kind: postgresql
metadata: {name: acid-rehearsal, namespace: NAMESPACE}
spec:
  teamId: acid
  numberOfInstances: 1
  volume: {size: 100Gi, storageClass: CLASS}
  postgresql: {version: "17"}
  clone: {cluster: acid-db, timestamp: "OFFSET"}
status: {PostgresClusterStatus: Running}
`,
		off: `{"spec":{"postgresql":{"parameters":{"full_page_writes":"off"}}}}`,
		// Base backups of this operator are recorded nowhere in Kubernetes.
		missing: map[state][]string{completed: {backup, restore}, restored: {backup}},
	},
	"stackgres": {
		cluster: `
apiVersion: stackgres.io/v1
kind: SGCluster
metadata: {name: db, namespace: NAMESPACE, annotations: ANNOTATIONS}
spec:
  instances: INSTANCES
  postgres: {version: "17.5"}
  pods: {persistentVolume: {size: 100Gi, storageClass: CLASS}}
  configurations: {sgPostgresConfig: db-17}
`,
		backups: `{"spec":{"configurations":{"backups":[{"sgObjectStorage":"db","cronSchedule":"0 1 * * *"}]}}}`,
		backup: `
apiVersion: stackgres.io/v1
kind: SGBackup
metadata: {name: base, namespace: NAMESPACE}
spec: {sgCluster: db}
status: {process: {status: Completed, timing: {stored: TIME}}}
`,
		restored: `
apiVersion: stackgres.io/v1
kind: SGCluster
metadata: {name: rehearsal, namespace: NAMESPACE}
spec:
  instances: 1
  postgres: {version: "17.5"}
  pods: {persistentVolume: {size: 100Gi, storageClass: CLASS}}
  initialData: {restore: {fromBackup: {name: base}}}
status: {podStatuses: [{name: rehearsal-0, primary: true}]}
`,
		create: `
apiVersion: stackgres.io/v1
kind: SGPostgresConfig
metadata: {name: db-17, namespace: NAMESPACE}
spec: {postgresVersion: "17", postgresql.conf: {full_page_writes: "off"}}
`,
		// Its CRDs have no /status: whoever may write a backup writes that it completed.
		missing: map[state][]string{
			completed: {backup, restore}, stale: {backup, restore}, onStandby: {backup, restore}, restored: {backup, restore},
		},
	},
	"kubeblocks": {
		cluster: `
apiVersion: apps.kubeblocks.io/v1
kind: Cluster
metadata: {name: db, namespace: NAMESPACE, annotations: ANNOTATIONS}
spec:
  clusterDef: postgresql
  topology: replication
  terminationPolicy: Delete
  componentSpecs:
    - name: postgresql
      serviceVersion: 16.4.0
      replicas: INSTANCES
      volumeClaimTemplates:
        - {name: data, spec: {storageClassName: CLASS, accessModes: [ReadWriteOnce], resources: {requests: {storage: 100Gi}}}}
`,
		backups: `{"spec":{"backup":{"enabled":true,"method":"pg-basebackup","pitrEnabled":true,"continuousMethod":"archive-wal","repoName":"r"}}}`,
		backup: `
apiVersion: dataprotection.kubeblocks.io/v1alpha1
kind: Backup
metadata: {name: base, namespace: NAMESPACE, labels: {app.kubernetes.io/instance: db, dataprotection.kubeblocks.io/cluster-uid: UID}}
spec: {backupMethod: pg-basebackup, backupPolicyName: db-postgresql-backup-policy}
status:
  phase: Completed
  completionTimestamp: TIME
  path: /NAMESPACE/db-UID/postgresql/base
  target: {podSelector: {strategy: Any}, selectedTargetPods: [db-postgresql-0]}
`,
		restored: `
apiVersion: apps.kubeblocks.io/v1
kind: Cluster
metadata: {name: rehearsal, namespace: NAMESPACE}
spec:
  clusterDef: postgresql
  topology: replication
  terminationPolicy: Delete
  componentSpecs:
    - name: postgresql
      serviceVersion: 16.4.0
      replicas: 1
      volumeClaimTemplates:
        - {name: data, spec: {storageClassName: CLASS, accessModes: [ReadWriteOnce], resources: {requests: {storage: 100Gi}}}}
status: {phase: Running}
---
apiVersion: dataprotection.kubeblocks.io/v1alpha1
kind: Restore
metadata: {name: rehearsal, namespace: NAMESPACE, labels: {app.kubernetes.io/instance: rehearsal}}
spec:
  backup: {name: base, namespace: NAMESPACE}
  prepareDataConfig:
    volumeClaimRestorePolicy: Parallel
    volumeClaimsTemplate:
      replicas: 1
      templates:
        - metadata: {name: data-rehearsal-postgresql}
          volumeSource: data
          volumeClaimSpec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 100Gi}}}
status: {phase: Completed, completionTimestamp: TIME}
`,
		create: `
apiVersion: operations.kubeblocks.io/v1alpha1
kind: OpsRequest
metadata: {name: faster, namespace: NAMESPACE}
spec:
  type: Reconfiguring
  clusterName: db
  reconfigures: [{componentName: postgresql, parameters: [{key: full_page_writes, value: "off"}]}]
`,
	},
}

var update = flag.Bool("update", false, "write the table of docs/evidence.md")

// What a state is called in the documentation, and who wrote what it rests on.
var called = map[state]string{
	noBackup:   "ext4, no backup",
	configured: "ext4, archiving and backups configured by the author",
	completed:  "… and a base backup completed, by the operator's status",
	restored:   "… and restored since, by the operator's status",
	stale:      "… but longer ago than `backup_window_hours`",
	onStandby:  "… but taken from a standby",
	attested:   "StorageClass attested by a storage administrator",
	expired:    "… but the attestation has expired",
	bySelf:     "ext4, attested by annotations of the cluster's author",
	dataset:    "ZFS dataset with a recordsize of 8 KiB, by the StorageClass",
	small:      "ZFS dataset with a recordsize of 4 KiB",
	zvol:       "ext4 in a ZVOL",
	unknown:    "a StorageClass that does not exist",
}

var short = map[string]string{checksums: "checksums", archive: "archiving", standby: "primary", backup: "backup", restore: "restore"}

// TestEvidenceTable compares the table of docs/evidence.md with what TestAdmission shows, cell by cell, on a real API server.
func TestEvidenceTable(t *testing.T) {
	names := slices.Sorted(maps.Keys(evidenceOperators))
	table := "| storage and backups | " + strings.Join(names, " | ") + " |\n|---" + strings.Repeat("|---", len(names)) + "|\n"
	// In the order of a reader: what excuses nothing, and what is added to it.
	for _, at := range []state{noBackup, configured, completed, restored, stale, onStandby, bySelf, attested, expired, dataset, small, zvol, unknown} {
		table += "| " + called[at]
		for _, name := range names {
			cell := "**admitted**"
			if lacks := evidenceOperators[name].missingIn(at); len(lacks) > 0 {
				var words []string
				for _, reason := range lacks {
					words = append(words, short[reason])
				}
				cell = "denied: " + strings.Join(words, ", ")
			}
			table += " | " + cell
		}
		table += " |\n"
	}
	file := filepath.Join(repository, "docs/evidence.md")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- decisions -->\n", "<!-- /decisions -->"
	before, rest, ok := strings.Cut(string(content), begin)
	now, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no %s … %s", file, begin, end)
	}
	if now == table {
		return
	}
	if !*update {
		t.Fatalf("docs/evidence.md is out of date: go test -run TestEvidenceTable . -args -update\n%s", table)
	}
	if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// evidence brings every operator's cluster into every state and then switches full_page_writes off, as a dry run.
func evidence(t *testing.T, c *cluster) {
	for name, operator := range evidenceOperators {
		for _, state := range states {
			t.Run(name+"/"+string(state), func(t *testing.T) {
				t.Parallel()
				place := operator.build(t, c.api, name, state)
				place.until(t, operator.missingIn(state))
			})
		}
	}
}

// place is a namespace with a cluster, and the change to judge.
type place struct {
	api    client.Client
	db     *unstructured.Unstructured
	change func(context.Context) error
}

func (o operator) build(t *testing.T, api client.Client, name string, at state) *place {
	t.Helper()
	namespace := "evidence-" + name + "-" + string(at)
	class, annotations, instances := cmp.Or(classes[at], "walguard-ext4"), "{}", "1"
	switch at {
	case bySelf:
		annotations = `{walguard.dev/atomic-write-bytes: "8192", walguard.dev/atomic-write-evidence: mine, walguard.dev/atomic-write-expires: "2099-01-01T00:00:00Z"}`
	case onStandby:
		instances = "2"
	}
	create(t, api, objects(t, "namespace", []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: "+namespace+"}\n"))...)
	fill := strings.NewReplacer("NAMESPACE", namespace, "CLASS", class, "ANNOTATIONS", annotations, "INSTANCES", instances)
	db := objects(t, name, []byte(fill.Replace(o.cluster)))[0]
	create(t, api, db)

	patch := func(text string) {
		if text != "" {
			if err := api.Patch(t.Context(), db, client.RawPatch(types.MergePatchType, []byte(fill.Replace(text)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Nothing of before the cluster was made counts.
	after := db.GetCreationTimestamp().Add(time.Second).UTC().Format(time.RFC3339)
	fill = strings.NewReplacer("NAMESPACE", namespace, "CLASS", class, "TIME", after,
		"OFFSET", strings.Replace(after, "Z", "+00:00", 1), "UID", string(db.GetUID()))
	record := func(text string) {
		for _, object := range objects(t, name, []byte(fill.Replace(text))) {
			withStatus(t, api, object)
		}
	}
	if slices.Contains([]state{configured, completed, stale, onStandby, restored}, at) {
		patch(o.backups)
	}
	if at == onStandby {
		patch(o.standby)
	}
	if slices.Contains([]state{completed, stale, onStandby, restored}, at) {
		record(o.backup)
	}
	if slices.Contains([]state{stale, onStandby, restored}, at) {
		record(o.restored)
	}

	p := &place{api: api, db: db}
	if o.create != "" {
		p.change = func(ctx context.Context) error {
			return api.Create(ctx, objects(t, name, []byte(fill.Replace(o.create)))[0], client.DryRunAll)
		}
	} else {
		p.change = func(ctx context.Context) error {
			return api.Patch(ctx, db.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(o.off)), client.DryRunAll)
		}
	}
	return p
}

// withStatus creates an object, or takes the one that is there, and writes its status.
func withStatus(t *testing.T, api client.Client, object *unstructured.Unstructured) {
	t.Helper()
	status := object.Object["status"]
	there := object.DeepCopy()
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(object), there); err != nil {
		unstructured.RemoveNestedField(there.Object, "status")
		create(t, api, there)
	}
	there.Object["status"] = status
	err := api.Status().Update(t.Context(), there)
	if apierrors.IsNotFound(err) { // no subresource: the operator writes the status with the rest
		err = api.Update(t.Context(), there)
	}
	if err != nil {
		t.Fatalf("status of %s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

// until waits until the webhook, which learns of objects a moment later, says that this is missing; nothing: until it admits.
func (p *place) until(t *testing.T, want []string) {
	t.Helper()
	want = slices.Sorted(slices.Values(want))
	var last string
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		err := p.change(t.Context())
		last = fmt.Sprint(err)
		var named []string
		for _, reason := range reasons {
			if strings.Contains(last, reason) {
				named = append(named, reason)
			}
		}
		denied := strings.Contains(last, "durability/full_page_writes at") || strings.Contains(last, "durability/full_page_writes:")
		if denied == (len(want) > 0) && (denied || err == nil) && slices.Equal(slices.Sorted(slices.Values(named)), want) {
			return
		}
	}
	t.Errorf("want %v, got %s", want, last)
}
