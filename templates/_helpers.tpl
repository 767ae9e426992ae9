{{- define "walguard.name" -}}
{{- if contains "walguard" .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-walguard" (.Release.Name | trunc 44 | trimSuffix "-") }}{{ end -}}
{{- end -}}

{{- define "walguard.selector" -}}
app.kubernetes.io/name: walguard
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "walguard.labels" -}}
{{ include "walguard.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "walguard.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
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

{{/* Whether walguard itself writes the caBundle of its webhooks. */}}
{{- define "walguard.publishes" -}}
{{- if and (eq .Values.certificates.mode "self") (not .Values.webhook.clientConfigOverride.caBundle) }}true{{ end -}}
{{- end -}}

{{/*
The caBundle to begin with in mode self. walguard writes it, so that the chart must leave it alone; but Helm takes away what it
wrote itself in another mode. So what is there stays while walguard has not made its certificates, which will include it.
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
{{- else if eq .Values.certificates.mode "self" }}
{{- with include "walguard.caBundleBefore" . }}
caBundle: {{ . }}
{{- end }}
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
