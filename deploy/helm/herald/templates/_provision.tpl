{{/* The pod that makes streams and consumers on NATS; `own` is the Secret that the chart makes for it. */}}
{{- define "herald.provisionPod" -}}
metadata:
  labels:
    {{- include "herald.labels" (dict "root" .root "component" .component) | nindent 4 }}
spec:
  {{- include "herald.podSecurity" .root | nindent 2 }}
  restartPolicy: Never
  containers:
    - name: provision
      {{- include "herald.container" (dict "root" .root "name" "accounts") | nindent 6 }}
      args: [deploy/provision/main.ts]
      env:
        - { name: NODE_ENV, value: production }
        {{- with .root.Values.extraCertificates }}
        {{- if .configMap }}
        - { name: NODE_EXTRA_CA_CERTS, value: /etc/herald/certificates/{{ .key }} }
        {{- end }}
        {{- end }}
        - { name: NATS_REPLICAS, value: {{ .root.Values.nats.replicas | quote }} }
        {{- with .root.Values.nats.teams }}
        - { name: NATS_TEAMS, value: {{ toJson . | quote }} }
        {{- end }}
        - name: NATS_URL
          valueFrom:
            {{- include "herald.secretRef" (dict "root" .root "path" "natsUrls.provision" "own" .own) | nindent 12 }}
      resources:
        {{- toYaml .root.Values.migrations.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- include "herald.certificateMount" .root | nindent 8 }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 16Mi }
    {{- include "herald.certificateVolume" .root | nindent 4 }}
{{- end -}}
