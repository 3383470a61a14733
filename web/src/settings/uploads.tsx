/** The reader's files: how much space they take, which messages show them, and a way to delete them. */
import "../text/chunks/settings.ts";
import type { Attachment } from "@skein/api/uploads.ts";
import { useState } from "preact/hooks";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { elementId } from "../descriptors/setting.ts";
import { addressOf } from "../navigation/router.ts";
import { useFetched } from "../parts/use-fetched.ts";
import { attachments, deleteAttachment, fetchAttachments } from "../store/attachments.ts";
import { part } from "../store/state.ts";
import { fileSize } from "../text/sizes.ts";
import { t } from "../text/t.ts";
import { listTime } from "../text/time.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { SelectField } from "../ui/field.tsx";
import { FilterField } from "../ui/filter-field.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import styles from "./settings.module.css";
import page from "./uploads.module.css";

const orders = {
  newest: (a: Attachment, b: Attachment) => b.create_time - a.create_time,
  largest: (a: Attachment, b: Attachment) => b.size - a.size,
  name: (a: Attachment, b: Attachment) => a.name.localeCompare(b.name),
} as const;
type Order = keyof typeof orders;

const firstShown = 100;
const mebibyte = 1024 * 1024;

export default function Uploads() {
  return (
    <section class={styles.group} id={elementId("uploads")}>
      <Listed />
    </section>
  );
}

function Listed() {
  const [fetched, retry] = useFetched(fetchAttachments, "own");
  const known = attachments.value;
  if (!known) {
    if (fetched.state === "failed") return <Failure error={fetched.error} onRetry={retry} />;
    return <Skeleton rows={6} height={52} />;
  }
  if (known.files.length === 0)
    return (
      <Empty icon="paperclip" title={t("settings.noUploads")}>
        <p>{t("settings.noUploads.hint")}</p>
      </Empty>
    );
  return <Files files={known.files} spaceUsed={known.spaceUsed} />;
}

function Files({ files, spaceUsed }: { files: readonly Attachment[]; spaceUsed: number }) {
  const [order, setOrder] = useState<Order>("newest");
  const [query, setQuery] = useState("");
  const [isWhole, setWhole] = useState(false);
  const [deleting, setDeleting] = useState<Attachment>();
  const found = files
    .filter(({ name }) => name.toLowerCase().includes(query.trim().toLowerCase()))
    .toSorted(orders[order]);
  const shown = isWhole ? found : found.slice(0, firstShown);
  return (
    <>
      <Space own={files.reduce((sum, { size }) => sum + size, 0)} all={spaceUsed} count={files.length} />
      <div class={page.tools}>
        <FilterField label={t("settings.filterFiles")} value={query} onChange={setQuery} />
        <SelectField
          label={t("settings.sortFiles")}
          value={order}
          options={(Object.keys(orders) as Order[]).map((value) => ({ value, label: t(`settings.sort.${value}`) }))}
          onChange={(event) => setOrder(event.currentTarget.value as Order)} // one of those above
        />
      </div>
      {found.length === 0 && <p class={styles.note}>{t("settings.noFileMatches")}</p>}
      <ul class={styles.list}>
        {shown.map((file) => (
          <File key={file.id} file={file} onDelete={() => setDeleting(file)} />
        ))}
      </ul>
      {shown.length < found.length && (
        <Button onClick={() => setWhole(true)}>{t("settings.showAllFiles", { count: found.length })}</Button>
      )}
      {deleting && (
        <DangerDialog
          title={t("settings.deleteFile")}
          action={t("settings.deleteFile.action")}
          run={() => deleteAttachment(deleting.id)}
          onClose={() => setDeleting(undefined)}
        >
          <p>{t("settings.deleteFile.effect", { name: deleting.name })}</p>
          {deleting.messages.length > 0 && (
            <p>{t("settings.deleteFile.messages", { count: deleting.messages.length })}</p>
          )}
        </DangerDialog>
      )}
    </>
  );
}

function Space({ own, all, count }: { own: number; all: number; count: number }) {
  const quota = part("realm_upload_quota_mib").value;
  const limit = typeof quota === "number" ? quota * mebibyte : undefined;
  return (
    <div class={page.space}>
      <p>{t("settings.ownSpace", { count, size: fileSize(own) })}</p>
      {limit === undefined ? (
        <p class={styles.detail}>{t("settings.spaceUsed", { size: fileSize(all) })}</p>
      ) : (
        <>
          <meter class={page.meter} min={0} max={limit} value={all} aria-label={t("settings.space")} />
          <p class={styles.detail}>{t("settings.spaceOf", { size: fileSize(all), limit: fileSize(limit) })}</p>
        </>
      )}
    </div>
  );
}

const File = ({ file, onDelete }: { file: Attachment; onDelete: () => void }) => (
  <li class={styles.row}>
    <div class={styles.main}>
      <a href={`/user_uploads/${file.path_id}`} target="_blank" rel="noopener noreferrer" dir="auto">
        {file.name}
      </a>
      <span class={styles.detail}>
        {fileSize(file.size)} · {listTime(file.create_time)}
        {file.messages.length === 0 && ` · ${t("settings.inNoMessage")}`}
        {file.messages.map(({ id, date_sent }) => (
          <span key={id}>
            {" · "}
            <a href={addressOf({ kind: "messages", narrow: [], near: id })}>
              {t("settings.messageOf", { time: listTime(date_sent) })}
            </a>
          </span>
        ))}
      </span>
    </div>
    <IconButton icon="trash-2" label={t("settings.deleteOne", { name: file.name })} onClick={onDelete} />
  </li>
);
