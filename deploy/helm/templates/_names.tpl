{{/* Name of the chart's objects without a program. */}}
{{- define "fencepost.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which objects select the pods of the release. */}}
{{- define "fencepost.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels of every object of the release. */}}
{{- define "fencepost.labels" -}}
{{ include "fencepost.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: fencepost
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels by which objects select the pods of a unit. (dict root unit) */}}
{{- define "fencepost.unitSelector" -}}
{{ include "fencepost.selector" .root }}
app.kubernetes.io/component: {{ .unit.program }}
fencepost/unit: {{ .unit.name }}
{{- end -}}

{{/* Labels of the objects of a unit. (dict root unit) */}}
{{- define "fencepost.unitLabels" -}}
{{ include "fencepost.labels" .root }}
app.kubernetes.io/component: {{ .unit.program }}
app.kubernetes.io/version: {{ include "fencepost.tag" . | trunc 63 | quote }}
fencepost/unit: {{ .unit.name }}
{{- end -}}

{{/* Version of a unit's image. During the first stage of an upgrade, only the workers and the migration are new.
(dict root unit) */}}
{{- define "fencepost.tag" -}}
{{- $image := default dict .unit.values.image -}}
{{- $common := .root.Values.image -}}
{{- $old := and $common.previousTag (not (has .unit.program (list "worker" "migrate"))) -}}
{{- default (ternary $common.previousTag (default .root.Chart.AppVersion $common.tag) (not (empty $old))) $image.tag -}}
{{- end -}}

{{/* Image of a unit: [registry/]repository/program:tag or @digest. (dict root unit) */}}
{{- define "fencepost.image" -}}
{{- $image := default dict .unit.values.image -}}
{{- $common := .root.Values.image -}}
{{- $path := default (printf "%s/%s" $common.repository .unit.program) $image.repository -}}
{{- with default $common.registry $image.registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $path -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ include "fencepost.tag" . }}{{ end -}}
{{- end -}}

{{- define "fencepost.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "fencepost.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}
