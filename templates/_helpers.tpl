{{/* fullnameOverride as it is; else the release, with the chart's name unless it is in there. The longest suffix has ten characters. */}}
{{- define "walguard.name" -}}
{{- $chart := .Values.nameOverride | default .Chart.Name -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 53 | trimSuffix "-" }}{{ else if contains $chart .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" (.Release.Name | trunc 44 | trimSuffix "-") $chart | trunc 53 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "walguard.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "walguard.labels" -}}
{{ include "walguard.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "walguard.image" -}}
{{- $repository := .Values.image.repository -}}
{{- with (.Values.global | default dict).imageRegistry -}}
{{- $repository = printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^[^/]*[.:][^/]*/" $repository "") -}}
{{- end -}}
{{ $repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end -}}

{{- define "walguard.host" -}}
{{ include "walguard.name" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{- define "walguard.secretName" -}}
{{- if eq .Values.certificates.mode "provided" -}}
{{ required "certificates.provided.secretName names the Secret with the certificate" .Values.certificates.provided.secretName }}
{{- else if eq .Values.certificates.mode "self" -}}
{{ include "walguard.name" . }}-authority
{{- else -}}
{{ include "walguard.name" . }}-tls
{{- end -}}
{{- end -}}

{{/* The names under which the API server calls. */}}
{{- define "walguard.hosts" -}}
- {{ include "walguard.host" . }}
- {{ include "walguard.host" . }}.cluster.local
{{- with .Values.webhook.clientConfigOverride.url }}
- {{ (urlParse .).hostname }}
{{- end }}
{{- end -}}

{{/* Whether walguard itself writes its webhooks, with their caBundle. */}}
{{- define "walguard.publishes" -}}
{{- if and (eq .Values.certificates.mode "self") (not .Values.webhook.clientConfigOverride.caBundle) }}true{{ end -}}
{{- end -}}

{{/* Fail only where the webhooks come once the API server was seen to reach walguard; elsewhere they are there before anybody answers. */}}
{{- define "walguard.failurePolicy" -}}
{{- .Values.webhook.failurePolicy | default (ternary "Fail" "Ignore" (eq (include "walguard.publishes" .) "true")) -}}
{{- end -}}

{{/* The Lease by which walguard sees that the API server reaches it. */}}
{{- define "walguard.reachLease" -}}
{{ include "walguard.name" . }}-reach
{{- end -}}

{{/* CEL conditions of webhooks as the default has them work from 1.29 on. */}}
{{- define "walguard.hasConditions" -}}
{{- if semverCompare ">=1.29.0-0" .Capabilities.KubeVersion.Version }}true{{ end -}}
{{- end -}}

{{- define "walguard.pullSecrets" -}}
{{- $secrets := list -}}
{{- range concat ((.Values.global | default dict).imagePullSecrets | default list) .Values.imagePullSecrets -}}
{{- $secrets = append $secrets (ternary . (dict "name" .) (kindIs "map" .)) -}}
{{- end -}}
{{- with $secrets | uniq }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/*
The caBundle that Helm wrote in another mode, while walguard has not made its certificates: it includes it in its own, so that replicas
of before are still trusted in a rolling update.
*/}}
{{- define "walguard.caBundleBefore" -}}
{{- if not (lookup "v1" "Secret" .Release.Namespace (include "walguard.secretName" .)).data -}}
{{- with (lookup "admissionregistration.k8s.io/v1" "ValidatingWebhookConfiguration" "" (include "walguard.name" .)).webhooks -}}
{{ (first .).clientConfig.caBundle }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The Secret's data in mode generated, as JSON: what is in the cluster, else new. Made once a rendering, so that Secret and caBundle agree. */}}
{{- define "walguard.generatedCertificate" -}}
{{- if not (hasKey .Values "generatedCertificate") -}}
{{- $existing := (lookup "v1" "Secret" .Release.Namespace (include "walguard.secretName" .)).data | default dict -}}
{{- if and (index $existing "ca.crt") (index $existing "tls.crt") (index $existing "tls.key") -}}
{{- $_ := set .Values "generatedCertificate" (pick $existing "ca.crt" "tls.crt" "tls.key") -}}
{{- else -}}
{{- $days := int .Values.certificates.generated.validityDays -}}
{{- $host := include "walguard.host" . -}}
{{- $ca := genCA (printf "%s CA" (include "walguard.name" .)) $days -}}
{{- $leaf := genSignedCert $host nil (list $host (printf "%s.cluster.local" $host)) $days $ca -}}
{{- $_ := set .Values "generatedCertificate" (dict "ca.crt" (b64enc $ca.Cert) "tls.crt" (b64enc $leaf.Cert) "tls.key" (b64enc $leaf.Key)) -}}
{{- end -}}
{{- end -}}
{{ toJson .Values.generatedCertificate }}
{{- end -}}

{{- define "walguard.clientConfig" -}}
{{- with .Values.webhook.clientConfigOverride }}
{{- if .url -}}
url: {{ .url }}
{{- if not (include "walguard.publishes" $) }}
caBundle: {{ required "webhook.clientConfigOverride.caBundle is needed with url, except in certificates.mode self" .caBundle }}
{{- end }}
{{- end }}
{{- end }}
{{- if not .Values.webhook.clientConfigOverride.url -}}
service:
  name: {{ include "walguard.name" . }}
  namespace: {{ .Release.Namespace }}
  path: /validate
  port: 443
{{- if eq .Values.certificates.mode "generated" }}
caBundle: {{ index (include "walguard.generatedCertificate" . | fromJson) "ca.crt" }}
{{- else if eq .Values.certificates.mode "provided" }}
caBundle: {{ required "certificates.provided.caBundle is the CA of the certificate" .Values.certificates.provided.caBundle | b64enc }}
{{- end }}
{{- end }}
{{- end -}}

{{/* What both webhooks have in common. */}}
{{- define "walguard.webhook" -}}
admissionReviewVersions: [v1]
sideEffects: None
matchPolicy: Equivalent
timeoutSeconds: {{ .Values.webhook.timeoutSeconds }}
clientConfig:
  {{- include "walguard.clientConfig" . | nindent 2 }}
namespaceSelector:
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: NotIn
      values: {{ append .Values.webhook.excludedNamespaces .Release.Namespace | uniq | sortAlpha | toJson }}
    {{- with .Values.webhook.namespaceSelector }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
objectSelector: {{ toJson .Values.webhook.objectSelector }}
{{- end -}}

{{/* "true" when everything is judged again from time to time: that needs the inventory. */}}
{{- define "walguard.audits" -}}
{{- if and .Values.inventory.enabled (ne (toString .Values.audit.interval) "0") }}true{{ end -}}
{{- end -}}
