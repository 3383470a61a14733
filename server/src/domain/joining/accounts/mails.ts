/** The mails about joining. */
import type { Realm } from "../../../identity/account.ts";
import { confirmationUrl } from "../../administration/invitations/mail.ts";
import { composeMail } from "../../base/mail/compose.ts";
import type { Mail } from "../../base/mail/send.ts";

export function joiningMail({ name }: Realm, to: string, siteUrl: string, token: string): Mail {
  const heading = `Join ${name}`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`Somebody, probably you, asked to join ${name} with this e-mail address.`],
      action: { label: "Create your account", url: confirmationUrl(siteUrl, token) },
      notes: ["The link expires in 24 hours. If it was not you, you can ignore this mail."],
    }),
  };
}

export function accountReadyMail(
  { name }: Realm,
  to: string,
  siteUrl: string,
  { hasPassword }: { hasPassword: boolean },
): Mail {
  const heading = `Your account at ${name}`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [
        hasPassword
          ? `You have joined ${name}. Sign in with ${to} and the password you chose.`
          : `You have joined ${name}. Sign in with the identity provider that you have just used.`,
      ],
      action: { label: `Open ${name}`, url: `${siteUrl}/` },
    }),
  };
}
