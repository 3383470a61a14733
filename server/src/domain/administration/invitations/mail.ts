/** The mail that carries an invitation. */
import { z } from "zod";
import type { User } from "../../../identity/account.ts";
import { purpose } from "../../base/confirmations.ts";
import { composeMail } from "../../base/mail/compose.ts";
import type { Mail } from "../../base/mail/send.ts";

/** The link in the mail. Its validity depends on the invitation, which may have been sent several times. */
export const invitationPurpose = purpose({ name: "invitation", data: z.strictObject({ invitation_id: z.int() }) });

export const confirmationUrl = (siteUrl: string, token: string): string => `${siteUrl}/accounts/do_confirm/${token}`;

interface SentInvitation {
  email: string;
  site_url: string;
  expires_at: Date | null;
}

export function invitationMail(inviter: User, { email, site_url, expires_at }: SentInvitation, token: string): Mail {
  const { name } = inviter.realm;
  const heading = `${inviter.full_name} invited you to ${name}`;
  return {
    to: email,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`${name} uses Skein, a team chat that organizes conversations by topic.`],
      action: { label: "Create your account", url: confirmationUrl(site_url, token) },
      notes: [
        ...(expires_at ? [`The invitation expires on ${dateText(expires_at)}.`] : []),
        `If you do not know ${inviter.full_name} or ${name}, you can ignore this mail. No account is created unless you accept.`,
      ],
    }),
  };
}

const dateText = (date: Date): string =>
  `${date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })} UTC`;
