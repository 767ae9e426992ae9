# Generated from the packages of rules/ by "make generate". Do not edit.
# METADATA
# description: |
#   The checks, operators and storage vendors there are. Rules could find them by iterating over packages, but an
#   engine then evaluates every rule of every package; named, only what is asked for.
package walguard.index

# Who reads objects of a group and kind.
kinds := {
	"/ConfigMap": ["kubeblocks", "kubegres", "percona", "polardb", "workload", "zalando"],
	"/Endpoints": ["workload"],
	"/Pod": ["workload"],
	"/PodTemplate": ["workload"],
	"/ReplicationController": ["workload"],
	"/Secret": ["kubegres", "workload", "zalando"],
	"/Template": ["workload"],
	"acid.zalan.do/OperatorConfiguration": ["zalando"],
	"acid.zalan.do/postgresql": ["zalando"],
	"actions.github.com/AutoscalingRunnerSet": ["workload"],
	"addon.open-cluster-management.io/AddOnTemplate": ["workload"],
	"admissionregistration.k8s.io/MutatingAdmissionPolicy": ["workload"],
	"agones.dev/Fleet": ["workload"],
	"agones.dev/GameServer": ["workload"],
	"apiextensions.crossplane.io/Composition": ["workload"],
	"apps.kruise.io/AdvancedCronJob": ["workload"],
	"apps.kruise.io/BroadcastJob": ["workload"],
	"apps.kruise.io/CloneSet": ["workload"],
	"apps.kruise.io/DaemonSet": ["workload"],
	"apps.kruise.io/EphemeralJob": ["workload"],
	"apps.kruise.io/ResourceDistribution": ["workload"],
	"apps.kruise.io/SidecarSet": ["workload"],
	"apps.kruise.io/StatefulSet": ["workload"],
	"apps.kruise.io/UnitedDeployment": ["workload"],
	"apps.kruise.io/WorkloadSpread": ["workload"],
	"apps.kubeblocks.io/Cluster": ["kubeblocks"],
	"apps.kubeblocks.io/Component": ["kubeblocks"],
	"apps.kubeblocks.io/Configuration": ["kubeblocks"],
	"apps.kubeblocks.io/OpsRequest": ["kubeblocks"],
	"apps.kubeedge.io/EdgeApplication": ["workload"],
	"apps.openshift.io/DeploymentConfig": ["workload"],
	"apps/DaemonSet": ["nodes", "workload"],
	"apps/Deployment": ["workload"],
	"apps/ReplicaSet": ["workload"],
	"apps/StatefulSet": ["workload"],
	"argoproj.io/Application": ["workload"],
	"argoproj.io/ApplicationSet": ["workload"],
	"argoproj.io/ClusterWorkflowTemplate": ["workload"],
	"argoproj.io/CronWorkflow": ["workload"],
	"argoproj.io/Rollout": ["workload"],
	"argoproj.io/Sensor": ["workload"],
	"argoproj.io/Workflow": ["workload"],
	"argoproj.io/WorkflowTemplate": ["workload"],
	"barmancloud.cnpg.io/ObjectStore": ["cnpg"],
	"batch.volcano.sh/Job": ["workload"],
	"batch/CronJob": ["workload"],
	"batch/Job": ["workload"],
	"capsule.clastix.io/GlobalTenantResource": ["workload"],
	"capsule.clastix.io/TenantResource": ["workload"],
	"core.oam.dev/Application": ["workload"],
	"cr.kanister.io/ActionSet": ["workload"],
	"cr.kanister.io/Blueprint": ["workload"],
	"db.atlasgo.io/AtlasMigration": ["workload"],
	"extensions/DaemonSet": ["workload"],
	"extensions/Deployment": ["workload"],
	"extensions/ReplicaSet": ["workload"],
	"fleet.cattle.io/Bundle": ["workload"],
	"flink.apache.org/FlinkDeployment": ["workload"],
	"fluxcd.controlplane.io/ResourceSet": ["workload"],
	"helm.cattle.io/HelmChart": ["workload"],
	"helm.cattle.io/HelmChartConfig": ["workload"],
	"helm.crossplane.io/Release": ["workload"],
	"helm.m.crossplane.io/Release": ["workload"],
	"helm.toolkit.fluxcd.io/HelmRelease": ["workload"],
	"hive.openshift.io/SelectorSyncSet": ["workload"],
	"hive.openshift.io/SyncSet": ["workload"],
	"jobset.x-k8s.io/JobSet": ["workload"],
	"k8up.io/PreBackupPod": ["workload"],
	"keda.sh/ScaledJob": ["workload"],
	"kro.run/ResourceGraphDefinition": ["workload"],
	"kubeflow.org/MPIJob": ["workload"],
	"kubeflow.org/Notebook": ["workload"],
	"kubeflow.org/PyTorchJob": ["workload"],
	"kubeflow.org/TFJob": ["workload"],
	"kubegres.reactive-tech.io/Kubegres": ["kubegres"],
	"kubelet.config.k8s.io/KubeletConfiguration": ["nodes"],
	"kubernetes.crossplane.io/Object": ["workload"],
	"kubernetes.m.crossplane.io/Object": ["workload"],
	"kustomize.toolkit.fluxcd.io/Kustomization": ["workload"],
	"kyverno.io/ClusterPolicy": ["workload"],
	"kyverno.io/Policy": ["workload"],
	"leaderworkerset.x-k8s.io/LeaderWorkerSet": ["workload"],
	"machineconfiguration.openshift.io/KubeletConfig": ["nodes"],
	"machineconfiguration.openshift.io/MachineConfig": ["nodes"],
	"mpd.polardb.aliyun.com/MPDCluster": ["polardb"],
	"mutations.gatekeeper.sh/Assign": ["workload"],
	"mutations.gatekeeper.sh/ModifySet": ["workload"],
	"operations.kubeblocks.io/OpsRequest": ["kubeblocks"],
	"parameters.kubeblocks.io/ComponentParameter": ["kubeblocks"],
	"parameters.kubeblocks.io/Parameter": ["kubeblocks"],
	"pg.percona.com/PerconaPGCluster": ["percona"],
	"pgv2.percona.com/PerconaPGCluster": ["percona"],
	"policies.kyverno.io/GeneratingPolicy": ["workload"],
	"policies.kyverno.io/MutatingPolicy": ["workload"],
	"policies.kyverno.io/NamespacedMutatingPolicy": ["workload"],
	"policy.karmada.io/ClusterOverridePolicy": ["workload"],
	"policy.karmada.io/OverridePolicy": ["workload"],
	"policy.open-cluster-management.io/ConfigurationPolicy": ["workload"],
	"policy.open-cluster-management.io/Policy": ["workload"],
	"postgres-operator.crunchydata.com/PostgresCluster": ["crunchy"],
	"postgresql.cnpg.io/Backup": ["cnpg"],
	"postgresql.cnpg.io/Cluster": ["cnpg"],
	"postgresql.cnpg.io/Database": ["cnpg"],
	"postgresql.cnpg.io/Pooler": ["cnpg"],
	"postgresql.cnpg.io/ScheduledBackup": ["cnpg"],
	"postgresql.k8s.enterprisedb.io/Backup": ["cnpg"],
	"postgresql.k8s.enterprisedb.io/Cluster": ["cnpg"],
	"postgresql.k8s.enterprisedb.io/Database": ["cnpg"],
	"postgresql.k8s.enterprisedb.io/Pooler": ["cnpg"],
	"postgresql.k8s.enterprisedb.io/ScheduledBackup": ["cnpg"],
	"postgresql.sql.crossplane.io/Role": ["workload"],
	"postgresql.sql.m.crossplane.io/Role": ["workload"],
	"ray.io/RayCluster": ["workload"],
	"ray.io/RayJob": ["workload"],
	"ray.io/RayService": ["workload"],
	"serving.knative.dev/Configuration": ["workload"],
	"serving.knative.dev/Revision": ["workload"],
	"serving.knative.dev/Service": ["workload"],
	"sinks.knative.dev/JobSink": ["workload"],
	"sources.knative.dev/ContainerSource": ["workload"],
	"sparkoperator.k8s.io/ScheduledSparkApplication": ["workload"],
	"sparkoperator.k8s.io/SparkApplication": ["workload"],
	"stackgres.io/SGCluster": ["stackgres"],
	"stackgres.io/SGDbOps": ["stackgres"],
	"stackgres.io/SGPostgresConfig": ["stackgres"],
	"stackgres.io/SGScript": ["stackgres"],
	"stackgres.io/SGShardedCluster": ["stackgres"],
	"tekton.dev/ClusterTask": ["workload"],
	"tekton.dev/Pipeline": ["workload"],
	"tekton.dev/PipelineRun": ["workload"],
	"tekton.dev/StepAction": ["workload"],
	"tekton.dev/Task": ["workload"],
	"tekton.dev/TaskRun": ["workload"],
	"template.openshift.io/Template": ["workload"],
	"triggers.tekton.dev/TriggerTemplate": ["workload"],
	"tuned.openshift.io/Tuned": ["nodes"],
	"upstream.pgv2.percona.com/PostgresCluster": ["crunchy"],
	"velero.io/Backup": ["workload"],
	"velero.io/Restore": ["workload"],
	"velero.io/Schedule": ["workload"],
	"walguard.dev/PostgresServer": ["server"],
	"work.karmada.io/Work": ["workload"],
	"work.open-cluster-management.io/ManifestWork": ["workload"],
	"work.open-cluster-management.io/ManifestWorkReplicaSet": ["workload"],
	"workloads.kubeblocks.io/Instance": ["workload"],
	"workloads.kubeblocks.io/InstanceSet": ["workload"],
}

