{{/* Fields of the pod specification that every pod has. (dict root unit) */}}
{{- define "fencepost.podDefaults" -}}
{{- $v := .unit.values -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $v.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $v.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $v.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Volumes of a unit. (dict root unit) */}}
{{- define "fencepost.volumes" -}}
- name: tmp
  emptyDir:
    {{- toYaml .unit.values.tmp | nindent 4 }}
{{- if eq .unit.program "worker" }}
- name: media
  {{- toYaml .unit.values.media | nindent 2 }}
{{- end }}
{{- include "fencepost.secretsVolume" . }}
{{- with .unit.values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Container of a unit, without arguments, ports and probes. (dict root unit) */}}
{{- define "fencepost.container" -}}
{{- $config := include "fencepost.config" . | fromJson -}}
{{- $secrets := include "fencepost.secrets" . | fromJson -}}
image: {{ include "fencepost.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- toYaml .root.Values.containerSecurityContext | nindent 2 }}
env:
  {{- include "fencepost.environment" . | trim | nindent 2 }}
resources:
  {{- toYaml .unit.values.resources | nindent 2 }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- if eq .unit.program "worker" }}
  - name: media
    mountPath: {{ required "worker.config.MEDIA_FOLDER: the chart mounts the volume of media there" $config.MEDIA_FOLDER }}
  {{- end }}
  {{- if or $secrets.files $secrets.paths }}
  - name: secrets
    mountPath: {{ include "fencepost.secretsFolder" . }}
    readOnly: true
  {{- end }}
  {{- with .unit.values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Ports and probes of a unit's container. (dict root unit) */}}
{{- define "fencepost.probes" -}}
{{- $probes := .unit.values.probes -}}
ports:
  {{- with include "fencepost.httpPort" . }}
  - name: http
    containerPort: {{ . }}
  {{- end }}
  - name: ops
    containerPort: {{ include "fencepost.opsPort" . }}
{{- range $kind, $path := dict "startup" "/livez" "liveness" "/livez" "readiness" $probes.readinessPath }}
{{ $kind }}Probe:
  httpGet:
    path: {{ $path }}
    port: ops
  {{- toYaml (get $probes $kind) | nindent 2 }}
{{- end }}
{{- end -}}
