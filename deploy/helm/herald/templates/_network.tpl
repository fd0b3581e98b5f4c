{{/* Rules of NetworkPolicies, each an item of `egress` or `ingress`. */}}

{{- define "herald.toNames" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.to | nindent 4 }}
  ports:
    - { protocol: UDP, port: {{ .Values.networkPolicy.dns.port }} }
    - { protocol: TCP, port: {{ .Values.networkPolicy.dns.port }} }
{{- end -}}

{{- define "herald.toPeers" -}}
- to:
    {{- toYaml .to | nindent 4 }}
  ports:
    - { protocol: TCP, port: {{ .port }} }
{{- end -}}

{{/*
The internet without anything that is not it: private networks, this machine, the metadata services of clouds, ranges
for documentation and tests, multicast, and tunnels that lead to any of them. Of IPv6 only 2000::/3 is given out.
*/}}
{{- define "herald.toInternet" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          - 0.0.0.0/8
          - 10.0.0.0/8
          - 100.64.0.0/10
          - 127.0.0.0/8
          - 168.63.129.16/32
          - 169.254.0.0/16
          - 172.16.0.0/12
          - 192.0.0.0/24
          - 192.0.2.0/24
          - 192.88.99.0/24
          - 192.168.0.0/16
          - 198.18.0.0/15
          - 198.51.100.0/24
          - 203.0.113.0/24
          - 224.0.0.0/4
          - 240.0.0.0/4
          {{- range .root.Values.networkPolicy.ownRanges }}
          {{- if not (contains ":" .) }}
          - {{ . }}
          {{- end }}
          {{- end }}
    - ipBlock:
        cidr: 2000::/3
        except:
          - 2001::/23
          - 2001:db8::/32
          - 2002::/16
          - 3fff::/20
          {{- range .root.Values.networkPolicy.ownRanges }}
          {{- if contains ":" . }}
          - {{ . }}
          {{- end }}
          {{- end }}
  ports:
    {{- range .ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end -}}

{{/* The way of those who provision NATS. */}}
{{- define "herald.provisionPolicy" -}}
podSelector:
  matchLabels:
    {{- include "herald.selector" (dict "root" .root "component" .component) | nindent 4 }}
policyTypes: [Ingress, Egress]
egress:
  {{- include "herald.toNames" .root | nindent 2 }}
  {{- include "herald.toPeers" .root.Values.networkPolicy.nats | nindent 2 }}
{{- end -}}

{{/* To or from pods of a component on one port. */}}
{{- define "herald.component" -}}
- {{ .direction }}:
    - podSelector:
        matchLabels:
          {{- include "herald.selector" . | nindent 10 }}
  ports:
    - { protocol: TCP, port: {{ .port }} }
{{- end -}}

{{/* Who may come to a service: its callers, and from outside those who want its API, its files or its metrics. */}}
{{- define "herald.callers" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $policy := $root.Values.networkPolicy -}}
{{- $ports := include "herald.ports" $root | fromYaml -}}
{{- range $caller, $of := include "herald.facts" $root | fromYaml }}
{{- if has $name $of.calls }}
{{ include "herald.component" (dict "root" $root "direction" "from" "component" $caller "port" $ports.internal) }}
{{- end }}
{{- end }}
{{- if eq $name "media" }}
{{ include "herald.component" (dict "root" $root "direction" "from" "component" "publisher" "port" $ports.files) }}
{{- end }}
{{- if eq $name "gateway" }}
{{ include "herald.component" (dict "root" $root "direction" "from" "component" "test" "port" $ports.api) }}
{{- end }}
{{- if and $policy.ingressFrom (has $name (list "gateway" "media")) }}
{{ include "herald.fromPeers" (dict "from" $policy.ingressFrom "port" (eq $name "gateway" | ternary $ports.api $ports.files)) }}
{{- end }}
{{- if $root.Values.monitoring.enabled }}
{{ include "herald.fromPeers" (dict "from" $policy.metricsFrom "port" $root.Values.monitoring.port) }}
{{- end }}
{{- end -}}

{{- define "herald.fromPeers" -}}
- from:
    {{- toYaml .from | nindent 4 }}
  ports:
    - { protocol: TCP, port: {{ .port }} }
{{- end -}}
