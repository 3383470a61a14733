/** Decides what becomes of one person or channel. */
import "../../text/chunks/fields.ts";
import "../../text/chunks/imports.ts";
import { Refusal } from "@skein/api/failures.ts";
import type { PlannedChannel, PlannedPerson, RefusedChange } from "@skein/api/imports.ts";
import { useState } from "preact/hooks";
import { useAction } from "../../controls/use-action.ts";
import { byName, channelsById } from "../../store/channels.ts";
import { changePlan, type ChannelChange, type PersonChange } from "../../store/imports.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { RadioField } from "../../ui/choices.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FieldError, SelectField, TextField } from "../../ui/field.tsx";

interface FrameProps {
  title: string;
  children: preact.ComponentChildren;
  save: () => Promise<readonly RefusedChange[]>;
  onClose: () => void;
}

function Frame({ title, children, save, onClose }: FrameProps) {
  const { isBusy, error, run } = useAction();
  const saveOrThrow = async (): Promise<void> => {
    const [refused] = await save();
    if (refused) throw new Refusal(refused.reason, { code: "BAD_REQUEST", status: 400, data: {} });
  };
  const submit = async (): Promise<void> => {
    if (await run(saveOrThrow)) onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t("imports.save")}
          </Button>
        </>
      }
    >
      {children}
      <FieldError id="import-plan-error" error={error} />
    </Dialog>
  );
}

interface PersonDialogProps {
  importId: number;
  person: PlannedPerson;
  onClose: () => void;
}

export function PersonDialog({ importId, person, onClose }: PersonDialogProps) {
  const [account, setAccount] = useState(person.account);
  const [email, setEmail] = useState(person.email ?? "");
  const save = (): Promise<readonly RefusedChange[]> => {
    const address = email.trim();
    const change: PersonChange = { id: person.id, account, ...(address === "" ? {} : { email: address }) };
    return changePlan(importId, { people: [change] });
  };
  return (
    <Frame title={person.name} save={save} onClose={onClose}>
      <RadioField
        label={t("imports.person.account")}
        value={account}
        options={(["existing", "new", "inactive"] as const).map((value) => ({
          value,
          label: t(`imports.account.${value}`),
          hint: t(`imports.account.${value}.hint`),
        }))}
        onChange={(chosen) => setAccount(chosen as typeof account)} // one of the options
      />
      <TextField
        label={t("imports.person.email")}
        value={email}
        autocomplete="off"
        onInput={(event) => setEmail(event.currentTarget.value)}
      />
    </Frame>
  );
}

interface ChannelDialogProps {
  importId: number;
  channel: PlannedChannel;
  onClose: () => void;
}

export function ChannelDialog({ importId, channel, onClose }: ChannelDialogProps) {
  const targets = [...channelsById.value.values()]
    .filter(({ is_archived, invite_only }) => !is_archived && (!channel.is_private || invite_only))
    .toSorted(byName);
  const [action, setAction] = useState(channel.action);
  const [name, setName] = useState(channel.name);
  const [into, setInto] = useState(channel.into ?? targets[0]?.name ?? "");
  const save = (): Promise<readonly RefusedChange[]> => {
    const change: ChannelChange = {
      id: channel.id,
      action,
      ...(action === "new" ? { name: name.trim() } : {}),
      ...(action === "merge" ? { into } : {}),
    };
    return changePlan(importId, { channels: [change] });
  };
  return (
    <Frame title={channel.source_name} save={save} onClose={onClose}>
      <RadioField
        label={t("imports.channel.action")}
        value={action}
        options={[
          { value: "new", label: t("imports.action.new") },
          { value: "merge", label: t("imports.action.merge.choice"), disabled: targets.length === 0 },
          { value: "skip", label: t("imports.action.skip.choice") },
        ]}
        onChange={(chosen) => setAction(chosen as typeof action)} // one of the options
      />
      {action === "new" && (
        <TextField
          label={t("imports.newName")}
          value={name}
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      )}
      {action === "merge" && (
        <SelectField
          label={t("imports.target")}
          value={into}
          options={targets.map((target) => ({ value: target.name, label: target.name }))}
          onChange={(event) => setInto(event.currentTarget.value)}
        />
      )}
    </Frame>
  );
}
