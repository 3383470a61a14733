/**
 * Saying "no more of this" from a mail, without signing in. A link's token is a signature over whom and what it is for,
 * so that nothing has to be stored for the many mails that go out; it can do nothing else, and goes on working.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { SettingName } from "@skein/api/settings.ts";
import type { Config } from "../../config.ts";
import { accountById, type Realm } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { realmHost } from "../realm/address.ts";
import { lockOwnAccount } from "../settings/access.ts";
import { updateSettings } from "../settings/update.ts";

/** The kinds of mail one can end, by the names in their links, and the settings that ask for them. */
export const mailKinds = {
  missed_messages: {
    what: "mail about messages you missed",
    settings: [
      "enable_offline_email_notifications",
      "enable_followed_topic_email_notifications",
      "enable_stream_email_notifications",
    ],
  },
  digest: { what: "digests by mail", settings: ["enable_digest_emails"] },
  login: { what: "mail about new sign-ins", settings: ["enable_login_emails"] },
  marketing: { what: "mail about the product", settings: ["enable_marketing_emails"] },
} as const satisfies Record<string, { what: string; settings: readonly SettingName[] }>;
export type MailKind = keyof typeof mailKinds;

export const isMailKind = (name: string): name is MailKind => Object.hasOwn(mailKinds, name);

const path = "/accounts/unsubscribe";
export const unsubscribePath = `${path}/:type/:token`;

type WithSecret = Pick<Config, "secret">;

/** Below the organization's address; undefined on a server without a secret, which cannot sign. */
export function unsubscribeLink({ secret }: WithSecret, kind: MailKind, userId: number): string | undefined {
  return secret === "" ? undefined : `${path}/${kind}/${userId}-${sign(secret, kind, userId)}`;
}

/** Whom a token of ours is for. */
export function readUnsubscribeToken({ secret }: WithSecret, kind: MailKind, token: string): number | undefined {
  const [, id, signature] = /^([1-9]\d{0,14})-([\w-]{43})$/.exec(token) ?? [];
  if (secret === "" || id === undefined || signature === undefined) return undefined;
  const expected = Buffer.from(sign(secret, kind, Number(id)));
  return timingSafeEqual(Buffer.from(signature), expected) ? Number(id) : undefined;
}

/** The secret serves other purposes too; each has a key of its own. */
const sign = (secret: string, kind: MailKind, userId: number): string =>
  createHmac("sha256", new Uint8Array(hkdfSync("sha256", secret, "", "skein unsubscribe v1", 32)))
    .update(`${kind} ${userId}`)
    .digest("base64url");

/** Gives back whether there was such an account in this organization. */
export async function unsubscribe(
  tx: Tx,
  config: Config,
  realm: Realm,
  kind: MailKind,
  userId: number,
): Promise<boolean> {
  const account = await accountById(tx, userId);
  if (account?.realm_id !== realm.id) return false;
  const user = await lockOwnAccount(tx, account);
  const chosen = Object.fromEntries(mailKinds[kind].settings.map((name) => [name, false]));
  await updateSettings(tx, user, realmHost(config, realm), chosen);
  return true;
}
