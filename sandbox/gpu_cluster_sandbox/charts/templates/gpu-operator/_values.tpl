{{/* The values as the real chart sees them: those given, over its own. As JSON. */}}
{{- define "standin.values" -}}
{{- $defaults := .Files.Get "files/defaults.json" | fromJson -}}
{{- mergeOverwrite $defaults (deepCopy .Values.AsMap) | toJson -}}
{{- end -}}

{{/* The image that `path` in the values describes. Takes `root` and `path`. */}}
{{- define "standin.image" -}}
{{- $image := include "standin.values" .root | fromJson -}}
{{- range .path }}{{ $image = get $image . }}{{ end -}}
{{- printf "%s/%s:%s" $image.repository $image.image ($image.version | default .root.Chart.AppVersion) -}}
{{- end -}}

{{/* The upgrade policy in the objects' words. Takes the values of the driver; as JSON. */}}
{{- define "standin.upgrades" -}}
{{- $policy := .upgradePolicy | default dict -}}
{{- $_ := set $policy "podDeletion" $policy.gpuPodDeletion -}}
{{- range list "drain" "waitForCompletion" -}}
{{- $part := get $policy . -}}
{{- if not $part.podSelector }}{{ $_ := unset $part "podSelector" }}{{ end -}}
{{- end -}}
{{- toJson $policy -}}
{{- end -}}

{{/* Labels of what the chart makes. */}}
{{- define "standin.labels" -}}
{{- dict
  "app.kubernetes.io/name" .Chart.Name
  "app.kubernetes.io/instance" .Release.Name
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/managed-by" .Release.Service
  "app.kubernetes.io/component" "gpu-operator"
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version)
  | toJson -}}
{{- end -}}

{{/*
The fields of one part that the real templates would write: none that is empty, and of those that
are false only the ones that switch something. Below, most is written as it is. Takes the part's
values.
*/}}
{{- define "standin.filled" -}}
{{- $filled := dict -}}
{{- range $name, $value := . -}}
{{- if has $name (list "manager" "driverManager" "gdrcopy") -}}
{{- $value = include "standin.filled" $value | fromJson -}}
{{- end -}}
{{- if or $value (kindIs "float64" $value) (and (kindIs "bool" $value) (has $name (list "enabled" "useNvidiaDriverCRD" "usePrecompiled"))) -}}
{{- $_ := set $filled $name $value -}}
{{- end -}}
{{- end -}}
{{- toJson $filled -}}
{{- end -}}
