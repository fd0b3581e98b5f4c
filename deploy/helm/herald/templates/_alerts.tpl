{{/*
An alert. Its page stands in deploy/runbooks under the name of the alert, without `Herald` and in kebab case.
*/}}
{{- define "herald.alert" -}}
- alert: {{ .name }}
  expr: {{ .when | quote }}
  {{- with .for }}
  for: {{ . }}
  {{- end }}
  labels: { severity: {{ .severity }} }
  annotations:
    summary: {{ .summary | quote }}
    runbook_url: {{ .root.Values.monitoring.runbooksUrl }}/{{ .page | default (trimPrefix "Herald" .name | kebabcase) }}.md
{{- end -}}

{{/*
The alerts of a promise over 30 days, by how fast its budget (0.001 for 99.9 %) is used: within 2 and 5 days somebody is
woken, within 10 and 30 it can wait for the day. The shorter window lets the alert end soon after its cause.
*/}}
{{- define "herald.burnRateAlerts" -}}
{{- $of := . -}}
{{- range list (list "14.4" "1h" "5m" "critical" "Fast") (list "6" "6h" "30m" "critical" "Steady") (list "3" "1d" "2h" "warning" "Slow") (list "1" "3d" "6h" "warning" "Slowest") }}
{{ include "herald.alert" (dict
  "root" $of.root
  "name" (printf "%s%s" $of.name (index . 4))
  "page" $of.page
  "severity" (index . 3)
  "summary" (printf "%s At this rate its budget of 30 days is used %s times as fast as it may be." $of.summary (index . 0))
  "when" (printf "%s%s > %s * %s and %s%s > %s * %s" $of.series (index . 1) (index . 0) $of.budget $of.series (index . 2) (index . 0) $of.budget)
) }}
{{- end }}
{{- end -}}

{{- define "herald.windows" -}}
[5m, 30m, 1h, 2h, 6h, 1d, 3d]
{{- end -}}
