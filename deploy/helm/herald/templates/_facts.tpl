{{/*
What the services are, apart from what anybody may set. `calls`: whom it calls; network policies and the direct road
follow from it. `secrets`: what it is given of `values.secrets`. `internet`: the ports setting that it goes out by.
*/}}
{{- define "herald.facts" -}}
gateway:
  calls: [accounts, channels, media, posts, quota]
  secrets: []
  database: false
accounts:
  calls: []
  secrets: [{{ include "herald.isGiven" .Values.secrets.apiKeyPeppers | empty | not | ternary "apiKeyPeppers" "apiKeyPepper" }}]
  database: true
quota:
  calls: [accounts, posts]
  secrets: []
  database: true
channels:
  calls: []
  secrets: [{{ include "herald.isGiven" .Values.secrets.credentialsKeys | empty | not | ternary "credentialsKeys" "credentialsKey" }}]
  database: true
  internet: platformPorts
media:
  calls: [posts]
  secrets: {{ if eq .Values.storage.type "s3" }}[s3AccessKey, s3SecretKey]{{ else }}[storageSigningKey]{{ end }}
  database: true
  internet: importPorts
posts:
  calls: [channels, media, quota]
  secrets: []
  database: true
publisher:
  calls: [channels, media, posts]
  secrets: []
  database: true
  internet: platformPorts
{{- end -}}

{{/* The ports: of the API, of calls and health, of files. */}}
{{- define "herald.ports" -}}
api: 8080
internal: 4000
files: 8081
{{- end -}}

{{/* A service's settings: its own over the defaults. */}}
{{- define "herald.settings" -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (index .root.Values .name) | toYaml -}}
{{- end -}}

{{/* The port of probes: the gateway has no internal listener. */}}
{{- define "herald.probedPort" -}}
{{ if eq . "gateway" }}api{{ else }}internal{{ end }}
{{- end -}}
