{{- /* What a pod of the gateway is: the same in a StatefulSet and in a Deployment. Argument: root. */ -}}
{{- define "tollgate.podTemplate" -}}
metadata:
  annotations:
    # The Deployment takes another configuration by new pods. A secret that has changed needs a reload, or a restart.
    checksum/config: {{ toJson .Values.config | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  labels:
    {{- include "tollgate.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "tollgate.serviceAccountName" . }}
  automountServiceAccountToken: false
  # Kubernetes would set TOLLGATE_PORT and others after the Service.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: gateway
      image: {{ include "tollgate.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      ports:
        - name: http
          containerPort: 8787
          protocol: TCP
      env:
        {{- include "tollgate.env" . | nindent 8 }}
      startupProbe:
        httpGet:
          path: /readyz
          port: http
        periodSeconds: 5
        timeoutSeconds: 4
        failureThreshold: {{ div .Values.startupSeconds 5 | max 1 }}
      readinessProbe:
        httpGet:
          path: /readyz
          port: http
        periodSeconds: 5
        timeoutSeconds: 4
        failureThreshold: 2
      # Never touches the store: a database that is away restarts nobody.
      livenessProbe:
        httpGet:
          path: /healthz
          port: http
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      {{- if .Values.preStopSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ .Values.preStopSeconds }}
      {{- end }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- toYaml .Values.securityContext | nindent 8 }}
      volumeMounts:
        {{- include "tollgate.mounts" . | nindent 8 }}
        {{- if .Values.config }}
        - name: config
          mountPath: /etc/tollgate
          readOnly: true
        {{- end }}
        {{- if ne (include "tollgate.secretNames" .) "[]" }}
        - name: secrets
          mountPath: /run/secrets/tollgate
          readOnly: true
        {{- end }}
  volumes:
    {{- include "tollgate.volumes" . | nindent 4 }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
{{- end -}}

{{- define "tollgate.env" -}}
# A folder of the gateway's own: that of the volume is open to its group.
- name: TOLLGATE_DATA
  value: /data/tollgate
{{- if .Values.config }}
- name: TOLLGATE_CONFIG
  value: /etc/tollgate/tollgate.json
{{- end }}
{{- if eq .Values.store "postgres" }}
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
{{- if not (hasKey .Values.settings "TOLLGATE_PEER_URL") }}
# For the other gateways. An address of IPv6 needs brackets: "http://[$(POD_IP)]:8787" among the settings.
- name: TOLLGATE_PEER_URL
  value: http://$(POD_IP):8787
{{- end }}
{{- end }}
{{- range $variable, $value := .Values.settings }}
- name: {{ $variable }}
  value: {{ include "tollgate.settingText" $value | quote }}
{{- end }}
{{- range $variable := include "tollgate.secretNames" . | fromJsonArray }}
- name: {{ $variable }}_FILE
  value: /run/secrets/tollgate/{{ $variable }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Folders that are written to, and those of the values. */ -}}
{{- define "tollgate.mounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tollgate.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 256Mi
{{- if eq .Values.store "postgres" }}
# Receipts that the database could not take wait here: they are lost with the pod, not with its container.
- name: data
  emptyDir: {}
{{- else if .Values.persistence.existingClaim }}
- name: data
  persistentVolumeClaim:
    claimName: {{ .Values.persistence.existingClaim }}
{{- end }}
{{- if .Values.config }}
- name: config
  configMap:
    name: {{ include "tollgate.fullname" . }}
{{- end }}
{{- with include "tollgate.secretNames" . | fromJsonArray }}
- name: secrets
  projected:
    # 0440: for the user and the group of the gateway.
    defaultMode: 288
    sources:
      {{- range $variable := . }}
      {{- $found := include "tollgate.secretOf" (list $ $variable) | fromJson }}
      - secret:
          name: {{ $found.name }}
          items:
            - key: {{ $found.key }}
              path: {{ $variable }}
      {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
