{{/* Text of a variable. YAML numbers arrive as floating-point numbers, and large ones would be printed with an
exponent. */}}
{{- define "fencepost.text" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if and (kindIs "float64" .) (eq (floor .) .) -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{/* Returns the plain variables of a unit as JSON: those of "config" that the program reads, and its own. It fails for
unknown variables, and for secrets. Empty variables are left out, as programs ignore them. (dict root unit) */}}
{{- define "fencepost.config" -}}
{{- $all := .root.Files.Get "files/variables.json" | fromJson -}}
{{- $declared := get $all .unit.program -}}
{{- $set := dict -}}
{{- range $name, $value := .root.Values.config -}}
{{- $known := false -}}
{{- range $all }}{{ if hasKey . $name }}{{ $known = true }}{{ end }}{{ end -}}
{{- if not $known }}{{ fail (printf "config.%s: no program reads this variable" $name) }}{{ end -}}
{{- if hasKey $declared $name }}{{ $_ := set $set $name $value }}{{ end -}}
{{- end -}}
{{- range $name, $value := .unit.values.config -}}
{{- if hasKey $declared $name -}}
{{- $_ := set $set $name $value -}}
{{- else if not (hasKey $.root.Values.defaults.config $name) -}}
{{- fail (printf "config.%s: %s does not read this variable" $name $.unit.program) -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $set -}}
{{- if (get $declared $name).secret -}}
{{- fail (printf "config.%s: its value is a secret; refer to it in secrets.variables" $name) -}}
{{- end -}}
{{- end -}}
{{- $texts := dict -}}
{{- range $name, $value := $set -}}
{{- $text := include "fencepost.text" $value -}}
{{- if and $text (not (kindIs "invalid" $value)) }}{{ $_ := set $texts $name $text }}{{ end -}}
{{- end -}}
{{- toJson $texts -}}
{{- end -}}

{{/* Returns the references to secrets of a unit as JSON, in three maps from variables to {secret, key}: those mounted
as files (files), those that name a file (paths), and those without a file variant (plain). (dict root unit) */}}
{{- define "fencepost.secrets" -}}
{{- $all := .root.Files.Get "files/variables.json" | fromJson -}}
{{- $declared := get $all .unit.program -}}
{{- $secrets := .root.Values.secrets -}}
{{- $result := dict "files" dict "paths" dict "plain" dict -}}
{{- range $kind := list "variables" "files" -}}
{{- range $name, $reference := get $secrets $kind -}}
{{- $known := false -}}
{{- range $all }}{{ if hasKey . $name }}{{ $known = true }}{{ end }}{{ end -}}
{{- if not $known }}{{ fail (printf "secrets.%s.%s: no program reads this variable" $kind $name) }}{{ end -}}
{{- if hasKey $declared $name -}}
{{- $reference = default dict $reference -}}
{{- $secret := required (printf "secrets.%s.%s: set its secret, or secrets.existingSecret" $kind $name)
      (default $secrets.existingSecret $reference.secret) -}}
{{- $to := ternary "paths" (ternary "files" "plain" (default false (get $declared $name).secret)) (eq $kind "files") -}}
{{- $_ := set (get $result $to) $name (dict "secret" $secret "key" (default $name $reference.key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $result -}}
{{- end -}}

{{/* Folder of the mounted secrets. */}}
{{- define "fencepost.secretsFolder" -}}/run/secrets/fencepost{{- end -}}

{{/* Environment of a unit's container. It fails if a required variable is missing. (dict root unit) */}}
{{- define "fencepost.environment" -}}
{{- $declared := get (.root.Files.Get "files/variables.json" | fromJson) .unit.program -}}
{{- $config := include "fencepost.config" . | fromJson -}}
{{- $secrets := include "fencepost.secrets" . | fromJson -}}
{{- $missing := list -}}
{{- range $name, $variable := $declared -}}
{{- $places := 0 -}}
{{- range list $config $secrets.files $secrets.paths $secrets.plain -}}
{{- if hasKey . $name }}{{ $places = add1 $places }}{{ end -}}
{{- end -}}
{{- /* No program finds another one on its own address. */}}
{{- $needed := or $variable.required (regexMatch "localhost|127\\.0\\.0\\.1" (default "" $variable.default)) -}}
{{- if and $needed (eq (int $places) 0) }}{{ $missing = append $missing $name }}{{ end -}}
{{- if gt (int $places) 1 }}{{ fail (printf "%s is set both in config and in secrets" $name) }}{{ end -}}
{{- end -}}
{{- if $missing }}{{ fail (printf "%s requires %s: set them in config or in secrets" .unit.program (join ", " $missing)) }}{{ end -}}
{{- range $name, $value := $config }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $reference := $secrets.plain }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $reference.secret }}
      key: {{ $reference.key }}
{{- end }}
{{- range $name, $reference := $secrets.files }}
- name: {{ $name }}_FILE
  value: {{ include "fencepost.secretsFolder" $ }}/{{ $name }}
{{- end }}
{{- range $name, $reference := $secrets.paths }}
- name: {{ $name }}
  value: {{ include "fencepost.secretsFolder" $ }}/{{ $name }}
{{- end }}
{{- with .unit.values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Volume with the secrets of a unit, each in a file with the name of its variable; nothing without secrets.
(dict root unit) */}}
{{- define "fencepost.secretsVolume" -}}
{{- $secrets := include "fencepost.secrets" . | fromJson -}}
{{- if or $secrets.files $secrets.paths }}
- name: secrets
  projected:
    defaultMode: 288 # 0440: the group is that of the pod
    sources:
    {{- range $kind := list "files" "paths" }}
    {{- range $name, $reference := get $secrets $kind }}
      - secret:
          name: {{ $reference.secret }}
          items: [{key: {{ $reference.key | quote }}, path: {{ $name }}}]
    {{- end }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Port of an address variable of a unit, "" if the program does not have it. (dict root unit variable) */}}
{{- define "fencepost.port" -}}
{{- $declared := get (.root.Files.Get "files/variables.json" | fromJson) .unit.program -}}
{{- if hasKey $declared .variable -}}
{{- $config := include "fencepost.config" . | fromJson -}}
{{- default (get $declared .variable).default (get $config .variable) | regexFind "[0-9]+$" -}}
{{- end -}}
{{- end -}}

{{/* Port on which a unit serves its clients, "" for workers. (dict root unit) */}}
{{- define "fencepost.httpPort" -}}
{{- include "fencepost.port" (dict "root" .root "unit" .unit "variable" (printf "%s_ADDR" (upper .unit.program))) -}}
{{- end -}}

{{/* Port of health and metrics. (dict root unit) */}}
{{- define "fencepost.opsPort" -}}
{{- include "fencepost.port" (dict "root" .root "unit" .unit "variable" "OPS_ADDR") -}}
{{- end -}}

{{/* Host of a program's public URL, "" for workers. (dict root unit) */}}
{{- define "fencepost.publicHost" -}}
{{- $variables := dict "api" "BASE_URL" "mcp" "MCP_URL" "console" "APP_URL" "pages" "PAGES_URL" "files" "S3_PUBLIC_ENDPOINT" "inbound" "INBOUND_URL" -}}
{{- with get $variables .unit.program -}}
{{- $config := include "fencepost.config" $ | fromJson -}}
{{- $url := get $config . -}}
{{- if not $url }}{{ fail (printf "config.%s: set the public URL of %s, from which its route gets the host" . $.unit.program) }}{{ end -}}
{{- (urlParse $url).host | regexFind "^[^:]+" -}}
{{- end -}}
{{- end -}}
