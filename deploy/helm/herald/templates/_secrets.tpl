{{/*
How a secret is called in a Secret: `apiKeyPepper` is `API_KEY_PEPPER`, the URLs of `posts` are `POSTS_DATABASE_URL` and
`POSTS_OWNER_DATABASE_URL`, its address of NATS is `POSTS_NATS_URL`, and a setting of a platform has the name of its variable.
*/}}
{{- define "herald.secretName" -}}
{{- if hasPrefix "databaseUrls." . -}}
{{ trimPrefix "databaseUrls." . | upper }}_DATABASE_URL
{{- else if hasPrefix "ownerDatabaseUrls." . -}}
{{ trimPrefix "ownerDatabaseUrls." . | upper }}_OWNER_DATABASE_URL
{{- else if hasPrefix "natsUrls." . -}}
{{ trimPrefix "natsUrls." . | upper }}_NATS_URL
{{- else if hasPrefix "platforms." . -}}
{{ trimPrefix "platforms." . }}
{{- else -}}
{{ snakecase . | replace "s_3" "s3" | upper }}
{{- end -}}
{{- end -}}

{{/* What the values say of a secret, by its path under `secrets`. */}}
{{- define "herald.secretGiven" -}}
{{- $given := .root.Values.secrets -}}
{{- range splitList "." .path }}{{ $given = index $given . }}{{ end -}}
{{- toYaml $given -}}
{{- end -}}

{{/* A reference to a secret; `own` is the name of the Secret that the chart makes for those who read it here. */}}
{{- define "herald.secretRef" -}}
{{- $given := include "herald.secretGiven" . | fromYaml -}}
{{- $name := include "herald.secretName" .path -}}
secretKeyRef:
{{- if $given.value }}
  name: {{ .own }}
  key: {{ $name }}
{{- else if $given.existingSecret }}
  name: {{ $given.existingSecret }}
  key: {{ $given.key | default $name }}
{{- else if .root.Values.secrets.existingSecret }}
  name: {{ .root.Values.secrets.existingSecret }}
  key: {{ $name }}
{{- else }}
  {{- fail (printf "\n\nA secret is missing. Give secrets.%s.existingSecret, or secrets.existingSecret with the key %s in it.\n" .path $name) }}
{{- end }}
{{- end -}}

{{/* The data of a Secret with those of `paths` that are given as values. */}}
{{- define "herald.secretData" -}}
{{- $root := .root -}}
{{- range $path := .paths }}
{{- $given := include "herald.secretGiven" (dict "root" $root "path" $path) | fromYaml }}
{{- with $given.value }}
{{ include "herald.secretName" $path }}: {{ b64enc . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The paths of all secrets that a service reads. */}}
{{- define "herald.secretPaths" -}}
{{- $facts := index (include "herald.facts" .root | fromYaml) .name -}}
{{- $paths := concat (list "rpcSecret" (include "herald.natsPath" .)) $facts.secrets -}}
{{- if $facts.database }}{{ $paths = append $paths (printf "databaseUrls.%s" .name) }}{{ end -}}
{{- if and (eq .name "media") (include "herald.isGiven" .root.Values.secrets.describerKey) }}{{ $paths = append $paths "describerKey" }}{{ end -}}
{{- if eq .name "channels" }}
{{- range $variable, $given := .root.Values.secrets.platforms }}{{ $paths = append $paths (printf "platforms.%s" $variable) }}{{ end }}
{{- end -}}
{{- toYaml $paths -}}
{{- end -}}

{{/* The path of the address by which a service, or the Job that provisions, reaches NATS. */}}
{{- define "herald.natsPath" -}}
{{ if .root.Values.nats.users }}natsUrls.{{ .name }}{{ else }}natsUrl{{ end }}
{{- end -}}

{{/* Whether a secret is given by itself: one that is optional is only asked for then. */}}
{{- define "herald.isGiven" -}}
{{- if or .value .existingSecret }}yes{{ end -}}
{{- end -}}
