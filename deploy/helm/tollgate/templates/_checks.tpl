{{- /* Ends with a sentence where values contradict each other. What each may be alone, the schema says. */ -}}
{{- define "tollgate.checks" -}}
{{- $secrets := include "tollgate.secretNames" . | fromJsonArray -}}
{{- $isShared := eq .Values.store "postgres" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is missing: the image is in no public registry; build deploy/Dockerfile, push it, and name it here" -}}
{{- end -}}
{{- range keys .Values.secrets.existing | sortAlpha -}}
{{- if hasKey $.Values.secrets.values . -}}
{{- fail (printf "secrets.existing and secrets.values both have %s: allowed is one of them" .) -}}
{{- end -}}
{{- end -}}
{{- if $isShared -}}
{{- range list "TOLLGATE_STORE" "TOLLGATE_MASTER_KEY" "TOLLGATE_MANAGEMENT_KEY" -}}
{{- if not (has . $secrets) -}}
{{- fail (printf "store is postgres, and secrets lacks %s" .) -}}
{{- end -}}
{{- end -}}
{{- else if has "TOLLGATE_STORE" $secrets -}}
{{- fail "secrets has TOLLGATE_STORE, and store is embedded: set store to postgres" -}}
{{- else if .Values.autoscaling.enabled -}}
{{- fail "autoscaling needs store: postgres, because one process owns the embedded store" -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not (has "TOLLGATE_METRICS_TOKEN" $secrets)) -}}
{{- fail "serviceMonitor needs TOLLGATE_METRICS_TOKEN among the secrets" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute needs parentRefs: the Gateway that it belongs to" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress needs hosts" -}}
{{- end -}}
{{- $drain := dig "limits" "drain_seconds" 25 .Values.config -}}
{{- $least := add .Values.preStopSeconds (ceil $drain) 15 -}}
{{- if lt (int64 .Values.terminationGracePeriodSeconds) $least -}}
{{- fail (printf "terminationGracePeriodSeconds has to be at least %d: preStopSeconds, limits.drain_seconds and 15" $least) -}}
{{- end -}}
{{- end -}}
