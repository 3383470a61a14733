/** Cells of tables of people. */
import "../../text/chunks/members.ts";
import { findPerson, type Person } from "../../store/people.ts";
import { lastSeen, presenceOf } from "../../store/presence.ts";
import { ownId } from "../../store/state.ts";
import { t } from "../../text/t.ts";
import { fullTime, listTime } from "../../text/time.ts";
import { Avatar } from "../../ui/avatar.tsx";
import styles from "./people.module.css";

/** Rendered again when this person changes. */
export function PersonName({ person: { user_id } }: { person: Person }) {
  const { full_name: name, avatar_url, isActive } = findPerson(user_id);
  return (
    <span class={styles.person}>
      <Avatar
        name={name}
        src={avatar_url ?? `/avatar/${user_id}`}
        size={26}
        presence={isActive ? presenceOf(user_id) : undefined}
      />
      <span class={styles.name} dir="auto">
        {user_id === ownId.value ? t("direct.self", { name }) : name}
      </span>
    </span>
  );
}

export function LastSeen({ userId }: { userId: number }) {
  const presence = presenceOf(userId);
  const seen = lastSeen(userId);
  if (presence) return <>{t(`avatar.${presence}`)}</>;
  return seen === undefined ? <>{t("members.notLately")}</> : <Time seconds={seen} />;
}

export function JoinedTime({ date }: { date: string | undefined }) {
  return date === undefined ? null : <Time seconds={Date.parse(date) / 1000} />;
}

export const Time = ({ seconds }: { seconds: number }) => (
  <time dateTime={new Date(seconds * 1000).toISOString()} title={fullTime(seconds)}>
    {listTime(seconds)}
  </time>
);