# Who reads the object under review.
operators := kinds[concat("/", [data.walguard.lib.k8s.group, data.walguard.lib.k8s.kind])]

# What clusters depend on: the operators whose clusters (none: all), and whether every cluster, without naming it.
support := {
	"/LimitRange": {"all": false, "operators": []},
	"/PersistentVolume": {"all": false, "operators": []},
	"/ResourceQuota": {"all": false, "operators": []},
	"/Secret": {"all": false, "operators": ["stackgres"]},
	"/ServiceAccount": {"all": false, "operators": ["workload"]},
	"acid.zalan.do/OperatorConfiguration": {"all": true, "operators": ["zalando"]},
	"autoscaling.k8s.io/VerticalPodAutoscaler": {"all": false, "operators": []},
	"barmancloud.cnpg.io/ObjectStore": {"all": false, "operators": ["cnpg"]},
	"bitnami.com/SealedSecret": {"all": false, "operators": ["cnpg"]},
	"cert-manager.io/Certificate": {"all": false, "operators": ["cnpg", "crunchy", "percona"]},
	"cilium.io/CiliumClusterwideNetworkPolicy": {"all": false, "operators": []},
	"cilium.io/CiliumNetworkPolicy": {"all": false, "operators": []},
	"crd.projectcalico.org/GlobalNetworkPolicy": {"all": false, "operators": []},
	"crd.projectcalico.org/NetworkPolicy": {"all": false, "operators": []},
	"dataprotection.kubeblocks.io/Backup": {"all": false, "operators": ["kubeblocks"]},
	"dataprotection.kubeblocks.io/BackupSchedule": {"all": false, "operators": ["kubeblocks"]},
	"dataprotection.kubeblocks.io/Restore": {"all": false, "operators": ["kubeblocks"]},
	"external-secrets.io/ExternalSecret": {"all": false, "operators": ["cnpg"]},
	"gateway.networking.k8s.io/HTTPRoute": {"all": false, "operators": []},
	"helm.toolkit.fluxcd.io/HelmRelease": {"all": false, "operators": ["cnpg"]},
	"k8s.keycloak.org/Keycloak": {"all": false, "operators": []},
	"kafka.strimzi.io/KafkaConnector": {"all": false, "operators": []},
	"monitoring.coreos.com/PodMonitor": {"all": false, "operators": []},
	"monitoring.coreos.com/Prometheus": {"all": false, "operators": []},
	"monitoring.coreos.com/PrometheusAgent": {"all": false, "operators": []},
	"monitoring.coreos.com/ServiceMonitor": {"all": false, "operators": []},
	"networking.istio.io/VirtualService": {"all": false, "operators": []},
	"networking.k8s.io/Ingress": {"all": false, "operators": []},
	"networking.k8s.io/NetworkPolicy": {"all": false, "operators": []},
	"pg.percona.com/Pgtask": {"all": false, "operators": ["percona"]},
	"pgbackrest.dalibo.com/Stanza": {"all": false, "operators": ["cnpg"]},
	"pgv2.percona.com/PerconaPGBackup": {"all": false, "operators": ["percona"]},
	"pgv2.percona.com/PerconaPGRestore": {"all": false, "operators": ["percona"]},
	"pgv2.percona.com/PerconaPGUpgrade": {"all": false, "operators": ["percona"]},
	"policy.networking.k8s.io/AdminNetworkPolicy": {"all": false, "operators": []},
	"policy.networking.k8s.io/BaselineAdminNetworkPolicy": {"all": false, "operators": []},
	"policy/PodDisruptionBudget": {"all": false, "operators": []},
	"postgres-operator.crunchydata.com/PGUpgrade": {"all": false, "operators": ["crunchy"]},
	"postgresql.cnpg.io/Backup": {"all": false, "operators": ["cnpg"]},
	"postgresql.cnpg.io/ClusterImageCatalog": {"all": false, "operators": ["cnpg"]},
	"postgresql.cnpg.io/Database": {"all": false, "operators": ["cnpg"]},
	"postgresql.cnpg.io/DatabaseRole": {"all": false, "operators": ["cnpg"]},
	"postgresql.cnpg.io/ImageCatalog": {"all": false, "operators": ["cnpg"]},
	"postgresql.cnpg.io/Pooler": {"all": false, "operators": ["cnpg"]},
	"postgresql.cnpg.io/Publication": {"all": false, "operators": ["cnpg"]},
	"postgresql.cnpg.io/ScheduledBackup": {"all": false, "operators": ["cnpg"]},
	"postgresql.cnpg.io/Subscription": {"all": false, "operators": ["cnpg"]},
	"postgresql.k8s.enterprisedb.io/Backup": {"all": false, "operators": ["cnpg"]},
	"postgresql.k8s.enterprisedb.io/ClusterImageCatalog": {"all": false, "operators": ["cnpg"]},
	"postgresql.k8s.enterprisedb.io/Database": {"all": false, "operators": ["cnpg"]},
	"postgresql.k8s.enterprisedb.io/ImageCatalog": {"all": false, "operators": ["cnpg"]},
	"postgresql.k8s.enterprisedb.io/Pooler": {"all": false, "operators": ["cnpg"]},
	"postgresql.k8s.enterprisedb.io/Publication": {"all": false, "operators": ["cnpg"]},
	"postgresql.k8s.enterprisedb.io/ScheduledBackup": {"all": false, "operators": ["cnpg"]},
	"postgresql.k8s.enterprisedb.io/Subscription": {"all": false, "operators": ["cnpg"]},
	"projectcalico.org/GlobalNetworkPolicy": {"all": false, "operators": []},
	"projectcalico.org/NetworkPolicy": {"all": false, "operators": []},
	"rbac.authorization.k8s.io/ClusterRole": {"all": false, "operators": []},
	"rbac.authorization.k8s.io/ClusterRoleBinding": {"all": false, "operators": []},
	"rbac.authorization.k8s.io/Role": {"all": false, "operators": []},
	"rbac.authorization.k8s.io/RoleBinding": {"all": false, "operators": []},
	"route.openshift.io/Route": {"all": false, "operators": ["workload"]},
	"security.istio.io/PeerAuthentication": {"all": false, "operators": ["cnpg", "zalando"]},
	"security.openshift.io/SecurityContextConstraints": {"all": false, "operators": ["workload"]},
	"snapshot.storage.k8s.io/VolumeSnapshotClass": {"all": false, "operators": []},
	"stackgres.io/SGBackup": {"all": false, "operators": ["stackgres"]},
	"stackgres.io/SGInstanceProfile": {"all": false, "operators": ["stackgres"]},
	"stackgres.io/SGObjectStorage": {"all": false, "operators": ["stackgres"]},
	"stackgres.io/SGPoolingConfig": {"all": false, "operators": ["stackgres"]},
	"stackgres.io/SGShardedBackup": {"all": false, "operators": ["stackgres"]},
	"storage.k8s.io/StorageClass": {"all": false, "operators": []},
	"storage.k8s.io/VolumeAttributesClass": {"all": false, "operators": []},
	"volsync.backube/ReplicationSource": {"all": false, "operators": []},
}

