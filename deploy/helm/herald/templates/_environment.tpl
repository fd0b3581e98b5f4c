{{/* The environment of a service. What is secret comes from Secrets, by reference. */}}
{{- define "herald.environment" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $facts := index (include "herald.facts" $root | fromYaml) $name -}}
{{- $ports := include "herald.ports" $root | fromYaml -}}
- { name: NODE_ENV, value: production }
- { name: LOG_LEVEL, value: {{ $root.Values.logLevel }} }
- { name: DRAIN_SECONDS, value: "3" }
{{- if eq $name "gateway" }}
- { name: HOST, value: {{ $root.Values.listenAddress | quote }} }
- { name: PORT, value: {{ $ports.api | quote }} }
- { name: TRUSTED_PROXIES, value: {{ join "," $root.Values.api.trustedProxies | quote }} }
{{- else }}
- { name: INTERNAL_HOST, value: {{ $root.Values.listenAddress | quote }} }
- { name: INTERNAL_PORT, value: {{ $ports.internal | quote }} }
{{- end }}
{{- if and $root.Values.nats.users (ne $name "gateway") }}
- { name: HERALD_PROVISION, value: "off" }
{{- end }}
{{- with $facts.calls }}
- name: RPC_DIRECT
  value: {{ include "herald.directRoads" (dict "root" $root "calls" . "port" $ports.internal) }}
{{- end }}
{{- if eq $name "media" }}
{{- include "herald.mediaEnvironment" (dict "root" $root "port" $ports.files) }}
{{- end }}
{{- if has $name (list "posts" "publisher") }}
- { name: PUBLISH_WITHIN_MINUTES, value: {{ $root.Values.publishWithinMinutes | quote }} }
{{- end }}
{{- if eq $name "publisher" }}
- { name: MEDIA_FILES_URL, value: "http://{{ include "herald.fullname" $root }}-media:{{ $ports.files }}" }
{{- end }}
{{- if and (eq $name "accounts") $root.Values.accounts.plansConfigMap }}
- { name: HERALD_PLANS_FILE, value: /etc/herald/plans/plans.json }
{{- end }}
{{- with $root.Values.extraCertificates }}
{{- if .configMap }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/herald/certificates/{{ .key }} }
{{- end }}
{{- end }}
{{- if eq $name "channels" }}
{{- range $variable, $value := $root.Values.platforms }}
- { name: {{ $variable }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- if $root.Values.monitoring.enabled }}
- { name: METRICS_PORT, value: {{ $root.Values.monitoring.port | quote }} }
{{- end }}
{{- range $path := include "herald.secretPaths" . | fromYamlArray }}
- name: {{ if hasPrefix "databaseUrls." $path }}DATABASE_URL{{ else if hasPrefix "natsUrls." $path }}NATS_URL{{ else }}{{ include "herald.secretName" $path }}{{ end }}
  valueFrom:
    {{- include "herald.secretRef" (dict "root" $root "path" $path "own" (printf "%s-secrets" (include "herald.fullname" $root))) | nindent 4 }}
{{- end }}
{{- range $key, $value := (index $root.Values $name).env }}
- { name: {{ $key }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{- define "herald.directRoads" -}}
{{- $root := .root -}}
{{- $port := .port -}}
{{- $roads := list -}}
{{- range .calls }}
{{- $roads = append $roads (printf "%s=http://%s-%s:%v" . (include "herald.fullname" $root) . $port) -}}
{{- end -}}
{{- join "," $roads -}}
{{- end -}}

{{- define "herald.mediaEnvironment" -}}
{{- $values := .root.Values }}
- { name: FILES_HOST, value: {{ $values.listenAddress | quote }} }
- { name: FILES_PORT, value: {{ .port | quote }} }
- { name: FILES_PUBLIC_URL, value: {{ $values.files.url | quote }} }
{{- with $values.api.url }}
- { name: API_PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
- { name: IMPORT_PORTS, value: {{ join "," $values.networkPolicy.importPorts | quote }} }
- { name: STORAGE, value: {{ $values.storage.type }} }
{{- if eq $values.storage.type "disk" }}
- { name: STORAGE_DIR, value: /var/lib/herald }
{{- else }}
{{- with $values.storage.s3 }}
- { name: S3_ENDPOINT, value: {{ .endpoint | quote }} }
{{- with .publicEndpoint }}
- { name: S3_PUBLIC_ENDPOINT, value: {{ . | quote }} }
{{- end }}
- { name: S3_REGION, value: {{ .region | quote }} }
- { name: S3_BUCKET, value: {{ .bucket | quote }} }
- { name: S3_IF_NONE_MATCH, value: {{ .ifNoneMatch | quote }} }
{{- end }}
{{- end }}
{{- end -}}
