{{- define "gpuquota.name" -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{- end }}

{{- define "gpuquota.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "gpuquota.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gpuquota.image" -}}
{{- $repository := required "Set image.repository: build the image with deploy/Containerfile." .Values.image.repository -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion | default .Chart.Version }}
{{- end }}

{{- define "gpuquota.address" -}}
https://{{ include "gpuquota.name" . }}.{{ .Release.Namespace }}.svc:8443
{{- end }}

{{/* The subjects of a binding, of {user: NAME} and {group: NAME}. */}}
{{- define "gpuquota.subjects" -}}
{{- range . }}
- apiGroup: rbac.authorization.k8s.io
{{- if .user }}
  kind: User
  name: {{ .user | quote }}
{{- else }}
  kind: Group
  name: {{ required "A subject is {user: NAME} or {group: NAME}." .group | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The service account as a subject. */}}
{{- define "gpuquota.controller" -}}
- kind: ServiceAccount
  name: {{ include "gpuquota.name" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "gpuquota.role" -}}
apiGroup: rbac.authorization.k8s.io
kind: ClusterRole
name: {{ . }}
{{- end }}

{{/* The names of projects, as a list. */}}
{{- define "gpuquota.names" -}}
{{- $names := list -}}
{{- range . }}{{ $names = append $names .name }}{{ end -}}
{{ toJson $names }}
{{- end }}

{{/* The clients as peers that mean the same in every namespace. */}}
{{- define "gpuquota.clients" -}}
{{- $here := dict "matchLabels" (dict "kubernetes.io/metadata.name" .Release.Namespace) -}}
{{- $peers := list -}}
{{- range .Values.clients -}}
{{- $peers = append $peers (ternary . (merge (dict "namespaceSelector" $here) .) (or (hasKey . "namespaceSelector") (hasKey . "ipBlock"))) -}}
{{- end -}}
{{ toYaml $peers }}
{{- end }}

{{/* Who reaches the pages of sessions: the clients, and the controller, which reads their activity. */}}
{{- define "gpuquota.peers" -}}
{{- $here := dict "matchLabels" (dict "kubernetes.io/metadata.name" .Release.Namespace) -}}
{{- $own := dict "namespaceSelector" $here "podSelector" (dict "matchLabels" (include "gpuquota.selector" . | fromYaml)) -}}
{{ toYaml (append (include "gpuquota.clients" . | fromYamlArray) $own) }}
{{- end }}
