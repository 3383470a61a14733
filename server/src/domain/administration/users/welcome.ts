/** The notices sent when a user joins: to the newcomer, to the inviter, and in the organization's signup channel. */
import { roles } from "@skein/api/users.ts";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { sendNotice } from "../../messages/send/notice.ts";

const signupTopic = "signups";

interface Referral {
  inviter: User | undefined;
  notifyReferrer: boolean;
  /** Null: the organization's. */
  welcomeText: string | null;
}

/**
 * Every account has a message from the start, because some clients cannot show an account without any. It is starred, so
 * that it is easy to find again. An invitation may have a text of its own instead of the organization's.
 */
export async function greetNewcomer(
  tx: Tx,
  ctx: TxContext,
  realm: Pick<Realm, "id" | "host" | "name" | "welcome_message_custom_text">,
  user: Pick<User, "id" | "full_name">,
  customText: string | null = null,
): Promise<void> {
  const text = [greeting(realm, user), customText ?? realm.welcome_message_custom_text].filter((part) => part !== "");
  const id = await sendNotice(tx, ctx, realm, "welcome-bot", { userIds: [user.id] }, text.join("\n\n"));
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
  ctx: TxContext,
  realm: Realm,
  user: User,
  { inviter, notifyReferrer, welcomeText }: Referral,
): Promise<void> {
  const mention = `@_**${user.full_name}|${user.id}**`;
  await greetNewcomer(tx, ctx, realm, user, welcomeText);
  if (inviter && notifyReferrer)
    await sendNotice(
      tx,
      ctx,
      realm,
      "notification-bot",
      { userIds: [inviter.id] },
      `${mention} accepted your invitation.`,
    );
  const channelId = await signupChannel(tx, realm);
  if (channelId !== undefined)
    await sendNotice(
      tx,
      ctx,
      realm,
      "notification-bot",
      { channelId, topic: signupTopic },
      `${mention} joined ${realm.name}.`,
    );
}

/** Sends an administrator the text as a newcomer would get it; returns the message's id. */
export async function testWelcomeText(tx: Tx, ctx: TxContext, user: User, text: string): Promise<number> {
  if (user.role > roles.administrator) throw new ApiError("Must be an organization administrator");
  if (text.trim() === "") throw new ApiError("Message must not be empty");
  return sendNotice(tx, ctx, user.realm, "welcome-bot", { userIds: [user.id] }, text);
}

async function signupChannel(tx: Tx, realm: Realm): Promise<number | undefined> {
  const { signup_announcements_stream_id: channelId } = realm;
  if (channelId === null) return undefined;
  const channel = await tx
    .selectFrom("channels")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("id", "=", channelId)
    .where("is_archived", "=", false)
    .executeTakeFirst();
  return channel?.id;
}

const greeting = (realm: Pick<Realm, "name">, user: Pick<User, "full_name">): string =>
  [
    `Hello ${user.full_name}, and welcome to **${realm.name}**!`,
    "",
    "Here is how to get started:",
    "",
    "* Messages are sent to **channels**, and each belongs to a **topic**. Read topic by topic, and skip those that are not for you.",
    "* To start a new conversation, write to a channel and choose a new topic of a few words.",
    "* To talk in private, send a direct message to one or more people.",
    "",
    "You can try things out here: nobody else can read this conversation.",
  ].join("\n");
