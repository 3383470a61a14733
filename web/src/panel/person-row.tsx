/** A person in a list; a click opens the profile. */
import { openPanel } from "../navigation/router.ts";
import { findPerson } from "../store/people.ts";
import { presenceOf } from "../store/presence.ts";
import { ownId } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./person-row.module.css";

export const personRowHeight = 40;

export function PersonRow({ userId }: { userId: number }) {
  const { full_name, avatar_url, is_bot } = findPerson(userId);
  const name = full_name || t("person.unknown");
  return (
    <button type="button" class={styles.row} onClick={() => openPanel({ kind: "user", userId })}>
      <Avatar name={name} src={avatar_url ?? `/avatar/${userId}`} size={26} presence={presenceOf(userId)} />
      <span class={styles.name} dir="auto">
        {userId === ownId.value ? t("direct.self", { name }) : name}
      </span>
      {is_bot && <Icon name="bot" size={14} class={styles.bot} />}
    </button>
  );
}
