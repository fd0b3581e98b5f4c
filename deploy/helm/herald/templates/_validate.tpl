{{/* What a schema cannot say. The first thing that is wrong stops the rendering, with what can be done. */}}
{{- define "herald.validate" -}}
{{- $values := .Values -}}
{{- range $name, $facts := include "herald.facts" . | fromYaml }}
{{- $settings := include "herald.settings" (dict "root" $ "name" $name) | fromYaml }}
{{- $keda := $settings.keda | default dict }}
{{- if and $settings.autoscaling.enabled $keda.enabled }}
{{- fail (printf "\n\n%s has two scalers, which would work against each other. Turn off autoscaling or keda.\n" $name) }}
{{- end }}
{{- if and $keda.enabled (not $values.keda.natsMonitoringEndpoint) }}
{{- fail (printf "\n\n%s is scaled by KEDA, which has to see NATS. Give keda.natsMonitoringEndpoint.\n" $name) }}
{{- end }}
{{- if and (eq $name "media") (eq $values.storage.type "disk") (or $settings.autoscaling.enabled $keda.enabled) }}
{{- fail "\n\nWith storage on a disk there is one process of the media service, which cannot be scaled. Use s3.\n" }}
{{- end }}
{{- end }}
{{- if not $values.files.url }}{{ fail "\n\nGive files.url, the address of files as platforms reach them.\n" }}{{ end }}
{{- if and $values.api.url (eq (include "herald.host" $values.api.url) (include "herald.host" $values.files.url)) }}
{{- fail "\n\napi.url and files.url must be different hosts: files are made by strangers.\n" }}
{{- end }}
{{- if and (eq $values.storage.type "s3") (not $values.storage.s3.endpoint) }}
{{- fail "\n\nGive storage.s3.endpoint, or set storage.type to disk.\n" }}
{{- end }}
{{- if or $values.ingress.enabled $values.httpRoute.enabled }}
{{- if not $values.api.url }}{{ fail "\n\nAn Ingress or HTTPRoute needs a host. Give api.url.\n" }}{{ end }}
{{- if not $values.api.trustedProxies }}
{{- fail "\n\nGive api.trustedProxies: the ranges of the ingress controller. Without them one bad client shuts out all.\n" }}
{{- end }}
{{- if and $values.networkPolicy.enabled (not $values.networkPolicy.ingressFrom) }}
{{- fail "\n\nGive networkPolicy.ingressFrom: where requests come from, such as the namespace of the ingress controller.\n" }}
{{- end }}
{{- end }}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) }}
{{- fail "\n\nGive httpRoute.parentRefs: the gateways that the routes belong to.\n" }}
{{- end }}
{{- if and $values.monitoring.enabled (not $values.monitoring.runbooksUrl) }}
{{- fail "\n\nGive monitoring.runbooksUrl: where the pages of deploy/runbooks can be read.\n" }}
{{- end }}
{{- end -}}
