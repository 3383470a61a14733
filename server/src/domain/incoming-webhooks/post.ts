/** Posts what a service had to say, by the bot's rights; a delivery with a name of its own once, however often it comes. */
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { accessChannelForSending } from "../messages/send-access.ts";
import { sendMessage } from "../messages/send.ts";
import { sendWithin } from "../messages/send-within.ts";
import type { Report } from "./formatter.ts";
import { harmless, line } from "./markdown.ts";
import { isFirst } from "./once.ts";
import type { Place } from "./place.ts";

interface Manner {
  clientName: string;
  origin: string;
  /** What tells this message of this delivery from all others; undefined where the service gives its deliveries no name. */
  name: readonly string[] | undefined;
}

/** Longer than any topic: what is cut off here would be cut off there. */
const longestTopic = 120;

export async function post(ctx: Context, bot: User, place: Place, report: Report, manner: Manner): Promise<void> {
  const content = harmless(report.content);
  const { clientName, origin, name } = manner;
  const topic = "channel" in place ? (place.topic ?? line(report.topic, longestTopic)) : "";
  if (name === undefined) {
    const to = "channel" in place ? { type: "channel" as const, to: named(place), topic } : directly(place);
    await sendMessage(ctx, bot, { ...to, content }, { clientName, origin });
    return;
  }
  await transaction(ctx.db, "post incoming delivery", async (tx) => {
    if (!(await isFirst(tx, bot, [...name, JSON.stringify(place)]))) return;
    const to =
      "channel" in place
        ? { channelId: (await accessChannelForSending(tx, bot, place.channel)).id, topic }
        : { userIds: [place.ownerId] };
    await sendWithin(tx, ctx, bot, { to, content, clientName, origin });
  });
}

const named = ({ channel }: Extract<Place, { channel: unknown }>): number | string =>
  "id" in channel ? channel.id : channel.name;

const directly = ({ ownerId }: Extract<Place, { ownerId: number }>) => ({ type: "direct" as const, to: [ownerId] });