# The kinds of clusters, and whose they are.
cluster_kinds := {
	"postgresql.cnpg.io/Cluster": "cnpg",
	"postgresql.k8s.enterprisedb.io/Cluster": "cnpg",
	"postgres-operator.crunchydata.com/PostgresCluster": "crunchy",
	"upstream.pgv2.percona.com/PostgresCluster": "crunchy",
	"apps.kubeblocks.io/Cluster": "kubeblocks",
	"apps.kubeblocks.io/Component": "kubeblocks",
	"kubegres.reactive-tech.io/Kubegres": "kubegres",
	"pgv2.percona.com/PerconaPGCluster": "percona",
	"pg.percona.com/PerconaPGCluster": "percona",
	"mpd.polardb.aliyun.com/MPDCluster": "polardb",
	"walguard.dev/PostgresServer": "server",
	"stackgres.io/SGCluster": "stackgres",
	"stackgres.io/SGShardedCluster": "stackgres",
	"acid.zalan.do/postgresql": "zalando",
}

clusters["cnpg"] := data.walguard.operators.cnpg.cluster if "cnpg" in operators

backups["cnpg"] := data.walguard.operators.cnpg.backups if "cnpg" in operators

restores["cnpg"] := data.walguard.operators.cnpg.restores if "cnpg" in operators

schedules["cnpg"] := data.walguard.operators.cnpg.plan.schedules if "cnpg" in operators

repositories["cnpg"] := data.walguard.operators.cnpg.plan.repositories if "cnpg" in operators

collisions["cnpg"] := data.walguard.operators.cnpg.plan.collisions if "cnpg" in operators

clusters["crunchy"] := data.walguard.operators.crunchy.cluster if "crunchy" in operators

backups["crunchy"] := data.walguard.operators.crunchy.backups if "crunchy" in operators

restores["crunchy"] := data.walguard.operators.crunchy.restores if "crunchy" in operators

schedules["crunchy"] := data.walguard.operators.crunchy.plan.schedules if "crunchy" in operators

repositories["crunchy"] := data.walguard.operators.crunchy.plan.repositories if "crunchy" in operators

collisions["crunchy"] := data.walguard.operators.crunchy.plan.collisions if "crunchy" in operators

clusters["kubeblocks"] := data.walguard.operators.kubeblocks.cluster if "kubeblocks" in operators

backups["kubeblocks"] := data.walguard.operators.kubeblocks.backups if "kubeblocks" in operators

restores["kubeblocks"] := data.walguard.operators.kubeblocks.restores if "kubeblocks" in operators

schedules["kubeblocks"] := data.walguard.operators.kubeblocks.plan.schedules if "kubeblocks" in operators

clusters["kubegres"] := data.walguard.operators.kubegres.cluster if "kubegres" in operators

schedules["kubegres"] := data.walguard.operators.kubegres.plan.schedules if "kubegres" in operators

collisions["kubegres"] := data.walguard.operators.kubegres.plan.collisions if "kubegres" in operators

clusters["percona"] := data.walguard.operators.percona.cluster if "percona" in operators

backups["percona"] := data.walguard.operators.percona.backups if "percona" in operators

restores["percona"] := data.walguard.operators.percona.restores if "percona" in operators

schedules["percona"] := data.walguard.operators.percona.plan.schedules if "percona" in operators

repositories["percona"] := data.walguard.operators.percona.plan.repositories if "percona" in operators

collisions["percona"] := data.walguard.operators.percona.plan.collisions if "percona" in operators

clusters["polardb"] := data.walguard.operators.polardb.cluster if "polardb" in operators

clusters["server"] := data.walguard.operators.server.cluster if "server" in operators

clusters["stackgres"] := data.walguard.operators.stackgres.cluster if "stackgres" in operators

backups["stackgres"] := data.walguard.operators.stackgres.backups if "stackgres" in operators

restores["stackgres"] := data.walguard.operators.stackgres.restores if "stackgres" in operators

schedules["stackgres"] := data.walguard.operators.stackgres.plan.schedules if "stackgres" in operators

collisions["stackgres"] := data.walguard.operators.stackgres.plan.collisions if "stackgres" in operators

clusters["workload"] := data.walguard.operators.workload.cluster if "workload" in operators

schedules["workload"] := data.walguard.operators.workload.plan.schedules if "workload" in operators

clusters["zalando"] := data.walguard.operators.zalando.cluster if "zalando" in operators

restores["zalando"] := data.walguard.operators.zalando.restores if "zalando" in operators

schedules["zalando"] := data.walguard.operators.zalando.plan.schedules if "zalando" in operators

collisions["zalando"] := data.walguard.operators.zalando.plan.collisions if "zalando" in operators

