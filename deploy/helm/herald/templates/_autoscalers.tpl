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
    {{- $consumer := eq .name "media" | ternary "media-describer" "publisher" }}
    - type: nats-jetstream
      name: {{ $consumer }}
      metadata:
        natsServerMonitoringEndpoint: {{ $root.Values.keda.natsMonitoringEndpoint | quote }}
        account: {{ $root.Values.keda.natsAccount | quote }}
        stream: HERALD_EVENTS
        consumer: {{ $consumer }}
        lagThreshold: {{ $keda.waitingEvents | quote }}
    {{- if eq .name "publisher" }}
    - type: postgresql
      name: due-attempts
      metadata:
        query: select count(*) from attempts where state = 'claimed' and next_attempt_at <= now()
        targetQueryValue: {{ $keda.dueAttempts | quote }}
      authenticationRef: { name: {{ include "herald.fullname" $root }}-publisher }
    {{- end }}
{{- end -}}

{{/* KEDA counts the attempts of all organizations, which the service's own user sees only one by one. */}}
{{- define "herald.triggerAuthentication" -}}
{{- $ref := include "herald.secretRef" (dict "root" .root "path" "ownerDatabaseUrls.publisher" "own" (printf "%s-secrets" (include "herald.fullname" .root))) | fromYaml -}}
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata:
  {{- include "herald.metadata" . | nindent 2 }}
spec:
  secretTargetRef:
    - parameter: connection
      name: {{ $ref.secretKeyRef.name }}
      key: {{ $ref.secretKeyRef.key }}
{{- end -}}
