/** What people are mailed about signing in. */
import type { Realm } from "../../http/sessions.ts";
import { composeMail } from "../mail/compose.ts";
import type { Mail } from "../mail/send.ts";

export function resetMail({ name }: Realm, to: string, url: string): Mail {
  const heading = `A new password for ${name}`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`Somebody, most likely you, has forgotten the password of your account at ${name}.`],
      action: { label: "Choose a new password", url },
      notes: [
        "The link can be used once, within a day.",
        "If it was not you, there is nothing to do: your password stays what it is.",
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
        `Somebody, most likely you, asked for a new password, but there is no account for ${to} at ${name}.`,
        "Perhaps you have joined with another address.",
      ],
      action: { label: "Look for your accounts", url: `${siteUrl}/accounts/find/` },
      notes: ["If it was not you, there is nothing to do."],
    }),
  };
}

export function passwordChangedMail({ name }: Realm, to: string): Mail {
  const heading = `Your password for ${name} has changed`;
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [
        `Your account at ${name} has a new password, chosen by a link in a mail to this address. All browsers were signed out.`,
      ],
      notes: [`If it was not you, tell the administrators of ${name} at once.`],
    }),
  };
}

export interface FoundAccount {
  realm: string;
  url: string;
}

export function foundAccountsMail(to: string, found: readonly FoundAccount[]): Mail {
  const heading = found.length === 0 ? "No accounts were found" : "Your accounts";
  return {
    to,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs:
        found.length === 0
          ? [`No organization here has an account for ${to}. Perhaps you have joined with another address.`]
          : [`These organizations have an account for ${to}:`, ...found.map(({ realm, url }) => `${realm}: ${url}`)],
      notes: ["If it was not you who asked, there is nothing to do."],
    }),
  };
}
