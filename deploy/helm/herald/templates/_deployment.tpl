{{/* The Deployment of a service. */}}
{{- define "herald.deployment" -}}
{{- $settings := include "herald.settings" . | fromYaml -}}
{{- $of := dict "root" .root "name" .name "component" .name "settings" $settings -}}
{{- $keda := $settings.keda | default dict -}}
{{- $isScaled := or $settings.autoscaling.enabled $keda.enabled -}}
{{- $isOneDisk := and (eq .name "media") (eq .root.Values.storage.type "disk") -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "herald.metadata" $of | nindent 2 }}
spec:
  {{- if not $isScaled }}
  replicas: {{ if $isOneDisk }}1{{ else }}{{ $settings.replicas }}{{ end }}
  {{- end }}
  revisionHistoryLimit: 3
  {{- if $isOneDisk }}
  # Two processes never use one folder.
  strategy: { type: Recreate }
  {{- else }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  {{- end }}
  selector:
    matchLabels:
      {{- include "herald.selector" $of | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "herald.labels" $of | nindent 8 }}
        {{- with $settings.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        {{- $paths := include "herald.secretPaths" $of | fromYamlArray }}
        herald/secrets: {{ include "herald.secretData" (dict "root" .root "paths" $paths) | sha256sum | quote }}
        {{- with $settings.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "herald.podSecurity" .root | nindent 6 }}
      terminationGracePeriodSeconds: {{ $settings.terminationGracePeriodSeconds }}
      {{- include "herald.placement" $of | nindent 6 }}
      containers:
        - name: {{ .name }}
          {{- include "herald.container" $of | nindent 10 }}
          args: [--import, ./libs/telemetry/src/preload.ts, services/{{ .name }}/src/main.ts]
          ports:
            {{- include "herald.containerPorts" $of | trim | nindent 12 }}
          env:
            {{- include "herald.environment" $of | nindent 12 }}
          {{- include "herald.probes" .name | nindent 10 }}
          resources:
            {{- toYaml $settings.resources | nindent 12 }}
          volumeMounts:
            {{- include "herald.mounts" $of | nindent 12 }}
      volumes:
        {{- include "herald.volumes" $of | nindent 8 }}
{{- end -}}
