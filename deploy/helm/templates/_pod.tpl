{{/* Fields of the pod specification that every pod has. (dict root unit) */}}
{{- define "socialpub.podDefaults" -}}
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
{{- define "socialpub.volumes" -}}
- name: tmp
  emptyDir:
    {{- toYaml .unit.values.tmp | nindent 4 }}
{{- if eq .unit.program "worker" }}
- name: media
  {{- toYaml .unit.values.media | nindent 2 }}
{{- end }}
{{- include "socialpub.secretsVolume" . }}
{{- with .unit.values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Container of a unit, without arguments, ports and probes. (dict root unit) */}}
{{- define "socialpub.container" -}}
{{- $config := include "socialpub.config" . | fromJson -}}
{{- $secrets := include "socialpub.secrets" . | fromJson -}}
image: {{ include "socialpub.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- toYaml .root.Values.containerSecurityContext | nindent 2 }}
env:
  {{- include "socialpub.environment" . | trim | nindent 2 }}
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
    mountPath: {{ include "socialpub.secretsFolder" . }}
    readOnly: true
  {{- end }}
  {{- with .unit.values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Ports and probes of a unit's container. (dict root unit) */}}
{{- define "socialpub.probes" -}}
{{- $probes := .unit.values.probes -}}
ports:
  {{- with include "socialpub.httpPort" . }}
  - name: http
    containerPort: {{ . }}
  {{- end }}
  - name: ops
    containerPort: {{ include "socialpub.opsPort" . }}
{{- range $kind, $path := dict "startup" "/livez" "liveness" "/livez" "readiness" $probes.readinessPath }}
{{ $kind }}Probe:
  httpGet:
    path: {{ $path }}
    port: ops
  {{- toYaml (get $probes $kind) | nindent 2 }}
{{- end }}
{{- end -}}
