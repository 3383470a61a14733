/** What people who join are mailed. */
import type { Realm } from "../../http/sessions.ts";
import { confirmationUrl } from "../invitations/mail.ts";
import { composeMail } from "../mail/compose.ts";
import type { Mail } from "../mail/send.ts";

export function joiningMail({ name }: Realm, to: string, siteUrl: string, token: string): Mail {
  const heading = `Join ${name}`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`Somebody, most likely you, wants to join ${name} with this address.`],
      action: { label: "Make your account", url: confirmationUrl(siteUrl, token) },
      notes: ["The link can be used for a day. If it was not you, there is nothing to do."],
    }),
  };
}

export function accountReadyMail({ name }: Realm, to: string, siteUrl: string): Mail {
  const heading = `Your account at ${name}`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`You have joined ${name}. Sign in with ${to} and the password you have chosen.`],
      action: { label: `Open ${name}`, url: `${siteUrl}/` },
    }),
  };
}
