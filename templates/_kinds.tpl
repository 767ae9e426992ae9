{{/* Generated from the METADATA of rules/ by "make generate". Do not edit. */}}

{{/* Custom resources of PostgreSQL operators. */}}
{{- define "walguard.webhookRules" -}}
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
{{- end -}}

{{/* Kinds that are mostly something else; judged only with webhook.genericKinds. */}}
{{- define "walguard.genericWebhookRules" -}}
[]
{{- end -}}

{{/* What the inventory watches. */}}
{{- define "walguard.rbacRules" -}}
- apiGroups: ["barmancloud.cnpg.io"]
  resources: ["objectstores"]
  verbs: [get, list, watch]
- apiGroups: ["postgresql.cnpg.io"]
  resources: ["backups", "clusterimagecatalogs", "clusters", "imagecatalogs", "poolers", "scheduledbackups"]
  verbs: [get, list, watch]
- apiGroups: ["postgresql.k8s.enterprisedb.io"]
  resources: ["backups", "clusterimagecatalogs", "clusters", "imagecatalogs", "poolers", "scheduledbackups"]
  verbs: [get, list, watch]
{{- end -}}