# The disks that have a name, and what a StorageClass would say of them.
named_disks := {
	"ali-auto": {"parameters": {"type": "cloud_auto"}, "provisioner": "diskplugin.csi.alibabacloud.com"},
	"ali-efficiency": {"parameters": {"type": "cloud_efficiency"}, "provisioner": "diskplugin.csi.alibabacloud.com"},
	"ali-essd-entry": {"parameters": {"type": "cloud_essd_entry"}, "provisioner": "diskplugin.csi.alibabacloud.com"},
	"ali-essd-pl0": {"parameters": {"performanceLevel": "PL0", "type": "cloud_essd"}, "provisioner": "diskplugin.csi.alibabacloud.com"},
	"ali-essd-pl1": {"parameters": {"performanceLevel": "PL1", "type": "cloud_essd"}, "provisioner": "diskplugin.csi.alibabacloud.com"},
	"ali-essd-pl2": {"parameters": {"performanceLevel": "PL2", "type": "cloud_essd"}, "provisioner": "diskplugin.csi.alibabacloud.com"},
	"ali-essd-pl3": {"parameters": {"performanceLevel": "PL3", "type": "cloud_essd"}, "provisioner": "diskplugin.csi.alibabacloud.com"},
	"ali-ssd": {"parameters": {"type": "cloud_ssd"}, "provisioner": "diskplugin.csi.alibabacloud.com"},
	"aws-gp2": {"parameters": {"type": "gp2"}, "provisioner": "ebs.csi.aws.com"},
	"aws-gp3": {"parameters": {"type": "gp3"}, "provisioner": "ebs.csi.aws.com"},
	"aws-io1": {"parameters": {"type": "io1"}, "provisioner": "ebs.csi.aws.com"},
	"aws-io2": {"parameters": {"type": "io2"}, "provisioner": "ebs.csi.aws.com"},
	"aws-sc1": {"parameters": {"type": "sc1"}, "provisioner": "ebs.csi.aws.com"},
	"aws-st1": {"parameters": {"type": "st1"}, "provisioner": "ebs.csi.aws.com"},
	"aws-standard": {"parameters": {"type": "standard"}, "provisioner": "ebs.csi.aws.com"},
	"azure-premium-lrs": {"parameters": {"skuName": "Premium_LRS"}, "provisioner": "disk.csi.azure.com"},
	"azure-premiumv2-lrs": {"parameters": {"skuName": "PremiumV2_LRS"}, "provisioner": "disk.csi.azure.com"},
	"azure-standard-lrs": {"parameters": {"skuName": "Standard_LRS"}, "provisioner": "disk.csi.azure.com"},
	"azure-standardssd-lrs": {"parameters": {"skuName": "StandardSSD_LRS"}, "provisioner": "disk.csi.azure.com"},
	"azure-ultrassd-lrs": {"parameters": {"skuName": "UltraSSD_LRS"}, "provisioner": "disk.csi.azure.com"},
	"gcp-hyperdisk-balanced": {"parameters": {"type": "hyperdisk-balanced"}, "provisioner": "pd.csi.storage.gke.io"},
	"gcp-hyperdisk-extreme": {"parameters": {"type": "hyperdisk-extreme"}, "provisioner": "pd.csi.storage.gke.io"},
	"gcp-hyperdisk-throughput": {"parameters": {"type": "hyperdisk-throughput"}, "provisioner": "pd.csi.storage.gke.io"},
	"gcp-pd-balanced": {"parameters": {"type": "pd-balanced"}, "provisioner": "pd.csi.storage.gke.io"},
	"gcp-pd-extreme": {"parameters": {"type": "pd-extreme"}, "provisioner": "pd.csi.storage.gke.io"},
	"gcp-pd-ssd": {"parameters": {"type": "pd-ssd"}, "provisioner": "pd.csi.storage.gke.io"},
	"gcp-pd-standard": {"parameters": {"type": "pd-standard"}, "provisioner": "pd.csi.storage.gke.io"},
}

# Who knows a provisioner.
provisioners := {
	"blob.csi.azure.com": "network",
	"block.csi.vultr.com": "block",
	"blockvolume.csi.oraclecloud.com": "block",
	"cephfs.csi.ceph.com": "ceph",
	"cephfs.manila.csi.openstack.org": "network",
	"cinder.csi.openstack.org": "block",
	"cluster.local/local-path-provisioner": "local",
	"cluster.local/nfs-client-provisioner": "network",
	"cluster.local/nfs-server-provisioner": "network",
	"cluster.local/nfs-subdir-external-provisioner": "network",
	"com.tencent.cloud.csi.cbs": "block",
	"com.tencent.cloud.csi.cfs": "network",
	"com.tencent.cloud.csi.cosfs": "network",
	"com.tencent.cloud.csi.tcfs.cfs": "network",
	"csi.exoscale.com": "block",
	"csi.hetzner.cloud": "block",
	"csi.juicefs.com": "network",
	"csi.proxmox.sinextra.dev": "block",
	"csi.san.synology.com": "block",
	"csi.scaleway.com": "block",
	"csi.trident.netapp.io": "block",
	"csi.vsphere.vmware.com": "block",
	"cstor.csi.openebs.io": "openebs",
	"directpv-min-io": "local",
	"disk.csi.azure.com": "azure",
	"disk.csi.everest.io": "block",
	"diskplugin.csi.alibabacloud.com": "alibaba",
	"dobs.csi.digitalocean.com": "block",
	"docker.io/hostpath": "local",
	"driver.longhorn.io": "longhorn",
	"ebs.csi.aws.com": "aws",
	"ebs.csi.eks.amazonaws.com": "aws",
	"efs.csi.aws.com": "network",
	"everest-csi-provisioner": "block",
	"evs.csi.huaweicloud.com": "block",
	"example.com/nfs": "network",
	"file.csi.azure.com": "network",
	"filestore.csi.storage.gke.io": "network",
	"fss.csi.oraclecloud.com": "network",
	"fsx.csi.aws.com": "network",
	"fsx.openzfs.csi.aws.com": "network",
	"fuseim.pri/ifs": "network",
	"gcsfuse.csi.storage.gke.io": "network",
	"gluster.org/glusterfs-simple": "network",
	"hostpath.csi.k8s.io": "local",
	"ibm.io/ibmc-file": "network",
	"io.openebs.csi-mayastor": "openebs",
	"jiva.csi.openebs.io": "openebs",
	"k8s-sigs.io/nfs-subdir-external-provisioner": "network",
	"k8s.io/minikube-hostpath": "local",
	"kubernetes.io/aws-ebs": "aws",
	"kubernetes.io/azure-disk": "azure",
	"kubernetes.io/azure-file": "network",
	"kubernetes.io/cephfs": "network",
	"kubernetes.io/cinder": "block",
	"kubernetes.io/gce-pd": "gcp",
	"kubernetes.io/glusterfs": "network",
	"kubernetes.io/host-path": "local",
	"kubernetes.io/nfs": "network",
	"kubernetes.io/no-provisioner": "local",
	"kubernetes.io/portworx-volume": "block",
	"kubernetes.io/quobyte": "network",
	"kubernetes.io/rbd": "ceph",
	"kubernetes.io/vsphere-volume": "block",
	"kubevirt.io.hostpath-provisioner": "local",
	"kubevirt.io/hostpath-provisioner": "local",
	"linodebs.csi.linode.com": "block",
	"linstor.csi.linbit.com": "block",
	"local.csi.openebs.io": "openebs",
	"microk8s.io/hostpath": "local",
	"nas.csi.everest.io": "network",
	"nasplugin.csi.alibabacloud.com": "network",
	"nfs.csi.ceph.com": "ceph",
	"nfs.csi.k8s.io": "network",
	"nfs.manila.csi.openstack.org": "network",
	"obs.csi.everest.io": "network",
	"openebs.io/local": "openebs",
	"openebs.io/nfsrwx": "network",
	"openshift.org/aws-efs": "network",
	"org.gluster.glusterfs": "network",
	"ossplugin.csi.alibabacloud.com": "network",
	"pd.csi.storage.gke.io": "gcp",
	"pxd.portworx.com": "block",
	"rancher.io/local-path": "local",
	"rawfile.csi.openebs.io": "openebs",
	"rbd.csi.ceph.com": "ceph",
	"s3.csi.aws.com": "network",
	"seaweedfs-csi-driver": "network",
	"sfsturbo.csi.everest.io": "network",
	"smb.csi.k8s.io": "network",
	"storage.csi.upcloud.com": "block",
	"topolvm.cybozu.com": "topolvm",
	"topolvm.io": "topolvm",
	"vpc.block.csi.ibm.io": "block",
	"vpc.file.csi.ibm.io": "network",
	"zfs.csi.openebs.io": "openebs",
}

# Who knows provisioners by a pattern, and so is asked about those that nobody names.
patterned := [
	"ceph",
	"democratic_csi",
	"network",
]

# The vendors of the claims in sight.
vendors contains vendor if {
	some claim in data.walguard.model.claims.claims
	vendor := provisioners[claim.provisioner]
}

vendors contains vendor if {
	some claim in data.walguard.model.claims.claims
	name := object.get(claim, "provisioner", "")
	name != ""
	not provisioners[name]
	some vendor in patterned
}

