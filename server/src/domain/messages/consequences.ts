/** Everything a message can bring with it, in the order it is seen to. */
import type { Context } from "../../context.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { alertFlags } from "../alert-words/on-send.ts";
import { linksPreviewed } from "../previews/on-send.ts";
import { widgetStored } from "../submessages/on-send.ts";
import { filesCarried } from "../uploads/on-send.ts";
import { automaticVisibility } from "../user-topics/on-send.ts";
import { outgoingWebhooks } from "../webhooks/on-send.ts";
import type { ComposedText, Consequence, Outcome, SentMessage } from "./consequence.ts";
import { mentionFlags } from "./mentions.ts";

const consequences: Consequence[] = [
  mentionFlags,
  alertFlags,
  automaticVisibility,
  widgetStored,
  filesCarried,
  linksPreviewed,
  outgoingWebhooks,
];

export const hasConsequences = (text: ComposedText): boolean => consequences.some(({ isDue }) => isDue(text));

export async function applyConsequences(tx: Tx, ctx: Context, sent: SentMessage): Promise<Outcome> {
  const outcome: Outcome = {};
  for (const { apply } of consequences) Object.assign(outcome, await apply(tx, ctx, sent));
  return outcome;
}
