/** A person's profile, with links to conversations with them. */
import "../text/chunks/roles.ts";
import "../text/chunks/sign-in.ts";
import "../text/chunks/panel.ts";
import { getUser } from "@skein/api/routes/users.ts";
import type { ComponentChildren } from "preact";
import { call } from "../api/call.ts";
import { addressOf, conversationAddress } from "../navigation/router.ts";
import { MessageContent } from "../content/message-content.tsx";
import { Status } from "../parts/status.tsx";
import { directConversation } from "../store/conversations.ts";
import { isMutedPerson } from "../store/muted-people.ts";
import { mutePerson } from "../store/muting.ts";
import { findKnownPerson, findPerson } from "../store/people.ts";
import { presenceOf } from "../store/presence.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { dayName, timeIn } from "../text/time.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./profile.module.css";
import { useFetched } from "../parts/use-fetched.ts";

export function Profile({ userId }: { userId: number }) {
  const person = findPerson(userId);
  const isKnown = findKnownPerson(userId) !== undefined;
  const presence = presenceOf(userId);
  // Custom profile fields are not part of the state; the rest is shown without them.
  const [fetched] = useFetched(
    () => call(getUser, { user_id: userId, include_custom_profile_fields: true, client_gravatar: false }),
    userId,
  );
  const filledIn = fetched.state === "loaded" ? (fetched.value.user.profile_data ?? {}) : {};
  const joined = fetched.state === "loaded" ? Date.parse(fetched.value.user.date_joined) / 1000 : undefined;
  if (!isKnown) return <p>{t("person.unknown")}</p>;
  const { full_name: name, timezone, delivery_email, bot_owner_id } = person;
  const isSelf = userId === ownId.value;
  return (
    <div class={styles.profile}>
      <Avatar name={name} src={person.avatar_url ?? `/avatar/${userId}/medium`} size={96} presence={presence} />
      <h3 class={styles.name} dir="auto">
        {isSelf ? t("direct.self", { name }) : name}
      </h3>
      <p>
        <Status userId={userId} />
      </p>
      <p class={styles.quiet}>
        {person.isActive ? t(presence ? `avatar.${presence}` : "person.away") : t("person.deactivated")}
      </p>
      {person.isActive && (
        <div class={styles.actions}>
          <a class={styles.button} href={conversationAddress(directConversation([userId], ownId.value))}>
            <Icon name="message-circle" /> {t(isSelf ? "person.notes" : "person.write")}
          </a>
          <a
            class={styles.button}
            href={addressOf({ kind: "messages", narrow: [{ operator: "sender", operand: userId }] })}
          >
            <Icon name="search" /> {t("person.messages")}
          </a>
        </div>
      )}
      <dl class={styles.facts}>
        <Fact name={t("person.role")}>{t(person.is_bot ? "message.bot" : `role.one.${roleOf(person.role)}`)}</Fact>
        {typeof bot_owner_id === "number" && <Fact name={t("person.owner")}>{findPerson(bot_owner_id).full_name}</Fact>}
        {delivery_email !== null && (
          <Fact name={t("signIn.email")}>
            <a href={`mailto:${delivery_email}`}>{delivery_email}</a>
          </Fact>
        )}
        {timezone !== "" && <Fact name={t("person.localTime")}>{timeIn(timezone)}</Fact>}
        {joined !== undefined && <Fact name={t("person.joined")}>{dayName(joined)}</Fact>}
        {(part("custom_profile_fields").value ?? []).map(({ id, name: field, type }) => {
          const filled = filledIn[id];
          return (
            filled && (
              <Fact key={id} name={field}>
                {filled.rendered_value === undefined ? (
                  valueText(type, filled.value)
                ) : (
                  <MessageContent html={filled.rendered_value} />
                )}
              </Fact>
            )
          );
        })}
      </dl>
      {!isSelf && person.isActive && <MuteButton userId={userId} />}
    </div>
  );
}

const roles = [100, 200, 300, 400, 600] as const;
const roleOf = (role: number): (typeof roles)[number] => roles.find((each) => each === role) ?? 400;

const peopleField = 6;

/** The value of a field for people is a list of user ids. */
function valueText(type: number, value: string): string {
  if (type !== peopleField) return value;
  const ids = JSON.parse(value) as number[]; // the server's format
  return ids.map((id) => findPerson(id).full_name).join(", ");
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div class={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function MuteButton({ userId }: { userId: number }) {
  const isMuted = isMutedPerson(userId);
  return (
    <Button kind="quiet" icon={isMuted ? "eye" : "volume-x"} onClick={() => mutePerson(userId, !isMuted)}>
      {t(isMuted ? "person.unmute" : "person.mute")}
    </Button>
  );
}
