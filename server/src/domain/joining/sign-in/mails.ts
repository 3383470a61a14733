/** The mails about signing in. */
import type { Realm } from "../../../identity/account.ts";
import { composeMail } from "../../base/mail/compose.ts";
import type { Mail } from "../../base/mail/send.ts";

export function resetMail({ name }: Realm, to: string, url: string): Mail {
  const heading = `Reset your password for ${name}`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`Somebody, probably you, asked to reset the password of your account at ${name}.`],
      action: { label: "Choose a new password", url },
      notes: [
        "The link works once and expires in 24 hours.",
        "If it was not you, you can ignore this mail. Your password has not changed.",
      ],
    }),
  };
}

export function noAccountMail({ name }: Realm, to: string, siteUrl: string): Mail {
  const heading = `No account at ${name}`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [
        `Somebody, probably you, asked to reset the password for ${to}, but there is no account with this address at ${name}.`,
        "You may have signed up with a different address.",
      ],
      action: { label: "Find your accounts", url: `${siteUrl}/accounts/find/` },
      notes: ["If it was not you, you can ignore this mail."],
    }),
  };
}

export function passwordChangedMail({ name }: Realm, to: string): Mail {
  const heading = `Your password for ${name} was changed`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [
        `The password of your account at ${name} was reset with a link sent to this address. All browsers were signed out.`,
      ],
      notes: [`If it was not you, contact the administrators of ${name} immediately.`],
    }),
  };
}

export interface FoundAccount {
  realm: string;
  url: string;
}

export function foundAccountsMail(to: string, found: readonly FoundAccount[]): Mail {
  const heading = found.length === 0 ? "No accounts found" : "Your accounts";
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs:
        found.length === 0
          ? [`There is no account for ${to} on this server. You may have signed up with a different address.`]
          : [
              `You have an account for ${to} in these organizations:`,
              ...found.map(({ realm, url }) => `${realm}: ${url}`),
            ],
      notes: ["If you did not ask for this list, you can ignore this mail."],
    }),
  };
}
