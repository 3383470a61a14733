/** First steps for a new organization. Each card disappears when it is done. */
import "../text/chunks/inbox.ts";
import { computed } from "@preact/signals";
import { openDialog } from "../navigation/dialogs.ts";
import { channelAddress } from "../navigation/router.ts";
import { subscribedChannels } from "../store/channels.ts";
import { hasFewerPeople } from "../store/people.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./first-steps.module.css";

/** A larger organization is not new. */
const isSmall = computed(() => hasFewerPeople(3));

export default function FirstSteps() {
  const { pinned, active } = subscribedChannels.value;
  const channels = [...pinned, ...active];
  const [first] = channels;
  const mayCreate = part("can_create_streams").value && channels.length < 2;
  const mayInvite = part("can_invite_others_to_realm").value && isSmall.value;
  const mayGreet = first !== undefined && first.first_message_id === null;
  if (!mayCreate && !mayInvite && !mayGreet) return null;
  return (
    <div class={styles.cards}>
      {mayCreate && (
        <button type="button" class={styles.card} onClick={() => openDialog("create-channel")}>
          <Icon name="hash" size={20} />
          <b>{t("steps.channel")}</b>
          <span>{t("steps.channelHint")}</span>
        </button>
      )}
      {mayInvite && (
        <button type="button" class={styles.card} onClick={() => openDialog("invite")}>
          <Icon name="user-plus" size={20} />
          <b>{t("steps.invite")}</b>
          <span>{t("steps.inviteHint")}</span>
        </button>
      )}
      {mayGreet && (
        <a class={styles.card} href={channelAddress(first.stream_id)}>
          <Icon name="message-circle" size={20} />
          <b>{t("steps.hello")}</b>
          <span>{t("steps.helloHint")}</span>
        </a>
      )}
    </div>
  );
}
