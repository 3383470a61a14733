/** What the invited read. */
import { z } from "zod";
import type { User } from "../../http/sessions.ts";
import { purpose } from "../confirmations/confirmations.ts";
import { composeMail } from "../mail/compose.ts";
import type { Mail } from "../mail/send.ts";

/** The link in the mail. What it is worth is decided by the invitation, which may have been sent several times. */
export const invitationPurpose = purpose({ name: "invitation", data: z.strictObject({ invitation_id: z.int() }) });

export const confirmationUrl = (siteUrl: string, token: string): string => `${siteUrl}/accounts/do_confirm/${token}`;

interface Invited {
  email: string;
  site_url: string;
  expires_at: Date | null;
}

export function invitationMail(inviter: User, { email, site_url, expires_at }: Invited, token: string): Mail {
  const { name } = inviter.realm;
  const heading = `${inviter.full_name} invites you to ${name}`;
  return {
    to: email,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [`${name} talks on Skein, a team chat that keeps conversations apart by topic. Come and join.`],
      action: { label: "Make your account", url: confirmationUrl(site_url, token) },
      notes: [
        ...(expires_at ? [`The link can be used until ${dateText(expires_at)}.`] : []),
        `If you do not know ${inviter.full_name} or ${name}, there is nothing to do: without you there will be no account.`,
      ],
    }),
  };
}

const dateText = (date: Date): string =>
  `${date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })} UTC`;
