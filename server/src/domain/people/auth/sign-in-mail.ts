/** Mails people about sign-ins from devices they have not used before, so that they notice if it was somebody else. */
import type { Context } from "../../../context.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isEmail } from "../../base/email-address.ts";
import { composeMail } from "../../base/mail/compose.ts";
import { sendMail, type Mail } from "../../base/mail/send.ts";
import { settingOf } from "../settings/state.ts";

export interface NewSignIn {
  /** The app, or how the browser describes itself. */
  client: string;
  ip: string;
}

/** Somebody who has just joined need not be told. */
const newcomerMilliseconds = 60_000;

/** Mails the account's holder, unless they do not want that, or have just joined. */
export async function mailNewSignIn(
  tx: Tx,
  { config }: Pick<Context, "config">,
  account: { id: number; realm_id: number },
  signIn: NewSignIn,
): Promise<void> {
  if (config.smtpUrl === "") return;
  const found = await tx
    .selectFrom("users as u")
    .innerJoin("realms as r", "r.id", "u.realm_id")
    .select(["u.delivery_email", "u.settings", "u.date_joined", "r.name"])
    .where("u.id", "=", account.id)
    .where("u.realm_id", "=", account.realm_id)
    .where("u.is_bot", "=", false)
    .executeTakeFirst();
  if (!found || !isEmail(found.delivery_email) || !settingOf(found, "enable_login_emails")) return;
  if (Date.now() - found.date_joined.getTime() < newcomerMilliseconds) return;
  await sendMail(tx, { id: account.realm_id }, signInMail(found.name, found.delivery_email, signIn));
}

/** The same for an app, unless one of this name has been used from this IP address. */
export async function mailNewApp(
  tx: Tx,
  ctx: Pick<Context, "config">,
  account: { id: number; realm_id: number },
  signIn: NewSignIn,
): Promise<void> {
  const known = await tx
    .selectFrom("api_keys")
    .select("id")
    .where("realm_id", "=", account.realm_id)
    .where("user_id", "=", account.id)
    .where("client_name", "=", signIn.client)
    .where("last_used_ip", "=", signIn.ip)
    .limit(1)
    .executeTakeFirst();
  if (!known) await mailNewSignIn(tx, ctx, account, signIn);
}

function signInMail(organization: string, to: string, { client, ip }: NewSignIn): Mail {
  const heading = `New sign-in to ${organization}`;
  const time = new Date().toISOString().slice(0, 16).replace("T", " ");
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [
        `Somebody, probably you, signed in to your account at ${organization} from a new device.`,
        `Time: ${time} UTC\nDevice: ${client === "" ? "unknown" : client}\nIP address: ${ip}`,
      ],
      notes: [
        "If it was you, you can ignore this mail.",
        `If it was not you, reset your password, revoke the sessions and API keys you do not recognize, and contact the administrators of ${organization}.`,
        "You can turn off these mails in your notification settings.",
      ],
    }),
  };
}
