{{- define "tollgate.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- /* Name of all objects. Of a pod of the StatefulSet it is a part, so it is shorter than Kubernetes' 63 characters. */ -}}
{{- define "tollgate.fullname" -}}
{{- $name := include "tollgate.name" . -}}
{{- $own := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- .Values.fullnameOverride | default $own | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "tollgate.serviceAccountName" -}}
{{- $own := ternary (include "tollgate.fullname" .) "default" .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default $own -}}
{{- end -}}

{{- /* They never change, because selectors cannot. */ -}}
{{- define "tollgate.names" -}}
app.kubernetes.io/name: {{ include "tollgate.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tollgate.selector" -}}
{{ include "tollgate.names" . }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "tollgate.labels" -}}
{{ include "tollgate.names" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "tollgate.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- /* Which Secret has a variable, and under which key: a JSON object, empty where none has. Argument: root, variable. */ -}}
{{- define "tollgate.secretOf" -}}
{{- $root := index . 0 -}}
{{- $variable := index . 1 -}}
{{- if hasKey $root.Values.secrets.existing $variable -}}
{{- $found := get $root.Values.secrets.existing $variable -}}
{{- dict "name" $found.name "key" ($found.key | default $variable) | toJson -}}
{{- else if hasKey $root.Values.secrets.values $variable -}}
{{- dict "name" (include "tollgate.fullname" $root) "key" $variable | toJson -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{- /* All variables that are secrets, as a JSON list. */ -}}
{{- define "tollgate.secretNames" -}}
{{- concat (keys .Values.secrets.existing) (keys .Values.secrets.values) | uniq | sortAlpha | toJson -}}
{{- end -}}

{{- /* Text of a setting: YAML reads on and off without quotes as truth values. */ -}}
{{- define "tollgate.settingText" -}}
{{- if kindIs "bool" . -}}{{ ternary "on" "off" . }}{{- else if kindIs "string" . -}}{{ . }}{{- else -}}{{ toJson . }}{{- end -}}
{{- end -}}
