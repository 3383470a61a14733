/** Channel folders: their names, what they are for, and their order. */
import "../text/chunks/controls.ts";
import "../text/chunks/fields.ts";
import "../text/chunks/members.ts";
import type { ChannelFolder } from "@skein/api/channel-folders.ts";
import { createChannelFolder, updateChannelFolder } from "@skein/api/routes/channel-folders.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { MessageContent } from "../content/message-content.tsx";
import { ItemList } from "../controls/item-list.tsx";
import { useAction } from "../controls/use-action.ts";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { channelsById } from "../store/channels.ts";
import { archiveFolder, orderFolders } from "../store/folder-changes.ts";
import { isAdministrator } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { FieldError, TextArea, TextField } from "../ui/field.tsx";
import styles from "./lists.module.css";

export default function ChannelFolders() {
  const [edited, setEdited] = useState<ChannelFolder | "new">();
  const { error, save } = useSaving();
  const folders = part("channel_folders").value ?? [];
  const inUse = folders.filter(({ is_archived }) => !is_archived);
  const archived = folders.filter(({ is_archived }) => is_archived);
  const counts = channelCounts();
  const mayChange = isAdministrator();
  return (
    <>
      {mayChange ? (
        <div id={elementId("add-folder")} class={styles.add}>
          <Button icon="plus" onClick={() => setEdited("new")}>
            {t("folders.create")}
          </Button>
        </div>
      ) : (
        <p class={styles.note}>{t("setting.administratorsOnly")}</p>
      )}
      {inUse.length === 0 ? (
        <Empty icon="folder" title={t("folders.none")}>
          <p>{t("folders.noneHint")}</p>
        </Empty>
      ) : (
        <ItemList
          label={t("folders.title")}
          items={inUse}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
          render={(folder) => <Row folder={folder} count={counts.get(folder.id) ?? 0} />}
          onReorder={
            mayChange && inUse.length > 1
              ? (order) => void save(() => orderFolders([...order, ...archived].map(({ id }) => id)))
              : undefined
          }
          {...(mayChange
            ? {
                actions: (folder: ChannelFolder) => (
                  <>
                    <IconButton
                      icon="pencil"
                      label={t("folders.edit", { name: folder.name })}
                      onClick={() => setEdited(folder)}
                    />
                    {!counts.has(folder.id) && (
                      <IconButton
                        icon="archive"
                        label={t("folders.archive", { name: folder.name })}
                        onClick={() => void save(() => archiveFolder(folder.id, true))}
                      />
                    )}
                  </>
                ),
              }
            : {})}
        />
      )}
      <FieldError id="folders-error" error={error} />
      {mayChange && counts.size > 0 && <p class={styles.note}>{t("folders.archiveHint")}</p>}
      {archived.length > 0 && (
        <section class={styles.group}>
          <h3>{t("folders.archived")}</h3>
          <ItemList
            label={t("folders.archived")}
            items={archived}
            keyOf={({ id }) => id}
            nameOf={({ name }) => name}
            render={(folder) => <Row folder={folder} count={0} />}
            {...(mayChange
              ? {
                  actions: (folder: ChannelFolder) => (
                    <IconButton
                      icon="undo-2"
                      label={t("folders.unarchive", { name: folder.name })}
                      onClick={() => void save(() => archiveFolder(folder.id, false))}
                    />
                  ),
                }
              : {})}
          />
        </section>
      )}
      {edited && <FolderDialog edited={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

/** How many channels are in each folder, archived ones included. */
function channelCounts(): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { folder_id } of channelsById.value.values())
    if (folder_id !== null) counts.set(folder_id, (counts.get(folder_id) ?? 0) + 1);
  return counts;
}

const Row = ({
  folder: { name, description, rendered_description },
  count,
}: {
  folder: ChannelFolder;
  count: number;
}) => (
  <>
    <div>
      <span class={styles.name} dir="auto">
        {name}
      </span>{" "}
      {count > 0 && <span class={styles.detail}>{t("channels.count", { count })}</span>}
    </div>
    {description !== "" && <MessageContent html={rendered_description} class={styles.detail} />}
  </>
);

function FolderDialog({ edited, onClose }: { edited: ChannelFolder | undefined; onClose: () => void }) {
  const [name, setName] = useState(edited?.name ?? "");
  const [description, setDescription] = useState(edited?.description ?? "");
  const { isBusy, error, run } = useAction();
  const isComplete = name.trim() !== "";
  const save = async (): Promise<void> => {
    if (!isComplete) return;
    const texts = { name: name.trim(), description: description.trim() };
    const isSaved = await run(() =>
      edited ? call(updateChannelFolder, { channel_folder_id: edited.id, ...texts }) : call(createChannelFolder, texts),
    );
    if (isSaved) onClose();
  };
  return (
    <Dialog
      title={edited ? t("folders.edit", { name: edited.name }) : t("folders.create")}
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={!isComplete}>
            {t(edited ? "folders.save" : "channels.create")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("folders.name")}
        value={name}
        error={error}
        maxLength={part("max_channel_folder_name_length").value ?? 60}
        autofocus
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <TextArea
        label={t("folders.description")}
        hint={t("folders.descriptionHint")}
        isOptional
        value={description}
        rows={3}
        maxLength={part("max_channel_folder_description_length").value ?? 1024}
        onInput={(event) => setDescription(event.currentTarget.value)}
      />
    </Dialog>
  );
}
