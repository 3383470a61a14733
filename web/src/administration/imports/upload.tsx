/** Choosing the file, and its upload: by this window, by another one, or interrupted. */
import "../../text/chunks/imports.ts";
import type { RealmImport } from "@skein/api/imports.ts";
import { useState } from "preact/hooks";
import { FileButton } from "../../controls/file-button.tsx";
import { useAction } from "../../controls/use-action.ts";
import { elementId } from "../../descriptors/setting.ts";
import { continueUpload, startUpload, uploading } from "../../store/imports.ts";
import { findPerson, self } from "../../store/people.ts";
import { reasonOf } from "../../store/reasons.ts";
import { fileSize } from "../../text/sizes.ts";
import { t } from "../../text/t.ts";
import { FieldError } from "../../ui/field.tsx";
import lists from "../lists.module.css";
import { Meter } from "./meter.tsx";
import styles from "./imports.module.css";

const fileTypes = ".zip,.tar,.gz,.tgz";

export function NewImport({ maxBytes }: { maxBytes: number }) {
  const { isBusy, error, run } = useAction();
  if (maxBytes === 0) return <p class={lists.note}>{t("imports.off")}</p>;
  return (
    <section id={elementId("start-import")} class={lists.group}>
      <p class={lists.note}>{t("imports.upload.text", { size: fileSize(maxBytes) })}</p>
      <FileButton accept={fileTypes} busy={isBusy} onChoose={(file) => void run(() => startUpload(file))}>
        {t("imports.upload")}
      </FileButton>
      <FieldError id="import-error" error={error} />
    </section>
  );
}

export function Upload({ one }: { one: RealmImport }) {
  const here = uploading.value?.importId === one.id ? uploading.value : undefined;
  const amount = here && t("imports.uploading.amount", { sent: fileSize(here.sent), size: fileSize(one.size) });
  return (
    <>
      <h3 class={styles.heading}>{t("imports.uploading", { name: one.file_name })}</h3>
      {here && here.error === undefined ? (
        <Meter
          label={t("imports.uploading", { name: one.file_name })}
          done={here.sent}
          total={one.size}
          text={amount}
        />
      ) : (
        <Interrupted one={one} error={here?.error} />
      )}
    </>
  );
}

function Interrupted({ one, error }: { one: RealmImport; error: unknown }) {
  const [isOther, setOther] = useState(false);
  const { upload_url: url, file_name: name, size } = one;
  if (one.acting_user_id !== self.value.user_id)
    return (
      <p class={lists.note}>{t("imports.uploading.elsewhere", { name: findPerson(one.acting_user_id).full_name })}</p>
    );
  if (url === null) return null;
  const choose = (file: File): void => {
    setOther(file.size !== size);
    if (file.size === size) void continueUpload(one.id, url, file);
  };
  const problem = isOther
    ? t("imports.uploading.other", { name, size: fileSize(size) })
    : error === undefined
      ? undefined
      : reasonOf(error);
  return (
    <>
      <p class={lists.note}>{t("imports.uploading.interrupted")}</p>
      <FileButton accept={fileTypes} onChoose={choose}>
        {t("imports.resume")}
      </FileButton>
      <FieldError id="import-error" error={problem} />
    </>
  );
}
