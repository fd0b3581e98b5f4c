{{- define "herald.podAutoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "herald.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "herald.fullname" .root }}-{{ .name }}
  minReplicas: {{ .settings.autoscaling.minReplicas }}
  maxReplicas: {{ .settings.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .settings.autoscaling.targetCPUPercent }} }
{{- end -}}

{{/* There is always a process: the publisher also looks up and reports, by itself. */}}
{{- define "herald.scaledObject" -}}
{{- $root := .root -}}
{{- $keda := .settings.keda -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "herald.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    name: {{ include "herald.fullname" .root }}-{{ .name }}
  minReplicaCount: {{ $keda.minReplicas }}
  maxReplicaCount: {{ $keda.maxReplicas }}
  # When KEDA cannot see what waits, there are as many as at the least.
  fallback: { failureThreshold: 3, replicas: {{ $keda.minReplicas }} }
  triggers:
    {{- range eq .name "media" | ternary (list "media-describer" "media-posts") (list "publisher") }}
    - type: nats-jetstream
      name: {{ . }}
      metadata:
        natsServerMonitoringEndpoint: {{ $root.Values.keda.natsMonitoringEndpoint | quote }}
        account: {{ $root.Values.keda.natsAccount | quote }}
        stream: HERALD_EVENTS
        consumer: {{ . }}
        lagThreshold: {{ $keda.waitingEvents | quote }}
    {{- end }}
    {{- if eq .name "publisher" }}
    - type: postgresql
      name: due-attempts
      metadata:
        connectionFromEnv: DATABASE_URL
        query: select count(*) from attempts where state = 'claimed' and next_attempt_at <= now()
        targetQueryValue: {{ $keda.dueAttempts | quote }}
    {{- end }}
{{- end -}}
