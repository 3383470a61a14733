/** Posts a report with the bot's permissions. A delivery with an id is posted once, however often it is redelivered. */
import type { Context } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { accessChannelForSending } from "../../messages/send/send-access.ts";
import { sendMessage } from "../../messages/send/send.ts";
import { sendWithin } from "../../messages/send/send-within.ts";
import type { Report } from "./formatter.ts";
import { harmless, line } from "./markdown.ts";
import { isFirst } from "./once.ts";
import type { Place } from "./place.ts";

interface SendOptions {
  clientName: string;
  origin: string;
  /** Identifies this message of this delivery; undefined if the service gives its deliveries no id. */
  name: readonly string[] | undefined;
}

/** Longer than any topic may be; the topic is truncated again later. */
const maxTopicLength = 120;

export async function post(ctx: Context, bot: User, place: Place, report: Report, options: SendOptions): Promise<void> {
  const content = harmless(report.content);
  const { clientName, origin, name } = options;
  const topic = "channel" in place ? (place.topic ?? line(report.topic, maxTopicLength)) : "";
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