disks[id] := fact if {
	"alibaba" in vendors
	some id, fact in data.walguard.storage.alibaba.disks
}

filesystems[id] := fact if {
	"alibaba" in vendors
	some id, fact in data.walguard.storage.alibaba.filesystems
}

disks[id] := fact if {
	"aws" in vendors
	some id, fact in data.walguard.storage.aws.disks
}

filesystems[id] := fact if {
	"aws" in vendors
	some id, fact in data.walguard.storage.aws.filesystems
}

disks[id] := fact if {
	"azure" in vendors
	some id, fact in data.walguard.storage.azure.disks
}

filesystems[id] := fact if {
	"azure" in vendors
	some id, fact in data.walguard.storage.azure.filesystems
}

disks[id] := fact if {
	"block" in vendors
	some id, fact in data.walguard.storage.block.disks
}

filesystems[id] := fact if {
	"block" in vendors
	some id, fact in data.walguard.storage.block.filesystems
}

disks[id] := fact if {
	"ceph" in vendors
	some id, fact in data.walguard.storage.ceph.disks
}

filesystems[id] := fact if {
	"ceph" in vendors
	some id, fact in data.walguard.storage.ceph.filesystems
}

disks[id] := fact if {
	"democratic_csi" in vendors
	some id, fact in data.walguard.storage.democratic_csi.disks
}

filesystems[id] := fact if {
	"democratic_csi" in vendors
	some id, fact in data.walguard.storage.democratic_csi.filesystems
}

disks[id] := fact if {
	"gcp" in vendors
	some id, fact in data.walguard.storage.gcp.disks
}

filesystems[id] := fact if {
	"gcp" in vendors
	some id, fact in data.walguard.storage.gcp.filesystems
}

disks[id] := fact if {
	"local" in vendors
	some id, fact in data.walguard.storage.local.disks
}

filesystems[id] := fact if {
	"local" in vendors
	some id, fact in data.walguard.storage.local.filesystems
}

disks[id] := fact if {
	"longhorn" in vendors
	some id, fact in data.walguard.storage.longhorn.disks
}

filesystems[id] := fact if {
	"longhorn" in vendors
	some id, fact in data.walguard.storage.longhorn.filesystems
}

disks[id] := fact if {
	"network" in vendors
	some id, fact in data.walguard.storage.network.disks
}

disks[id] := fact if {
	"openebs" in vendors
	some id, fact in data.walguard.storage.openebs.disks
}

filesystems[id] := fact if {
	"openebs" in vendors
	some id, fact in data.walguard.storage.openebs.filesystems
}

disks[id] := fact if {
	"topolvm" in vendors
	some id, fact in data.walguard.storage.topolvm.disks
}

filesystems[id] := fact if {
	"topolvm" in vendors
	some id, fact in data.walguard.storage.topolvm.filesystems
}

findings["access/api_forbidden"] := data.walguard.checks.access.api_forbidden.findings

findings["access/client_mismatch"] := data.walguard.checks.access.client_mismatch.findings

findings["access/connection_uri"] := data.walguard.checks.access.connection_uri.findings

findings["access/contested_login"] := data.walguard.checks.access.contested_login.findings

findings["access/database_not_created"] := data.walguard.checks.access.database_not_created.findings

findings["access/exposed"] := data.walguard.checks.access.exposed.findings

findings["access/guessable_password"] := data.walguard.checks.access.guessable_password.findings

findings["access/hba_invalid"] := data.walguard.checks.access.hba_invalid.findings

findings["access/hba_lockout"] := data.walguard.checks.access.hba_lockout.findings

findings["access/hba_unreached"] := data.walguard.checks.access.hba_unreached.findings

findings["access/network_policy"] := data.walguard.checks.access.network_policy.findings

findings["access/password_file"] := data.walguard.checks.access.password_file.findings

findings["access/password_missing"] := data.walguard.checks.access.password_missing.findings

findings["access/plain_password"] := data.walguard.checks.access.plain_password.findings

findings["access/pooler_login"] := data.walguard.checks.access.pooler_login.findings

findings["access/pooler_password"] := data.walguard.checks.access.pooler_password.findings

findings["access/schema_public"] := data.walguard.checks.access.schema_public.findings

findings["access/secret_key_missing"] := data.walguard.checks.access.secret_key_missing.findings

findings["access/secret_line_break"] := data.walguard.checks.access.secret_line_break.findings

findings["access/secret_not_made"] := data.walguard.checks.access.secret_not_made.findings

findings["access/secret_owner_mismatch"] := data.walguard.checks.access.secret_owner_mismatch.findings

findings["access/tls_expected"] := data.walguard.checks.access.tls_expected.findings

findings["access/tls_key_permissions"] := data.walguard.checks.access.tls_key_permissions.findings

findings["access/tls_off"] := data.walguard.checks.access.tls_off.findings

findings["access/trust"] := data.walguard.checks.access.trust.findings

findings["access/unreachable"] := data.walguard.checks.access.unreachable.findings

findings["backup/archive_command_empty"] := data.walguard.checks.backup.archive_command_empty.findings

findings["backup/archive_hides_errors"] := data.walguard.checks.backup.archive_hides_errors.findings

findings["backup/archive_on_data_volume"] := data.walguard.checks.backup.archive_on_data_volume.findings

findings["backup/archive_target_unmounted"] := data.walguard.checks.backup.archive_target_unmounted.findings

findings["backup/archiving_discards"] := data.walguard.checks.backup.archiving_discards.findings

findings["backup/dump_from_standby"] := data.walguard.checks.backup.dump_from_standby.findings

findings["backup/dump_hides_errors"] := data.walguard.checks.backup.dump_hides_errors.findings

findings["backup/dump_never_starts"] := data.walguard.checks.backup.dump_never_starts.findings

findings["backup/dump_not_kept"] := data.walguard.checks.backup.dump_not_kept.findings

findings["backup/dump_older_than_server"] := data.walguard.checks.backup.dump_older_than_server.findings

findings["backup/files_of_running_server"] := data.walguard.checks.backup.files_of_running_server.findings

findings["backup/missing"] := data.walguard.checks.backup.missing.findings

findings["backup/no_base_backup"] := data.walguard.checks.backup.no_base_backup.findings

findings["backup/option_unknown"] := data.walguard.checks.backup.option_unknown.findings

findings["backup/path_collision"] := data.walguard.checks.backup.path_collision.findings

findings["backup/recovery_target_stale"] := data.walguard.checks.backup.recovery_target_stale.findings

findings["backup/recovery_target_zone"] := data.walguard.checks.backup.recovery_target_zone.findings

findings["backup/removal_announced"] := data.walguard.checks.backup.removal_announced.findings

findings["backup/restore_untested"] := data.walguard.checks.backup.restore_untested.findings

findings["backup/retention"] := data.walguard.checks.backup.retention.findings

findings["backup/same_failure_domain"] := data.walguard.checks.backup.same_failure_domain.findings

findings["backup/schedule_invalid"] := data.walguard.checks.backup.schedule_invalid.findings

findings["backup/sidecar_memory"] := data.walguard.checks.backup.sidecar_memory.findings

findings["backup/snapshot_deleted"] := data.walguard.checks.backup.snapshot_deleted.findings

findings["backup/stale"] := data.walguard.checks.backup.stale.findings

findings["backup/store_refuses"] := data.walguard.checks.backup.store_refuses.findings

findings["backup/store_unusable"] := data.walguard.checks.backup.store_unusable.findings

findings["change/archive_moved"] := data.walguard.checks.change.archive_moved.findings

findings["change/archiving_off"] := data.walguard.checks.change.archiving_off.findings

findings["change/bootstrap"] := data.walguard.checks.change.bootstrap.findings

