{{/* What every pod of Herald may do: run as nobody, write to /tmp, and know nothing of Kubernetes. */}}
{{- define "herald.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "herald.container" -}}
image: {{ include "herald.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities: { drop: [ALL] }
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "herald.certificateMount" -}}
{{- if .Values.extraCertificates.configMap }}
- { name: certificates, mountPath: /etc/herald/certificates, readOnly: true }
{{- end }}
{{- end -}}

{{- define "herald.certificateVolume" -}}
{{- with .Values.extraCertificates.configMap }}
- name: certificates
  configMap: { name: {{ . }} }
{{- end }}
{{- end -}}

{{/*
Liveness asks the process alone: a restart mends no database. The pause before the end lets the rest of the cluster
notice that the pod goes; then the process serves on for DRAIN_SECONDS, in which it lets go of clients that keep their
connections, and closes. That and the pause fit into terminationGracePeriodSeconds.
*/}}
{{- define "herald.probes" -}}
{{- $port := include "herald.probedPort" . -}}
startupProbe:
  httpGet: { path: /healthz, port: {{ $port }} }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 30
livenessProbe:
  httpGet: { path: /healthz, port: {{ $port }} }
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: {{ $port }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
lifecycle:
  preStop:
    sleep: { seconds: 5 }
{{- end -}}

{{- define "herald.containerPorts" -}}
{{- $ports := include "herald.ports" .root | fromYaml -}}
{{- if eq .name "gateway" }}
- { name: api, containerPort: {{ $ports.api }} }
{{- else }}
- { name: internal, containerPort: {{ $ports.internal }} }
{{- end }}
{{- if eq .name "media" }}
- { name: files, containerPort: {{ $ports.files }} }
{{- end }}
{{- if .root.Values.monitoring.enabled }}
- { name: metrics, containerPort: {{ .root.Values.monitoring.port }} }
{{- end }}
{{- end -}}

{{/* The volumes of a service: what it mounts and where from. */}}
{{- define "herald.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- include "herald.certificateMount" .root }}
{{- if and (eq .name "media") (eq .root.Values.storage.type "disk") }}
- { name: files, mountPath: /var/lib/herald }
{{- end }}
{{- if and (eq .name "accounts") .root.Values.accounts.plansConfigMap }}
- { name: plans, mountPath: /etc/herald/plans, readOnly: true }
{{- end }}
{{- end -}}

{{- define "herald.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: {{ .settings.temporaryFiles }} }
{{- include "herald.certificateVolume" .root }}
{{- if and (eq .name "media") (eq .root.Values.storage.type "disk") }}
- name: files
  persistentVolumeClaim:
    claimName: {{ .root.Values.storage.disk.existingClaim | default (printf "%s-files" (include "herald.fullname" .root)) }}
{{- end }}
{{- if and (eq .name "accounts") .root.Values.accounts.plansConfigMap }}
- name: plans
  configMap: { name: {{ .root.Values.accounts.plansConfigMap }} }
{{- end }}
{{- end -}}

{{/* Over zones first and nodes second, as far as there are any. */}}
{{- define "herald.placement" -}}
topologySpreadConstraints:
{{- $root := .root }}
{{- $name := .name }}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "herald.selector" (dict "root" $root "component" $name) | nindent 8 }}
{{- end }}
{{- with .settings.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}
