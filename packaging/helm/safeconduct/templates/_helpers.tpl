{{- define "safeconduct.name" -}}
{{- if contains .Chart.Name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "safeconduct.selector" -}}
app.kubernetes.io/name: safeconduct
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "safeconduct.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "safeconduct.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.cell }}
safeconduct.dev/cell: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "safeconduct.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "safeconduct.name" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "safeconduct.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "safeconduct.host" -}}
{{- .Values.ingress.host | default (urlParse .Values.baseUrl).hostname }}
{{- end }}

{{/* The security context of every container. */}}
{{- define "safeconduct.containerSecurity" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
readOnlyRootFilesystem: true
{{- end }}

{{- define "safeconduct.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* The settings as environment variables, in the order of their names. */}}
{{- define "safeconduct.env" -}}
{{- $set := dict "BIND" "0.0.0.0" "PORT" "8080" "DATA_DIR" "/data" "BASE_URL" .Values.baseUrl "DRAIN_SECONDS" (toString .Values.drainSeconds) "LOG_FORMAT" "json" }}
{{- if .Values.cell }}
{{- $_ := set $set "CELL" .Values.cell }}
{{- end }}
{{- if .Values.tls.secretName }}
{{- $_ := set $set "TLS_CERT" "/tls/tls.crt" }}
{{- $_ := set $set "TLS_KEY" "/tls/tls.key" }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- /* Numbers are floats, and toString writes a million as 1e+06. */}}
{{- $_ := set $set $name (kindIs "string" $value | ternary $value (toJson $value)) }}
{{- end }}
{{- range $name, $value := $set }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $ref := .Values.secrets }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $ref.name }}
      key: {{ $ref.key }}
{{- end }}
{{- end }}

{{- define "safeconduct.placement" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "safeconduct.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  {{- if .tls }}
  scheme: HTTPS
  {{- end }}
timeoutSeconds: 2
{{- end }}

{{/* The pod of a Deployment and of a StatefulSet. */}}
{{- define "safeconduct.pod" -}}
metadata:
  labels:
    {{- include "safeconduct.selector" . | nindent 4 }}
    app.kubernetes.io/component: server
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "safeconduct.serviceAccount" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  securityContext:
    {{- include "safeconduct.podSecurity" . | nindent 4 }}
  # The node answers for drainSeconds, then ends within 10 seconds.
  terminationGracePeriodSeconds: {{ add .Values.preStopSleepSeconds .Values.drainSeconds 15 }}
  {{- with include "safeconduct.placement" . }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- if .Values.affinity }}
  affinity:
    {{- toYaml .Values.affinity | nindent 4 }}
  {{- else if eq .Values.storage "postgres" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "safeconduct.selector" . | nindent 10 }}
          app.kubernetes.io/component: server
  {{- end }}
  containers:
    - name: safeconduct
      image: {{ include "safeconduct.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      env:
        {{- include "safeconduct.env" . | trim | nindent 8 }}
      ports:
        - name: http
          containerPort: 8080
          protocol: TCP
      # A first start may migrate the database: it has two minutes.
      startupProbe:
        {{- include "safeconduct.probe" (dict "path" "/healthz" "tls" .Values.tls.secretName) | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 60
      readinessProbe:
        {{- include "safeconduct.probe" (dict "path" "/readyz" "tls" .Values.tls.secretName) | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 1
      livenessProbe:
        {{- include "safeconduct.probe" (dict "path" "/healthz" "tls" .Values.tls.secretName) | nindent 8 }}
        periodSeconds: 10
        failureThreshold: 6
      {{- if .Values.preStopSleepSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ .Values.preStopSleepSeconds }}
      {{- end }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- include "safeconduct.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        {{- if .Values.tls.secretName }}
        - name: tls
          mountPath: /tls
          readOnly: true
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  {{- if or (eq .Values.storage "postgres") .Values.tls.secretName .Values.extraVolumes }}
  volumes:
    {{- if eq .Values.storage "postgres" }}
    - name: data
      emptyDir:
        sizeLimit: 1Gi
    {{- end }}
    {{- if .Values.tls.secretName }}
    - name: tls
      secret:
        secretName: {{ .Values.tls.secretName }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
{{- end }}

{{/* Refuses combinations that a schema cannot explain. */}}
{{- define "safeconduct.validate" -}}
{{- $postgres := eq .Values.storage "postgres" }}
{{- if not .Values.baseUrl }}
{{- fail "baseUrl is required: the address that clients and browsers use, for example https://safeconduct.example.com" }}
{{- end }}
{{- if not .Values.secrets.ADMIN_TOKEN }}
{{- fail "secrets.ADMIN_TOKEN is required: name the Secret and the key that hold a token of at least 24 characters. The image has no shell to read a generated one." }}
{{- end }}
{{- range $name, $_ := .Values.secrets }}
{{- if hasKey $.Values.settings $name }}
{{- fail (printf "%s must not be in settings and in secrets." $name) }}
{{- end }}
{{- end }}
{{- if and (not $postgres) (gt (int .Values.replicas) 1) }}
{{- fail "replicas must be 1 with storage sqlite: one SQLite database is for one node. Set storage to postgres for several nodes." }}
{{- end }}
{{- if and (not $postgres) .Values.autoscaling.enabled }}
{{- fail "autoscaling needs storage postgres: one SQLite database is for one node." }}
{{- end }}
{{- if and (not $postgres) .Values.secrets.DATABASE_URL }}
{{- fail "secrets.DATABASE_URL needs storage postgres: with storage sqlite the database is in the volume." }}
{{- end }}
{{- if and $postgres (not .Values.secrets.DATABASE_URL) }}
{{- fail "secrets.DATABASE_URL is required with storage postgres: name the Secret and the key that hold postgresql://…" }}
{{- end }}
{{- if and $postgres (not .Values.secrets.SAFECONDUCT_MASTER_KEY) }}
{{- fail "secrets.SAFECONDUCT_MASTER_KEY is required with storage postgres: every node must open the same keys." }}
{{- end }}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) }}
{{- fail "autoscaling.minReplicas must not be greater than autoscaling.maxReplicas." }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled (not (and .Values.serviceMonitor.tokenSecret.name .Values.serviceMonitor.tokenSecret.key)) }}
{{- fail "serviceMonitor.tokenSecret needs name and key: /metrics takes the admin token only." }}
{{- end }}
{{- if and .Values.ingress.enabled (hasPrefix "https:" .Values.baseUrl) (not .Values.ingress.tlsSecretName) (not .Values.ingress.annotations) }}
{{- fail "ingress.tlsSecretName is required: baseUrl is https. Where the controller has the certificate itself, say so by its annotation in ingress.annotations." }}
{{- end }}
{{- end }}
