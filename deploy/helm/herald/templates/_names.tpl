{{/* The name that every object of a release begins with. */}}
{{- define "herald.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels that tell the pods of a component; of all components with an empty one. */}}
{{- define "herald.selector" -}}
app.kubernetes.io/name: herald
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "herald.labels" -}}
{{ include "herald.selector" . }}
app.kubernetes.io/part-of: herald
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "herald.metadata" -}}
name: {{ include "herald.fullname" .root }}{{ with .name }}-{{ . }}{{ end }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "herald.labels" . | nindent 2 }}
{{- end -}}

{{/* The image of a service, by its digest where one is given. */}}
{{- define "herald.image" -}}
{{- $image := .root.Values.image -}}
{{- with index $image.digests .name -}}
{{ $image.repository }}-{{ $.name }}@{{ . }}
{{- else -}}
{{ $image.repository }}-{{ .name }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The host of an address in the values. */}}
{{- define "herald.host" -}}
{{- (urlParse .).hostname -}}
{{- end -}}

{{/* What runs an object before the rest of a release. Both delete it when all of them have succeeded. */}}
{{- define "herald.hook" -}}
{{- if eq .root.Values.migrations.hooks "argocd" -}}
argocd.argoproj.io/hook: PreSync
argocd.argoproj.io/hook-delete-policy: BeforeHookCreation,HookSucceeded
argocd.argoproj.io/sync-wave: {{ .weight | quote }}
{{- else -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
helm.sh/hook-weight: {{ .weight | quote }}
{{- end -}}
{{- end -}}
