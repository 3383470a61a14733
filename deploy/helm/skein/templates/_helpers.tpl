{{- define "skein.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- /* Short enough for "-migrate-contract" after it. */ -}}
{{- define "skein.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 45 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "skein.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 45 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 45 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "skein.selectorLabels" -}}
app.kubernetes.io/name: {{ include "skein.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "skein.labels" -}}
{{ include "skein.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote }}
{{- end -}}

{{- define "skein.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "skein.secretName" -}}
{{- .Values.existingSecret | default (include "skein.fullname" .) -}}
{{- end -}}

{{- define "skein.claimName" -}}
{{- .Values.persistence.existingClaim | default (printf "%s-files" (include "skein.fullname" .)) -}}
{{- end -}}

{{- define "skein.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "skein.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- /* The settings that are not secret, as data of a ConfigMap. */ -}}
{{- define "skein.settings" -}}
{{- $settings := dict "SKEIN_NATS_URL" .Values.natsUrl "SKEIN_HEALTH_PORT" "9992" "SKEIN_DRAIN_DELAY_SECONDS" "10" "SKEIN_TRUST_PROXY" "1" -}}
{{- if .Values.externalUrl -}}{{- $_ := set $settings "SKEIN_EXTERNAL_URL" .Values.externalUrl -}}{{- end -}}
{{- range $name, $value := .Values.settings -}}{{- $_ := set $settings $name (toString $value) -}}{{- end -}}
{{- if not (or .Values.persistence.enabled (get $settings "SKEIN_S3_BUCKET")) -}}
{{- fail "Uploaded files would be lost: set settings.SKEIN_S3_BUCKET, or leave persistence.enabled on" -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{- /* The Job of a phase of migrations. Takes a list: the root, the phase, its hooks. */ -}}
{{- define "skein.migrateJob" -}}
{{- $root := index . 0 -}}
{{- $phase := index . 1 -}}
{{- with $root -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "skein.fullname" . }}-migrate-{{ $phase }}
  labels:
    {{- include "skein.labels" . | nindent 4 }}
    app.kubernetes.io/component: migrate
  annotations:
    helm.sh/hook: {{ index $ 2 }}
    helm.sh/hook-weight: "0"
    # A failed Job stays, with its log, until the next attempt.
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: {{ .Values.migrate.backoffLimit }}
  ttlSecondsAfterFinished: 86400
  template:
    metadata:
      labels:
        {{- include "skein.selectorLabels" . | nindent 8 }}
        app.kubernetes.io/component: migrate
    spec:
      restartPolicy: Never
      # Before the installation there is no other account yet, and it needs none.
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext: {{- toYaml .Values.podSecurityContext | nindent 8 }}
      containers:
        - name: skein
          image: {{ include "skein.image" . | quote }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          args: [migrate, --{{ $phase }}]
          env:
            - name: SKEIN_DATABASE_URL
              valueFrom:
                secretKeyRef: { name: {{ include "skein.secretName" . }}, key: SKEIN_DATABASE_URL }
          resources: {{- toYaml .Values.migrate.resources | nindent 12 }}
          securityContext: {{- toYaml .Values.securityContext | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 1Gi }
{{- end -}}
{{- end -}}
