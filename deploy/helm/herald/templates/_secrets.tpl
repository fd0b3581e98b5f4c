{{/* How a secret is called in a Secret: `apiKeyPepper` is `API_KEY_PEPPER`, the URL of `posts` is `POSTS_DATABASE_URL`. */}}
{{- define "herald.secretName" -}}
{{- if hasPrefix "databaseUrls." . -}}
{{ trimPrefix "databaseUrls." . | upper }}_DATABASE_URL
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
{{- $paths := concat (list "rpcSecret" "natsUrl") $facts.secrets -}}
{{- if $facts.database }}{{ $paths = append $paths (printf "databaseUrls.%s" .name) }}{{ end -}}
{{- if and (eq .name "media") (include "herald.hasDescriberKey" .root) }}{{ $paths = append $paths "describerKey" }}{{ end -}}
{{- toYaml $paths -}}
{{- end -}}

{{/* A describer may do without a key, so it is only asked for where one is named. */}}
{{- define "herald.hasDescriberKey" -}}
{{- with .Values.secrets.describerKey }}{{ if or .value .existingSecret }}yes{{ end }}{{ end -}}
{{- end -}}
