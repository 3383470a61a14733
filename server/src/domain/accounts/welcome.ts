/** What is said when somebody has joined: to them, to who invited them, and where the organization wants it told. */
import type { Context } from "../../context.ts";
import { toUser } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { sendNotice } from "../messages/notice.ts";
import type { Welcome } from "./open-link.ts";

const signupTopic = "signups";

type Referral = Pick<Welcome, "inviter" | "notifyReferrer">;

/**
 * Every account has something to read from the start: there are clients that cannot show an empty one. It is starred, to
 * be found again when it has been read.
 */
export async function greetNewcomer(
  tx: Tx,
  ctx: Context,
  realm: Pick<Realm, "id" | "host" | "name">,
  user: Pick<User, "id" | "full_name">,
): Promise<void> {
  const id = await sendNotice(tx, ctx, realm, "welcome-bot", { userIds: [user.id] }, greeting(realm, user));
  await tx
    .insertInto("message_flags")
    .values({ user_id: user.id, message_id: id, realm_id: realm.id, starred: true })
    .execute();
  emit(tx, realm.id, toUser(user.id), {
    type: "update_message_flags",
    op: "add",
    operation: "add",
    flag: "starred",
    messages: [id],
    all: false,
  });
}

export async function announceNewcomer(
  tx: Tx,
  ctx: Context,
  realm: Realm,
  user: User,
  { inviter, notifyReferrer }: Referral,
): Promise<void> {
  const mention = `@_**${user.full_name}|${user.id}**`;
  await greetNewcomer(tx, ctx, realm, user);
  if (inviter && notifyReferrer)
    await sendNotice(
      tx,
      ctx,
      realm,
      "notification-bot",
      { userIds: [inviter.id] },
      `${mention} has joined by your invitation.`,
    );
  const channelId = await signupChannel(tx, realm);
  if (channelId !== undefined)
    await sendNotice(
      tx,
      ctx,
      realm,
      "notification-bot",
      { channelId, topic: signupTopic },
      `${mention} has joined ${realm.name}.`,
    );
}

async function signupChannel(tx: Tx, realm: Realm): Promise<number | undefined> {
  const { signup_announcements_stream_id: wanted } = realm;
  if (wanted === null) return undefined;
  const channel = await tx
    .selectFrom("channels")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("id", "=", wanted)
    .where("is_archived", "=", false)
    .executeTakeFirst();
  return channel?.id;
}

const greeting = (realm: Pick<Realm, "name">, user: Pick<User, "full_name">): string =>
  [
    `Hello, ${user.full_name}, and welcome to **${realm.name}**!`,
    "",
    "A few things that help at the beginning:",
    "",
    "* Messages live in **channels**, and each belongs to a **topic**. Read topic by topic, and what does not concern you stays out of the way.",
    "* To begin a conversation of its own, write to a channel and give it a new topic, in a few words.",
    "* For a word in private, write a direct message to one person or several.",
    "",
    "This conversation is yours to try things out in: nobody else reads it.",
  ].join("\n");
