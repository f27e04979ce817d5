{{/* The name a release's objects begin with. */}}
{{- define "standin.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- end -}}
{{- end -}}

{{/*
The part of some values that a schema has fields for, as JSON.
Takes `values`, and `fields`: a mapping of names to the fields below, or to their type.
*/}}
{{- define "standin.known" -}}
{{- $known := dict -}}
{{- range $name, $below := .fields -}}
{{- if hasKey $.values $name -}}
{{- $value := get $.values $name -}}
{{- if and (kindIs "map" $value) (kindIs "map" $below) -}}
{{- $value = include "standin.known" (dict "values" $value "fields" $below) | fromJson -}}
{{- end -}}
{{- if and (kindIs "string" $below) (eq (toString $below) "string") (not (kindIs "invalid" $value)) -}}
{{- $value = toString $value -}}
{{- end -}}
{{- $_ := set $known $name $value -}}
{{- end -}}
{{- end -}}
{{- toJson $known -}}
{{- end -}}

{{/*
A Deployment in an operator's place: `root`, `name`, the nodeSelector and tolerations that the
values give the operator, its `account` and its `env`.
*/}}
{{- define "standin.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: &labels
    app.kubernetes.io/name: {{ .name }}
    app.kubernetes.io/instance: {{ .root.Release.Name }}
    app.kubernetes.io/managed-by: {{ .root.Release.Service }}
spec:
  replicas: 1
  selector:
    matchLabels: *labels
  template:
    metadata:
      labels:
        <<: *labels
        {{- if and .account (.root.Files.Get "files/controlled.json") }}
        sandbox.gpu-cluster.io/controller: {{ .account }}
        {{- end }}
    spec:
      {{- with .nodeSelector }}
      nodeSelector: {{ toJson . }}
      {{- end }}
      {{- with .tolerations }}
      tolerations: {{ toJson . }}
      {{- end }}
      {{- with .account }}
      serviceAccountName: {{ . }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65534
        seccompProfile: {type: RuntimeDefault}
      containers:
        - name: stand-in
          image: registry.k8s.io/pause:3.10.2
          {{- with .env }}
          env:
          {{- range $name, $value := . }}
            - {name: {{ $name }}, value: {{ $value | quote }}}
          {{- end }}
          {{- end }}
          securityContext:
            allowPrivilegeEscalation: false
            capabilities: {drop: [ALL]}
          resources:
            requests: {cpu: 10m, memory: 16Mi}
            limits: {cpu: 100m, memory: 64Mi}
{{- end -}}
