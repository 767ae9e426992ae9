{{/* Generated from the METADATA of rules/ by "make generate". Do not edit. */}}

{{/* Custom resources of PostgreSQL operators. */}}
{{- define "walguard.webhookRules" -}}
- apiGroups: ["acid.zalan.do"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["postgresqls"]
  scope: Namespaced
- apiGroups: ["apps.kubeblocks.io"]
  apiVersions: ["v1", "v1alpha1"]
  operations: [CREATE, UPDATE]
  resources: ["clusters", "components"]
  scope: Namespaced
- apiGroups: ["apps.kubeblocks.io"]
  apiVersions: ["v1alpha1"]
  operations: [CREATE, UPDATE]
  resources: ["configurations", "opsrequests"]
  scope: Namespaced
- apiGroups: ["kubegres.reactive-tech.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["kubegres"]
  scope: Namespaced
- apiGroups: ["mpd.polardb.aliyun.com"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["mpdclusters"]
  scope: Namespaced
- apiGroups: ["operations.kubeblocks.io"]
  apiVersions: ["v1alpha1"]
  operations: [CREATE, UPDATE]
  resources: ["opsrequests"]
  scope: Namespaced
- apiGroups: ["parameters.kubeblocks.io"]
  apiVersions: ["v1alpha1"]
  operations: [CREATE, UPDATE]
  resources: ["componentparameters", "parameters"]
  scope: Namespaced
- apiGroups: ["pg.percona.com"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["perconapgclusters"]
  scope: Namespaced
- apiGroups: ["pgv2.percona.com"]
  apiVersions: ["v2"]
  operations: [CREATE, UPDATE]
  resources: ["perconapgclusters"]
  scope: Namespaced
- apiGroups: ["postgres-operator.crunchydata.com"]
  apiVersions: ["v1", "v1beta1"]
  operations: [CREATE, UPDATE]
  resources: ["postgresclusters"]
  scope: Namespaced
- apiGroups: ["postgresql.cnpg.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["clusters"]
  scope: Namespaced
- apiGroups: ["postgresql.k8s.enterprisedb.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["clusters"]
  scope: Namespaced
- apiGroups: ["stackgres.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["sgclusters", "sgdbops", "sgpgconfigs", "sgscripts"]
  scope: Namespaced
- apiGroups: ["stackgres.io"]
  apiVersions: ["v1alpha1"]
  operations: [CREATE, UPDATE]
  resources: ["sgshardedclusters"]
  scope: Namespaced
- apiGroups: ["upstream.pgv2.percona.com"]
  apiVersions: ["v1beta1"]
  operations: [CREATE, UPDATE]
  resources: ["postgresclusters"]
  scope: Namespaced
- apiGroups: ["postgresql.cnpg.io"]
  apiVersions: ["v1"]
  operations: [UPDATE]
  resources: ["clusters/scale"]
  scope: Namespaced
- apiGroups: ["postgresql.k8s.enterprisedb.io"]
  apiVersions: ["v1"]
  operations: [UPDATE]
  resources: ["clusters/scale"]
  scope: Namespaced
- apiGroups: ["stackgres.io"]
  apiVersions: ["v1"]
  operations: [UPDATE]
  resources: ["sgclusters/scale"]
  scope: Namespaced
{{- end -}}

{{/* Kinds that are mostly something else; judged only with webhook.genericKinds. */}}
{{- define "walguard.genericWebhookRules" -}}
- apiGroups: [""]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["configmaps", "pods"]
  scope: Namespaced
- apiGroups: ["apps"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["daemonsets", "deployments", "replicasets", "statefulsets"]
  scope: Namespaced
- apiGroups: ["batch"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["cronjobs", "jobs"]
  scope: Namespaced
- apiGroups: ["kubelet.config.k8s.io"]
  apiVersions: ["v1beta1"]
  operations: [CREATE, UPDATE]
  resources: ["kubeletconfigurations"]
  scope: Cluster
- apiGroups: ["machineconfiguration.openshift.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["kubeletconfigs", "machineconfigs"]
  scope: Cluster
- apiGroups: ["tuned.openshift.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE]
  resources: ["tuneds"]
  scope: Namespaced
{{- end -}}

{{/* What clusters depend on: what is written is judged by what becomes of them. */}}
{{- define "walguard.supportWebhookRules" -}}
- apiGroups: [""]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["persistentvolumes"]
  scope: Cluster
- apiGroups: ["acid.zalan.do"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["operatorconfigurations"]
  scope: Namespaced
- apiGroups: ["barmancloud.cnpg.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["objectstores"]
  scope: Namespaced
- apiGroups: ["dataprotection.kubeblocks.io"]
  apiVersions: ["v1alpha1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["backups", "backupschedules", "restores"]
  scope: Namespaced
- apiGroups: ["pgv2.percona.com"]
  apiVersions: ["v2"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["perconapgbackups", "perconapgrestores", "perconapgupgrades"]
  scope: Namespaced
- apiGroups: ["policy"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["poddisruptionbudgets"]
  scope: Namespaced
- apiGroups: ["postgresql.cnpg.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["clusterimagecatalogs"]
  scope: Cluster
- apiGroups: ["postgresql.cnpg.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["backups", "imagecatalogs", "poolers", "scheduledbackups"]
  scope: Namespaced
- apiGroups: ["postgresql.k8s.enterprisedb.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["clusterimagecatalogs"]
  scope: Cluster
- apiGroups: ["postgresql.k8s.enterprisedb.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["backups", "imagecatalogs", "poolers", "scheduledbackups"]
  scope: Namespaced
- apiGroups: ["stackgres.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["sgbackups", "sginstanceprofiles", "sgpoolconfigs", "sgshardedbackups"]
  scope: Namespaced
- apiGroups: ["storage.k8s.io"]
  apiVersions: ["v1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["storageclasses"]
  scope: Cluster
- apiGroups: ["storage.k8s.io"]
  apiVersions: ["v1", "v1alpha1", "v1beta1"]
  operations: [CREATE, UPDATE, DELETE]
  resources: ["volumeattributesclasses"]
  scope: Cluster
- apiGroups: ["postgresql.cnpg.io"]
  apiVersions: ["v1"]
  operations: [UPDATE]
  resources: ["poolers/scale"]
  scope: Namespaced
- apiGroups: ["postgresql.k8s.enterprisedb.io"]
  apiVersions: ["v1"]
  operations: [UPDATE]
  resources: ["poolers/scale"]
  scope: Namespaced
{{- end -}}

{{/* What the inventory watches, and the claims that it reads one by one. */}}
{{- define "walguard.rbacRules" -}}
- apiGroups: [""]
  resources: ["namespaces", "persistentvolumes"]
  verbs: [get, list, watch]
- apiGroups: ["acid.zalan.do"]
  resources: ["operatorconfigurations", "postgresqls"]
  verbs: [get, list, watch]
- apiGroups: ["apps.kubeblocks.io"]
  resources: ["clusters", "components", "configurations"]
  verbs: [get, list, watch]
- apiGroups: ["barmancloud.cnpg.io"]
  resources: ["objectstores"]
  verbs: [get, list, watch]
- apiGroups: ["dataprotection.kubeblocks.io"]
  resources: ["backups", "backupschedules", "restores"]
  verbs: [get, list, watch]
- apiGroups: ["kubegres.reactive-tech.io"]
  resources: ["kubegres"]
  verbs: [get, list, watch]
- apiGroups: ["mpd.polardb.aliyun.com"]
  resources: ["mpdclusters"]
  verbs: [get, list, watch]
- apiGroups: ["parameters.kubeblocks.io"]
  resources: ["componentparameters", "parameters"]
  verbs: [get, list, watch]
- apiGroups: ["pg.percona.com"]
  resources: ["perconapgclusters"]
  verbs: [get, list, watch]
- apiGroups: ["pgv2.percona.com"]
  resources: ["perconapgbackups", "perconapgclusters", "perconapgrestores", "perconapgupgrades"]
  verbs: [get, list, watch]
- apiGroups: ["policy"]
  resources: ["poddisruptionbudgets"]
  verbs: [get, list, watch]
- apiGroups: ["postgres-operator.crunchydata.com"]
  resources: ["postgresclusters"]
  verbs: [get, list, watch]
- apiGroups: ["postgresql.cnpg.io"]
  resources: ["backups", "clusterimagecatalogs", "clusters", "imagecatalogs", "poolers", "scheduledbackups"]
  verbs: [get, list, watch]
- apiGroups: ["postgresql.k8s.enterprisedb.io"]
  resources: ["backups", "clusterimagecatalogs", "clusters", "imagecatalogs", "poolers", "scheduledbackups"]
  verbs: [get, list, watch]
- apiGroups: ["stackgres.io"]
  resources: ["sgbackups", "sgclusters", "sginstanceprofiles", "sgpgconfigs", "sgpoolconfigs", "sgscripts", "sgshardedbackups", "sgshardedclusters"]
  verbs: [get, list, watch]
- apiGroups: ["storage.k8s.io"]
  resources: ["storageclasses", "volumeattributesclasses"]
  verbs: [get, list, watch]
- apiGroups: ["upstream.pgv2.percona.com"]
  resources: ["postgresclusters"]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: ["persistentvolumeclaims"]
  verbs: [get]
{{- end -}}

{{/* ConfigMaps, which it reads one by one because clusters name them. */}}
{{- define "walguard.namedRbacRules" -}}
- apiGroups: [""]
  resources: ["configmaps"]
  verbs: [get]
{{- end -}}