findings["change/data_directory"] := data.walguard.checks.change.data_directory.findings

findings["change/first_start"] := data.walguard.checks.change.first_start.findings

findings["change/immutable"] := data.walguard.checks.change.immutable.findings

findings["change/library_dropped"] := data.walguard.checks.change.library_dropped.findings

findings["change/locale"] := data.walguard.checks.change.locale.findings

findings["change/max_connections_lowered"] := data.walguard.checks.change.max_connections_lowered.findings

findings["change/schedule_removed"] := data.walguard.checks.change.schedule_removed.findings

findings["change/storage_class"] := data.walguard.checks.change.storage_class.findings

findings["change/volume_shrunk"] := data.walguard.checks.change.volume_shrunk.findings

findings["change/wal_level_lowered"] := data.walguard.checks.change.wal_level_lowered.findings

findings["checkpoint/completion_target"] := data.walguard.checks.checkpoint.completion_target.findings

findings["checkpoint/flush_after_disabled"] := data.walguard.checks.checkpoint.flush_after_disabled.findings

findings["checkpoint/flush_exceeds_interval"] := data.walguard.checks.checkpoint.flush_exceeds_interval.findings

findings["checkpoint/frequent"] := data.walguard.checks.checkpoint.frequent.findings

findings["checkpoint/recovery_time"] := data.walguard.checks.checkpoint.recovery_time.findings

findings["checkpoint/throughput_vs_latency"] := data.walguard.checks.checkpoint.throughput_vs_latency.findings

findings["connections/pool_exceeds_server"] := data.walguard.checks.connections.pool_exceeds_server.findings

findings["connections/pooler_missing"] := data.walguard.checks.connections.pooler_missing.findings

findings["connections/prepared_statements"] := data.walguard.checks.connections.prepared_statements.findings

findings["connections/reserved"] := data.walguard.checks.connections.reserved.findings

findings["connections/session_cut"] := data.walguard.checks.connections.session_cut.findings

findings["durability/claims_deleted"] := data.walguard.checks.durability.claims_deleted.findings

findings["durability/corruption_masking"] := data.walguard.checks.durability.corruption_masking.findings

findings["durability/data_checksums"] := data.walguard.checks.durability.data_checksums.findings

findings["durability/ephemeral_volume"] := data.walguard.checks.durability.ephemeral_volume.findings

findings["durability/fsync"] := data.walguard.checks.durability.fsync.findings

findings["durability/full_page_writes"] := data.walguard.checks.durability.full_page_writes.findings

findings["durability/full_page_writes_rewind"] := data.walguard.checks.durability.full_page_writes_rewind.findings

findings["durability/full_page_writes_standby_backup"] := data.walguard.checks.durability.full_page_writes_standby_backup.findings

findings["durability/reclaim_policy"] := data.walguard.checks.durability.reclaim_policy.findings

findings["durability/synchronous_commit"] := data.walguard.checks.durability.synchronous_commit.findings

findings["durability/triggers_off"] := data.walguard.checks.durability.triggers_off.findings

findings["durability/unreplicated_replicas"] := data.walguard.checks.durability.unreplicated_replicas.findings

findings["durability/wal_removed"] := data.walguard.checks.durability.wal_removed.findings

findings["durability/write_barriers"] := data.walguard.checks.durability.write_barriers.findings

findings["image/archiver_missing"] := data.walguard.checks.image.archiver_missing.findings

findings["image/end_of_life"] := data.walguard.checks.image.end_of_life.findings

findings["image/floating_tag"] := data.walguard.checks.image.floating_tag.findings

findings["image/known_bad_minor"] := data.walguard.checks.image.known_bad_minor.findings

findings["image/libc_changed"] := data.walguard.checks.image.libc_changed.findings

findings["image/library_missing"] := data.walguard.checks.image.library_missing.findings

findings["image/major_changed"] := data.walguard.checks.image.major_changed.findings

findings["image/patroni_missing"] := data.walguard.checks.image.patroni_missing.findings

findings["image/repository_gone"] := data.walguard.checks.image.repository_gone.findings

findings["image/user_missing"] := data.walguard.checks.image.user_missing.findings

findings["image/version_mismatch"] := data.walguard.checks.image.version_mismatch.findings

findings["image/version_unknown"] := data.walguard.checks.image.version_unknown.findings

findings["logging/fills_disk"] := data.walguard.checks.logging.fills_disk.findings

findings["manifest/annotation_unread"] := data.walguard.checks.manifest.annotation_unread.findings

findings["manifest/duplicate_key"] := data.walguard.checks.manifest.duplicate_key.findings

findings["manifest/field_misspelt"] := data.walguard.checks.manifest.field_misspelt.findings

findings["manifest/ignore_comment"] := data.walguard.checks.manifest.ignore_comment.findings

findings["manifest/metrics_uncollected"] := data.walguard.checks.manifest.metrics_uncollected.findings

findings["manifest/name_unresolved"] := data.walguard.checks.manifest.name_unresolved.findings

findings["manifest/not_text"] := data.walguard.checks.manifest.not_text.findings

findings["manifest/removal_announced"] := data.walguard.checks.manifest.removal_announced.findings

findings["memory/best_effort"] := data.walguard.checks.memory.best_effort.findings

findings["memory/dev_shm"] := data.walguard.checks.memory.dev_shm.findings

findings["memory/effective_cache_size"] := data.walguard.checks.memory.effective_cache_size.findings

findings["memory/huge_pages_resource"] := data.walguard.checks.memory.huge_pages_resource.findings

findings["memory/limits_missing"] := data.walguard.checks.memory.limits_missing.findings

findings["memory/node_headroom"] := data.walguard.checks.memory.node_headroom.findings

findings["memory/overcommit"] := data.walguard.checks.memory.overcommit.findings

findings["memory/request_below_buffers"] := data.walguard.checks.memory.request_below_buffers.findings

findings["memory/shared_buffers_exceeds"] := data.walguard.checks.memory.shared_buffers_exceeds.findings

findings["node/dirty_background"] := data.walguard.checks.node.dirty_background.findings

findings["node/dirty_ratio"] := data.walguard.checks.node.dirty_ratio.findings

findings["node/overcommit"] := data.walguard.checks.node.overcommit.findings

findings["node/removed_sysctl"] := data.walguard.checks.node.removed_sysctl.findings

findings["node/swappiness"] := data.walguard.checks.node.swappiness.findings

findings["node/sysctl_not_namespaced"] := data.walguard.checks.node.sysctl_not_namespaced.findings

findings["node/transparent_huge_pages"] := data.walguard.checks.node.transparent_huge_pages.findings

findings["node/zone_reclaim"] := data.walguard.checks.node.zone_reclaim.findings

findings["parameters/autovacuum_slots"] := data.walguard.checks.parameters.autovacuum_slots.findings

findings["parameters/duplicate"] := data.walguard.checks.parameters.duplicate.findings

findings["parameters/ignored"] := data.walguard.checks.parameters.ignored.findings

findings["parameters/implausible_unit"] := data.walguard.checks.parameters.implausible_unit.findings

findings["parameters/include"] := data.walguard.checks.parameters.include.findings

findings["parameters/invalid_value"] := data.walguard.checks.parameters.invalid_value.findings

findings["parameters/malformed"] := data.walguard.checks.parameters.malformed.findings

findings["parameters/not_a_library"] := data.walguard.checks.parameters.not_a_library.findings

findings["parameters/not_settable"] := data.walguard.checks.parameters.not_settable.findings

findings["parameters/not_text"] := data.walguard.checks.parameters.not_text.findings

findings["parameters/operator_managed"] := data.walguard.checks.parameters.operator_managed.findings

findings["parameters/operator_refuses"] := data.walguard.checks.parameters.operator_refuses.findings

