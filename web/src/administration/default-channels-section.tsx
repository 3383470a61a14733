/** The channels that new users are subscribed to, and groups of channels that they can choose. */
import "../text/chunks/fields.ts";
import "../text/chunks/controls.ts";
import "../text/chunks/members.ts";
import {
  createDefaultChannelGroup,
  removeDefaultChannelGroup,
  updateDefaultChannelGroup,
  updateDefaultChannelGroupChannels,
} from "@skein/api/routes/default-channels.ts";
import type { DefaultChannelGroup } from "@skein/api/default-channels.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { TextSetting } from "../controls/text-setting.tsx";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { channelMatcher } from "../store/channel-matcher.ts";
import { findChannel } from "../store/channels.ts";
import { saveDefaultChannel } from "../store/default-channels.ts";
import { reasonOf } from "../store/reasons.ts";
import { isAdministrator } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import styles from "./default-channels-section.module.css";

const most = 8;
const maxName = 60;
const maxDescription = 1024;

const chipOf = (id: number): Chip => ({
  key: String(id),
  label: findChannel(id)?.name ?? t("channel.unknown"),
  icon: "hash",
});

const suggestOpen = (query: string): Chip[] =>
  channelMatcher.value
    .find(query, 2 * most)
    .filter(({ invite_only }) => !invite_only)
    .slice(0, most)
    .map(({ stream_id }) => chipOf(stream_id));

const idsIn = (chips: readonly Chip[]): Set<number> => new Set(chips.map(({ key }) => Number(key)));

const namesOf = (ids: Iterable<number>): string[] => [...ids].flatMap((id) => findChannel(id)?.name ?? []);

export default function DefaultChannelsSection() {
  return (
    <>
      <DefaultChannels />
      <Groups />
    </>
  );
}

function DefaultChannels() {
  const ids = part("realm_default_streams").value ?? [];
  const { saved, error, save } = useSaving();
  const isLocked = !isAdministrator();
  const hint = t("channels.defaultsHint");
  return (
    <ChipsField
      label={t("channels.defaults")}
      hint={isLocked ? `${hint} ${t("setting.administratorsOnly")}` : hint}
      placeholder={t("channels.noDefaults")}
      disabled={isLocked}
      saved={saved}
      error={error}
      chips={ids.map(chipOf)}
      suggest={suggestOpen}
      onChange={(chips) => {
        const [before, after] = [new Set(ids), idsIn(chips)];
        void save(() =>
          Promise.all([
            ...[...after.difference(before)].map((id) => saveDefaultChannel(id, true)),
            ...[...before.difference(after)].map((id) => saveDefaultChannel(id, false)),
          ]),
        );
      }}
    />
  );
}

function Groups() {
  const groups = part("realm_default_stream_groups").value ?? [];
  const [isCreating, setCreating] = useState(false);
  return (
    <section id={elementId("default-groups")} class={styles.groups}>
      <h3>{t("channels.groups")}</h3>
      <p class={styles.hint}>{t("channels.groupsHint")}</p>
      {groups.length === 0 && <p class={styles.hint}>{t("channels.noGroups")}</p>}
      {groups.map((group) => (
        <Group key={group.id} group={group} />
      ))}
      {isAdministrator() && (
        <Button icon="plus" onClick={() => setCreating(true)}>
          {t("channels.createGroup")}
        </Button>
      )}
      {isCreating && <CreateGroup onClose={() => setCreating(false)} />}
    </section>
  );
}

function Group({ group: { id, name, description, streams } }: { group: DefaultChannelGroup }) {
  const [isAsking, setAsking] = useState(false);
  const [saving, describing, choosing] = [useSaving(), useSaving(), useSaving()];
  const disabled = !isAdministrator();
  const change = (op: "add" | "remove", ids: ReadonlySet<number>): Promise<unknown> =>
    ids.size === 0
      ? Promise.resolve()
      : call(updateDefaultChannelGroupChannels, { group_id: id, op, stream_names: namesOf(ids) });
  return (
    <article class={styles.group} aria-label={name}>
      <TextSetting
        label={t("channels.groupName")}
        hint={undefined}
        control={{ kind: "text", maxLength: maxName, isRequired: true }}
        value={name}
        disabled={disabled}
        saved={saving.saved}
        error={saving.error}
        onChange={(text) =>
          void saving.save(() => call(updateDefaultChannelGroup, { group_id: id, new_group_name: text }))
        }
      />
      <TextSetting
        label={t("channels.groupDescription")}
        hint={undefined}
        control={{ kind: "text", maxLength: maxDescription }}
        value={description}
        disabled={disabled}
        saved={describing.saved}
        error={describing.error}
        onChange={(text) =>
          void describing.save(() => call(updateDefaultChannelGroup, { group_id: id, new_description: text }))
        }
      />
      <ChipsField
        label={t("channels.groupChannels")}
        disabled={disabled}
        saved={choosing.saved}
        error={choosing.error}
        chips={streams.map(chipOf)}
        suggest={suggestOpen}
        onChange={(chips) => {
          const [before, after] = [new Set(streams), idsIn(chips)];
          void choosing.save(async () => {
            await change("add", after.difference(before));
            await change("remove", before.difference(after));
          });
        }}
      />
      {!disabled && (
        <Button icon="trash-2" onClick={() => setAsking(true)}>
          {t("channels.deleteGroup")}
        </Button>
      )}
      {isAsking && (
        <DangerDialog
          title={t("channels.deleteGroupTitle", { name })}
          action={t("channels.deleteGroup")}
          run={() => call(removeDefaultChannelGroup, { group_id: id })}
          onClose={() => setAsking(false)}
        >
          <p>{t("channels.deleteGroupWhat")}</p>
        </DangerDialog>
      )}
    </article>
  );
}

function CreateGroup({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [chips, setChips] = useState<Chip[]>([]);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    if (name.trim() === "" || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await call(createDefaultChannelGroup, {
        group_name: name.trim(),
        description,
        stream_names: namesOf(idsIn(chips)),
      });
      onClose();
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("channels.createGroup")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => void create()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={name.trim() === ""}>
            {t("channels.create")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("channels.groupName")}
        value={name}
        error={error}
        maxLength={maxName}
        autofocus
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <TextField
        label={t("channels.groupDescription")}
        value={description}
        maxLength={maxDescription}
        isOptional
        onInput={(event) => setDescription(event.currentTarget.value)}
      />
      <ChipsField label={t("channels.groupChannels")} chips={chips} suggest={suggestOpen} onChange={setChips} />
    </Dialog>
  );
}
