/** Creates a channel: its name, description, privacy and subscribers. */
import { subscribe } from "@skein/api/routes.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { go } from "../navigation/router.ts";
import { idsOf, suggestPeople } from "../parts/people-chips.ts";
import { focusComposerThere } from "../commands/composer-handle.ts";
import { findChannelByName } from "../store/channels.ts";
import { reasonOf } from "../store/reasons.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import { RadioField } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import styles from "./create-channel-dialog.module.css";

type Privacy = "public" | "private" | "protected";

export default function CreateChannelDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [privacy, setPrivacy] = useState<Privacy>(part("can_create_public_streams").peek() ? "public" : "private");
  const [people, setPeople] = useState<Chip[]>([]);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const taken = name.trim() !== "" && findChannelByName(name.trim()) !== undefined ? t("channel.taken") : undefined;

  const create = async (): Promise<void> => {
    const wanted = name.trim();
    if (wanted === "" || taken !== undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      await call(subscribe, {
        subscriptions: [{ name: wanted, description }],
        principals: [ownId.peek(), ...idsOf(people)],
        invite_only: privacy !== "public",
        history_public_to_subscribers: privacy !== "protected",
        announce: privacy === "public",
      });
      onClose();
      openWhenKnown(wanted);
    } catch (failure) {
      setError(reasonOf(failure));
    } finally {
      setBusy(false);
    }
  };

  const choices: { value: Privacy; isAllowed: boolean }[] = [
    { value: "public", isAllowed: part("can_create_public_streams").value ?? true },
    { value: "private", isAllowed: part("can_create_private_streams").value ?? true },
    { value: "protected", isAllowed: part("can_create_private_streams").value ?? true },
  ];
  return (
    <Dialog
      title={t("channel.create")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => void create()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={name.trim() === "" || taken !== undefined}>
            {t("channel.createNow")}
          </Button>
        </>
      }
    >
      <div class={styles.form}>
        <TextField
          label={t("channel.name")}
          value={name}
          error={taken ?? error}
          maxLength={part("max_stream_name_length").value ?? 60}
          autofocus
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label={t("channel.description")}
          isOptional
          value={description}
          maxLength={part("max_stream_description_length").value ?? 1024}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
        <RadioField
          label={t("channel.privacy")}
          value={privacy}
          options={choices
            .filter(({ isAllowed }) => isAllowed)
            .map(({ value }) => ({ value, label: t(`privacy.${value}`), hint: t(`privacy.${value}Hint`) }))}
          onChange={(value) => setPrivacy(value as Privacy)} // one of those above
        />
        <ChipsField
          label={t("channel.people")}
          isOptional
          chips={people}
          onChange={setPeople}
          suggest={suggestPeople}
        />
      </div>
    </Dialog>
  );
}

const lookEvery = 30;
const maxWait = 5000;

/** The event may arrive after the response. */
function openWhenKnown(name: string, waited = 0): void {
  const channel = findChannelByName(name);
  if (channel) {
    go({ kind: "channel", channelId: channel.stream_id, tab: "topics" });
    focusComposerThere();
  } else if (waited < maxWait) setTimeout(() => openWhenKnown(name, waited + lookEvery), lookEvery);
}
