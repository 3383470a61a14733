/** A draft's files as chips: progress, errors and actions. */
import "../text/chunks/files.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./attachments.module.css";
import type { Attachment, Uploads } from "./use-uploads.ts";

function Chip({ attachment, uploads }: { attachment: Attachment; uploads: Uploads }) {
  const { id, name, isImage, preview, state, progress, error, canRetry, alt } = attachment;
  const isUploading = state === "uploading";
  return (
    <li class={classes(styles.chip, state === "failed" && styles.failed)}>
      {preview !== undefined && state !== "failed" ? (
        <img class={styles.thumbnail} src={preview} alt="" />
      ) : (
        <Icon name={state === "failed" ? "circle-alert" : isImage ? "image" : "file"} />
      )}
      <span class={styles.words}>
        <span class={styles.name} dir="auto">
          {name}
        </span>
        {error !== undefined && state === "failed" && <span class={styles.error}>{error}</span>}
        {state === "done" && isImage && (
          <input
            class={styles.alt}
            type="text"
            value={alt}
            placeholder={t("composer.alt")}
            aria-label={`${name}: ${t("composer.alt")}`}
            onChange={(event) => uploads.describe(id, event.currentTarget.value)}
          />
        )}
      </span>
      {state === "failed" && canRetry && (
        <IconButton
          icon="refresh-cw"
          size={15}
          label={t("composer.retryUpload", { name })}
          onClick={() => uploads.retry(id)}
        />
      )}
      <IconButton
        icon="x"
        size={15}
        label={t(isUploading ? "composer.cancelUpload" : "composer.removeFile", { name })}
        onClick={() => uploads.remove(id)}
      />
      {isUploading && (
        <progress class={styles.progress} value={progress} max={1} aria-label={t("composer.uploading", { name })} />
      )}
    </li>
  );
}

export default function Attachments({ uploads }: { uploads: Uploads }) {
  return (
    <ul class={styles.list} aria-label={t("composer.files")}>
      {uploads.attachments.map((attachment) => (
        <Chip key={attachment.id} attachment={attachment} uploads={uploads} />
      ))}
    </ul>
  );
}