findings["parameters/out_of_range"] := data.walguard.checks.parameters.out_of_range.findings

findings["parameters/patroni_minimum"] := data.walguard.checks.parameters.patroni_minimum.findings

findings["parameters/platform_unsupported"] := data.walguard.checks.parameters.platform_unsupported.findings

findings["parameters/preload_missing"] := data.walguard.checks.parameters.preload_missing.findings

findings["parameters/preload_replaced"] := data.walguard.checks.parameters.preload_replaced.findings

findings["parameters/removed"] := data.walguard.checks.parameters.removed.findings

findings["parameters/syntax"] := data.walguard.checks.parameters.syntax.findings

findings["parameters/too_new"] := data.walguard.checks.parameters.too_new.findings

findings["parameters/unknown"] := data.walguard.checks.parameters.unknown.findings

findings["parameters/unread_source"] := data.walguard.checks.parameters.unread_source.findings

findings["parameters/vendor_only"] := data.walguard.checks.parameters.vendor_only.findings

findings["parameters/worker_slots"] := data.walguard.checks.parameters.worker_slots.findings

findings["policy/attestation_expired"] := data.walguard.checks.policy.attestation_expired.findings

findings["policy/waiver_expired"] := data.walguard.checks.policy.waiver_expired.findings

findings["policy/waiver_unused"] := data.walguard.checks.policy.waiver_unused.findings

findings["policy/waiver_without_namespace"] := data.walguard.checks.policy.waiver_without_namespace.findings

findings["replication/failover_lag_small"] := data.walguard.checks.replication.failover_lag_small.findings

findings["replication/patroni_timing"] := data.walguard.checks.replication.patroni_timing.findings

findings["replication/quorum_bootstrap"] := data.walguard.checks.replication.quorum_bootstrap.findings

findings["replication/slot_left_behind"] := data.walguard.checks.replication.slot_left_behind.findings

findings["replication/slot_shared"] := data.walguard.checks.replication.slot_shared.findings

findings["replication/slots_exhausted"] := data.walguard.checks.replication.slots_exhausted.findings

findings["replication/standby_below_primary"] := data.walguard.checks.replication.standby_below_primary.findings

findings["replication/sync_blocks_writes"] := data.walguard.checks.replication.sync_blocks_writes.findings

findings["replication/sync_by_hand"] := data.walguard.checks.replication.sync_by_hand.findings

findings["replication/sync_unsatisfiable"] := data.walguard.checks.replication.sync_unsatisfiable.findings

findings["replication/wal_not_kept"] := data.walguard.checks.replication.wal_not_kept.findings

findings["scheduling/one_node"] := data.walguard.checks.scheduling.one_node.findings

findings["scheduling/one_zone"] := data.walguard.checks.scheduling.one_zone.findings

findings["server/locale"] := data.walguard.checks.server.locale.findings

findings["server/misstated"] := data.walguard.checks.server.misstated.findings

findings["storage/access_mode"] := data.walguard.checks.storage.access_mode.findings

findings["storage/bandwidth_below_demand"] := data.walguard.checks.storage.bandwidth_below_demand.findings

findings["storage/binding_immediate"] := data.walguard.checks.storage.binding_immediate.findings

findings["storage/burst_only"] := data.walguard.checks.storage.burst_only.findings

findings["storage/class_missing"] := data.walguard.checks.storage.class_missing.findings

findings["storage/expansion_disabled"] := data.walguard.checks.storage.expansion_disabled.findings

findings["storage/iops_below_demand"] := data.walguard.checks.storage.iops_below_demand.findings

findings["storage/level_out_of_range"] := data.walguard.checks.storage.level_out_of_range.findings

findings["storage/network_filesystem"] := data.walguard.checks.storage.network_filesystem.findings

findings["storage/node_local_single_copy"] := data.walguard.checks.storage.node_local_single_copy.findings

findings["storage/size_below_knee"] := data.walguard.checks.storage.size_below_knee.findings

findings["storage/size_does_not_help"] := data.walguard.checks.storage.size_does_not_help.findings

findings["storage/slow_default_class"] := data.walguard.checks.storage.slow_default_class.findings

findings["storage/volume_unbound"] := data.walguard.checks.storage.volume_unbound.findings

findings["vacuum/autovacuum_off"] := data.walguard.checks.vacuum.autovacuum_off.findings

findings["vacuum/freeze_age"] := data.walguard.checks.vacuum.freeze_age.findings

findings["vacuum/scale_factor"] := data.walguard.checks.vacuum.scale_factor.findings

findings["vacuum/unthrottled"] := data.walguard.checks.vacuum.unthrottled.findings

findings["vacuum/xmin_pinned"] := data.walguard.checks.vacuum.xmin_pinned.findings

findings["wal/compression_available"] := data.walguard.checks.wal.compression_available.findings

findings["wal/init_zero_filesystem"] := data.walguard.checks.wal.init_zero_filesystem.findings

findings["wal/init_zero_stall"] := data.walguard.checks.wal.init_zero_stall.findings

findings["wal/max_wal_vs_volume"] := data.walguard.checks.wal.max_wal_vs_volume.findings

findings["wal/minimal_level"] := data.walguard.checks.wal.minimal_level.findings

findings["wal/removed_not_recycled"] := data.walguard.checks.wal.removed_not_recycled.findings

findings["wal/segment_size_immutable"] := data.walguard.checks.wal.segment_size_immutable.findings

findings["wal/segment_size_invalid"] := data.walguard.checks.wal.segment_size_invalid.findings

findings["wal/segment_size_small"] := data.walguard.checks.wal.segment_size_small.findings

findings["wal/segment_size_vs_wal_size"] := data.walguard.checks.wal.segment_size_vs_wal_size.findings

findings["wal/slot_retention_unbounded"] := data.walguard.checks.wal.slot_retention_unbounded.findings

findings["wal/volume_shared"] := data.walguard.checks.wal.volume_shared.findings

findings["workload/bare_pod"] := data.walguard.checks.workload.bare_pod.findings

findings["workload/container_without_image"] := data.walguard.checks.workload.container_without_image.findings

findings["workload/cpu_parallel"] := data.walguard.checks.workload.cpu_parallel.findings

findings["workload/cpu_throttle"] := data.walguard.checks.workload.cpu_throttle.findings

findings["workload/data_on_mount_root"] := data.walguard.checks.workload.data_on_mount_root.findings

findings["workload/deployment_strategy"] := data.walguard.checks.workload.deployment_strategy.findings

findings["workload/fs_group_policy"] := data.walguard.checks.workload.fs_group_policy.findings

findings["workload/init_script"] := data.walguard.checks.workload.init_script.findings

findings["workload/liveness_kills_recovery"] := data.walguard.checks.workload.liveness_kills_recovery.findings

findings["workload/liveness_needs_session"] := data.walguard.checks.workload.liveness_needs_session.findings

findings["workload/mesh_proxy"] := data.walguard.checks.workload.mesh_proxy.findings

findings["workload/parent_mount"] := data.walguard.checks.workload.parent_mount.findings

findings["workload/pdb_blocks_drain"] := data.walguard.checks.workload.pdb_blocks_drain.findings

findings["workload/permissions"] := data.walguard.checks.workload.permissions.findings

findings["workload/pgdata_off_volume"] := data.walguard.checks.workload.pgdata_off_volume.findings

findings["workload/pod_security"] := data.walguard.checks.workload.pod_security.findings

findings["workload/probe_login"] := data.walguard.checks.workload.probe_login.findings

findings["workload/probe_timeout"] := data.walguard.checks.workload.probe_timeout.findings

findings["workload/quota_refuses"] := data.walguard.checks.workload.quota_refuses.findings

