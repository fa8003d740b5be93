{{/* Merges two maps deeply, as JSON; null removes a key. Sprig's mergeOverwrite ignores false, 0 and "".
(list base over) */}}
{{- define "fencepost.merge" -}}
{{- $merged := dict -}}
{{- range $key, $value := first . -}}
{{- $_ := set $merged $key $value -}}
{{- end -}}
{{- range $key, $value := last . -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $merged $key -}}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $merged $key)) -}}
{{- $_ := set $merged $key (include "fencepost.merge" (list (get $merged $key) $value) | fromJson) -}}
{{- else -}}
{{- $_ := set $merged $key $value -}}
{{- end -}}
{{- end -}}
{{- toJson $merged -}}
{{- end -}}

{{/* Returns {"units": [{program, name, fullname, values}]} as JSON: one unit per Deployment. A unit is a program, or a
group of workers. Its values are "defaults", those of the program and those of the group, merged. */}}
{{- define "fencepost.units" -}}
{{- $units := list -}}
{{- range $program := list "api" "mcp" "console" "pages" "files" "inbound" "worker" -}}
{{- $own := get $.Values $program -}}
{{- $values := include "fencepost.merge" (list $.Values.defaults (omit $own "groups")) | fromJson -}}
{{- $groups := dict "default" dict -}}
{{- if eq $program "worker" -}}{{- $groups = $own.groups -}}{{- end -}}
{{- range $group, $over := $groups -}}
{{- $all := include "fencepost.merge" (list $values (default dict $over)) | fromJson -}}
{{- $name := ternary $program (printf "%s-%s" $program $group) (eq $group "default") -}}
{{- if $all.enabled -}}
{{- $unit := dict "program" $program "name" $name "values" $all -}}
{{- $_ := set $unit "fullname" (printf "%s-%s" (include "fencepost.fullname" $) $name) -}}
{{- $units = append $units $unit -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson (dict "units" $units) -}}
{{- end -}}

{{/* Returns a program that runs outside of a Deployment as a unit, as JSON. (dict root program) */}}
{{- define "fencepost.job" -}}
{{- $values := include "fencepost.merge" (list .root.Values.defaults (get .root.Values .program)) | fromJson -}}
{{- $fullname := printf "%s-%s" (include "fencepost.fullname" .root) .program -}}
{{- toJson (dict "program" .program "name" .program "fullname" $fullname "values" $values) -}}
{{- end -}}

{{/* Reports whether a unit is scaled automatically; "" means no. (dict root unit) */}}
{{- define "fencepost.scaled" -}}
{{- if and .unit.values.autoscaling.enabled (not .root.Values.stopped) }}yes{{ end -}}
{{- end -}}
