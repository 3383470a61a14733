import type { User } from "../../../identity/account.ts";
import { composeMail } from "../../base/mail/compose.ts";
import type { Mail } from "../../base/mail/send.ts";

/** Notifies a user that their account was deactivated, with the actor's comment, if any. */
export function deactivationMail(actor: User, email: string, comment: string): Mail {
  const heading = `Your account at ${actor.realm.name} was deactivated`;
  const text = comment.trim();
  return {
    to: email,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [
        `${actor.full_name} deactivated your account. You can no longer sign in. Your messages are kept.`,
        ...(text === "" ? [] : [`${actor.full_name} wrote: ${text}`]),
      ],
    }),
  };
}
