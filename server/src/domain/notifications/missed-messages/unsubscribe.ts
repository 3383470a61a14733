/**
 * Unsubscribing with a link in a mail, without signing in. The token is a signature over the user and the kind of mail, so
 * that nothing has to be stored per mail. It grants nothing else and does not expire.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { SettingName } from "@skein/api/settings.ts";
import type { Config } from "../../../config.ts";
import { accountById, type Realm } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { lockOwnAccount } from "../../people/settings/access.ts";
import { updateSettings } from "../../people/settings/update.ts";

/** The kinds of mail that can be unsubscribed from, by the names in their links, with the settings that enable them. */
export const mailKinds = {
  missed_messages: {
    name: "mails about messages you missed",
    settings: [
      "enable_offline_email_notifications",
      "enable_followed_topic_email_notifications",
      "enable_stream_email_notifications",
    ],
  },
  digest: { name: "digest mails", settings: ["enable_digest_emails"] },
  login: { name: "mails about new sign-ins", settings: ["enable_login_emails"] },
  marketing: { name: "mails about the product", settings: ["enable_marketing_emails"] },
} as const satisfies Record<string, { name: string; settings: readonly SettingName[] }>;
export type MailKind = keyof typeof mailKinds;

export const isMailKind = (name: string): name is MailKind => Object.hasOwn(mailKinds, name);

const path = "/accounts/unsubscribe";
export const unsubscribePath = `${path}/:type/:token`;

type WithSecret = Pick<Config, "secret">;
type WithSecrets = Pick<Config, "secret" | "secondSecret">;

/** The path of the link; undefined on a server without a secret, which cannot sign. */
export function unsubscribeLink({ secret }: WithSecret, kind: MailKind, userId: number): string | undefined {
  return secret === "" ? undefined : `${path}/${kind}/${userId}-${sign(secret, kind, userId)}`;
}

/** The user ID of a valid token. */
export function readUnsubscribeToken(
  { secret, secondSecret }: WithSecrets,
  kind: MailKind,
  token: string,
): number | undefined {
  const [, id, signature] = /^([1-9]\d{0,14})-([\w-]{43})$/.exec(token) ?? [];
  if (id === undefined || signature === undefined) return undefined;
  const isSignedWith = (key: string) =>
    key !== "" && timingSafeEqual(Buffer.from(signature), Buffer.from(sign(key, kind, Number(id))));
  return isSignedWith(secret) || isSignedWith(secondSecret) ? Number(id) : undefined;
}

/** The secret serves several purposes; each derives its own key from it. */
const sign = (secret: string, kind: MailKind, userId: number): string =>
  createHmac("sha256", new Uint8Array(hkdfSync("sha256", secret, "", "skein unsubscribe v1", 32)))
    .update(`${kind} ${userId}`)
    .digest("base64url");

/** Returns whether there is such an account in this organization. */
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