findings["workload/request_above_limit"] := data.walguard.checks.workload.request_above_limit.findings

findings["workload/resource_unknown"] := data.walguard.checks.workload.resource_unknown.findings

findings["workload/single_instance_pdb"] := data.walguard.checks.workload.single_instance_pdb.findings

findings["workload/termination_grace"] := data.walguard.checks.workload.termination_grace.findings

# Checks that an administrator brings.
findings[id] := found if some id, found in data.walguard.own.findings

# The parameters that some check asks walguard.model for.
parameters := [
	"archive_command",
	"archive_library",
	"archive_timeout",
	"autovacuum_max_workers",
	"autovacuum_work_mem",
	"autovacuum_worker_slots",
	"checkpoint_completion_target",
	"checkpoint_timeout",
	"effective_cache_size",
	"full_page_writes",
	"hash_mem_multiplier",
	"hot_standby_feedback",
	"huge_pages",
	"log_directory",
	"log_filename",
	"log_truncate_on_rotation",
	"maintenance_work_mem",
	"max_connections",
	"max_locks_per_transaction",
	"max_parallel_workers",
	"max_parallel_workers_per_gather",
	"max_prepared_transactions",
	"max_replication_slots",
	"max_slot_wal_keep_size",
	"max_standby_streaming_delay",
	"max_wal_senders",
	"max_wal_size",
	"max_worker_processes",
	"min_wal_size",
	"shared_buffers",
	"shared_preload_libraries",
	"superuser_reserved_connections",
	"wal_init_zero",
	"wal_keep_size",
	"wal_level",
	"work_mem",
]

# The same and those that some check asks for only where somebody sets them.
changes := [
	"archive_command",
	"archive_library",
	"archive_mode",
	"archive_timeout",
	"autovacuum",
	"autovacuum_freeze_max_age",
	"autovacuum_max_workers",
	"autovacuum_multixact_freeze_max_age",
	"autovacuum_vacuum_cost_delay",
	"autovacuum_vacuum_scale_factor",
	"autovacuum_work_mem",
	"autovacuum_worker_slots",
	"bgwriter_flush_after",
	"checkpoint_completion_target",
	"checkpoint_flush_after",
	"checkpoint_timeout",
	"data_sync_retry",
	"dynamic_shared_memory_type",
	"effective_cache_size",
	"fsync",
	"full_page_writes",
	"hash_mem_multiplier",
	"hot_standby_feedback",
	"huge_pages",
	"ignore_checksum_failure",
	"ignore_invalid_pages",
	"io_method",
	"log_directory",
	"log_filename",
	"log_min_duration_statement",
	"log_statement",
	"log_truncate_on_rotation",
	"logging_collector",
	"maintenance_work_mem",
	"max_connections",
	"max_locks_per_transaction",
	"max_parallel_maintenance_workers",
	"max_parallel_workers",
	"max_parallel_workers_per_gather",
	"max_prepared_transactions",
	"max_replication_slots",
	"max_slot_wal_keep_size",
	"max_standby_streaming_delay",
	"max_wal_senders",
	"max_wal_size",
	"max_worker_processes",
	"min_wal_size",
	"reserved_connections",
	"session_replication_role",
	"shared_buffers",
	"shared_preload_libraries",
	"statement_timeout",
	"superuser_reserved_connections",
	"synchronous_commit",
	"track_counts",
	"transaction_timeout",
	"vacuum_cost_delay",
	"wal_compression",
	"wal_init_zero",
	"wal_keep_size",
	"wal_level",
	"wal_writer_delay",
	"work_mem",
	"zero_damaged_pages",
]

# Those of the first list whose default is the same in every version that has them, as walguard.model wants them.
defaults := {
	"archive_command": {"name": "archive_command", "origin": "postgres", "text": "", "value": ""},
	"archive_library": {"name": "archive_library", "origin": "postgres", "text": "", "value": ""},
	"archive_timeout": {"milliseconds": 0, "name": "archive_timeout", "origin": "postgres", "text": "0", "value": 0},
	"autovacuum_max_workers": {"name": "autovacuum_max_workers", "origin": "postgres", "text": "3", "value": 3},
	"autovacuum_work_mem": {"bytes": -1, "name": "autovacuum_work_mem", "origin": "postgres", "text": "-1", "value": -1},
	"autovacuum_worker_slots": {"name": "autovacuum_worker_slots", "origin": "postgres", "text": "16", "value": 16},
	"checkpoint_timeout": {"milliseconds": 300000, "name": "checkpoint_timeout", "origin": "postgres", "text": "300", "value": 300},
	"effective_cache_size": {"bytes": 4294967296, "name": "effective_cache_size", "origin": "postgres", "text": "524288", "value": 524288},
	"full_page_writes": {"name": "full_page_writes", "origin": "postgres", "text": "on", "value": true},
	"hot_standby_feedback": {"name": "hot_standby_feedback", "origin": "postgres", "text": "off", "value": false},
	"huge_pages": {"name": "huge_pages", "origin": "postgres", "text": "try", "value": "try"},
	"log_directory": {"name": "log_directory", "origin": "postgres", "text": "log", "value": "log"},
	"log_filename": {"name": "log_filename", "origin": "postgres", "text": "postgresql-%Y-%m-%d_%H%M%S.log", "value": "postgresql-%Y-%m-%d_%H%M%S.log"},
	"log_truncate_on_rotation": {"name": "log_truncate_on_rotation", "origin": "postgres", "text": "off", "value": false},
	"maintenance_work_mem": {"bytes": 67108864, "name": "maintenance_work_mem", "origin": "postgres", "text": "65536", "value": 65536},
	"max_connections": {"name": "max_connections", "origin": "postgres", "text": "100", "value": 100},
	"max_parallel_workers": {"name": "max_parallel_workers", "origin": "postgres", "text": "8", "value": 8},
	"max_parallel_workers_per_gather": {"name": "max_parallel_workers_per_gather", "origin": "postgres", "text": "2", "value": 2},
	"max_prepared_transactions": {"name": "max_prepared_transactions", "origin": "postgres", "text": "0", "value": 0},
	"max_replication_slots": {"name": "max_replication_slots", "origin": "postgres", "text": "10", "value": 10},
	"max_slot_wal_keep_size": {"bytes": -1, "name": "max_slot_wal_keep_size", "origin": "postgres", "text": "-1", "value": -1},
	"max_standby_streaming_delay": {"milliseconds": 30000, "name": "max_standby_streaming_delay", "origin": "postgres", "text": "30000", "value": 30000},
	"max_wal_senders": {"name": "max_wal_senders", "origin": "postgres", "text": "10", "value": 10},
	"max_worker_processes": {"name": "max_worker_processes", "origin": "postgres", "text": "8", "value": 8},
	"shared_preload_libraries": {"name": "shared_preload_libraries", "origin": "postgres", "text": "", "value": ""},
	"superuser_reserved_connections": {"name": "superuser_reserved_connections", "origin": "postgres", "text": "3", "value": 3},
	"wal_init_zero": {"name": "wal_init_zero", "origin": "postgres", "text": "on", "value": true},
	"wal_keep_size": {"bytes": 0, "name": "wal_keep_size", "origin": "postgres", "text": "0", "value": 0},
	"wal_level": {"name": "wal_level", "origin": "postgres", "text": "replica", "value": "replica"},
	"work_mem": {"bytes": 4194304, "name": "work_mem", "origin": "postgres", "text": "4096", "value": 4096},
}

# Which of them a version does not have yet: the first that has them.
begun := {
	13: {"max_slot_wal_keep_size", "wal_keep_size"},
	15: {"archive_library"},
	18: {"autovacuum_worker_slots"},
}
