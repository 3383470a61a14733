/** What a reminder says: the message, quoted as it is now, and the user's note. */
import type { TxContext } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import { silentMention } from "../../base/mention-syntax.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { pathTo, quotation, type QuotedMessage } from "../quoted-message.ts";

export function reminderText(ctx: Pick<TxContext, "config">, user: User, message: QuotedMessage, note: string): string {
  const url = realmUrlWithoutRequest(ctx.config, user.realm) + pathTo(message, user);
  const author = silentMention(message.sender);
  const what = message.channel ? "message" : "direct message";
  return [
    `You requested a reminder for the following ${what}.`,
    ...noted(note),
    "",
    ...(message.widget === null
      ? [`${author} [said](${url}):`, quotation(message.content)]
      : [`${author} [sent](${url}) a ${message.widget}.`]),
  ].join("\n");
}

/** For a message that is not readable any more. */
export const lostReminderText = (note: string): string =>
  ["You requested a reminder for a message that you can no longer read.", ...noted(note)].join("\n");

const noted = (note: string): string[] => (note === "" ? [] : ["", "Note:", quotation(note)]);
