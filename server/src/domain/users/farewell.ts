import type { User } from "../../http/sessions.ts";
import { composeMail } from "../mail/compose.ts";
import type { Mail } from "../mail/send.ts";

/** What somebody reads whose account was closed, with the words of who closed it, if there are any. */
export function farewellMail(actor: User, email: string, comment: string): Mail {
  const heading = `Your account in ${actor.realm.name} is closed`;
  const words = comment.trim();
  return {
    to: email,
    subject: heading,
    ...composeMail({
      heading,
      paragraphs: [
        `${actor.full_name} has closed your account. You can no longer sign in; what you wrote stays where it is.`,
        ...(words === "" ? [] : [`${actor.full_name} writes: ${words}`]),
      ],
    }),
  };
}
