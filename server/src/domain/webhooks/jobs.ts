/**
 * Handing a message on to the service behind an outgoing-webhook bot, and posting what it answers.
 *
 * A delivery is there (a row of `webhook_deliveries`) until it is over. A worker takes it for a while, asks the service,
 * and ends it in one transaction with what follows: the bot's reply, or word of the failure. So whoever dies at whichever
 * point, and however many workers try, the service may be asked twice, but nothing is posted twice.
 */
import { webhookInterfaces } from "@skein/api/bots.ts";
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { accountById, StaleSession, type User } from "../../http/sessions.ts";
import { enqueue, job } from "../../jobs/job.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { OutboundError } from "../../platform/outbound.ts";
import { openToken } from "../bots/sealed-bot.ts";
import { fetchMessage } from "../messages/fetch.ts";
import { realmHost } from "../realm/address.ts";
import { failure, judge, type Verdict } from "./answer.ts";
import { conclude } from "./conclude.ts";
import { webhookDelivery, type Delivery } from "./delivery.ts";
import { genericBody, slackBody, type HandedMessage } from "./payload.ts";

/** The first time and three more. */
const maxTries = 4;
/** After the first; then three times as long, and so on. */
const pauseMilliseconds = 2000;
const requestMilliseconds = 10_000;
const maxAnswerBytes = 256 * 1024;
const maxRedirects = 3;
/** Longer than a request and all around it can take. */
const takenSeconds = 30;
const staleAttempts = 5;

export const deliverWebhook = job({ ...webhookDelivery, run: deliver });

async function deliver(ctx: Context, delivery: Delivery): Promise<void> {
  const tries = await take(ctx, delivery);
  if (tries === undefined) return;
  const call = await prepare(ctx, delivery);
  if (!call) return giveUp(ctx, delivery);
  const verdict = tries > maxTries ? unreachable("The last attempt broke off.") : await ask(ctx, delivery, call, tries);
  if (verdict === "again") await postpone(ctx, delivery, tries);
  else await conclude(ctx, { ...delivery, handed: call.handed }, verdict);
}

/** Which try this is; undefined when the delivery is over. */
async function take({ db }: Context, { message_id, bot_id }: Delivery): Promise<number | undefined> {
  const { rows } = await sql<{ tries: number }>`
    update webhook_deliveries
    set tries = tries + 1, taken_until = now() + make_interval(secs => ${takenSeconds})
    where message_id = ${message_id} and bot_id = ${bot_id} and (taken_until is null or taken_until < now())
    returning tries`.execute(db);
  if (rows[0]) return rows[0].tries;
  const open = await db
    .selectFrom("webhook_deliveries")
    .select("tries")
    .where("message_id", "=", message_id)
    .where("bot_id", "=", bot_id)
    .executeTakeFirst();
  if (open) throw new Error("another worker is handing the message on; its end is waited for");
  return undefined;
}

async function giveUp({ db }: Context, { message_id, bot_id }: Delivery): Promise<void> {
  await db.deleteFrom("webhook_deliveries").where("message_id", "=", message_id).where("bot_id", "=", bot_id).execute();
}

/** A service that cannot be reached is no failure of ours, so that it is put off and not left to the job queue. */
async function postpone({ db }: Context, delivery: Delivery, tries: number): Promise<void> {
  await transaction(db, "postpone webhook delivery", async (tx) => {
    await tx
      .updateTable("webhook_deliveries")
      .set({ taken_until: null })
      .where("message_id", "=", delivery.message_id)
      .where("bot_id", "=", delivery.bot_id)
      .execute();
    await enqueue(tx, webhookDelivery, delivery, {
      runAt: new Date(Date.now() + pauseMilliseconds * 3 ** (tries - 1)),
    });
  });
}

interface Call {
  bot: User;
  url: string;
  interface: number;
  token: string | undefined;
  handed: HandedMessage;
}

/** All that a request needs; undefined when there is nothing to hand on any more, or the bot may not read it. */
async function prepare(ctx: Context, { message_id, bot_id }: Delivery): Promise<Call | undefined> {
  for (let attempt = 1; ; attempt++) {
    const bot = await accountById(ctx.db, bot_id);
    const service = await ctx.db
      .selectFrom("outgoing_webhooks")
      .select(["base_url as url", "interface", "sealed_token"])
      .where("bot_id", "=", bot_id)
      .executeTakeFirst();
    if (!bot || !service) return undefined;
    const form = { apply_markdown: true, empty_topic_name: true, client_gravatar: false };
    try {
      const { message, content } = await fetchMessage(ctx, bot, message_id, form);
      const { flags: _, ...shown } = message;
      const handed = { message: shown, content, rendered: message.content };
      const { sealed_token, ...where } = service;
      return { bot, ...where, token: openToken(ctx.secretBox, bot_id, sealed_token), handed };
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      // The bot's account changed at this moment.
      if (!(error instanceof StaleSession) || attempt >= staleAttempts) throw error;
    }
  }
}

const unreachable = (details: string): Verdict => failure("The webhook could not be reached.", details);

async function ask(ctx: Context, delivery: Delivery, call: Call, tries: number): Promise<Verdict | "again"> {
  const { bot, handed, token, url } = call;
  if (token === undefined)
    return failure(
      "The webhook's token cannot be read.",
      "The server's secret is no longer the one it was sealed with: its operator has to bring SKEIN_SECRET back.",
    );
  const isSlack = call.interface === webhookInterfaces.slack;
  if (isSlack && handed.message.type === "private")
    return failure("Slack-style webhooks take no direct messages.", "Mention the bot in a channel instead.");
  const handing = { bot, host: realmHost(ctx.config, bot.realm), trigger: delivery.trigger, token, handed };
  try {
    const answer = await ctx.outbound.request(url, {
      method: "POST",
      ...(isSlack ? slackBody(handing) : genericBody(handing)),
      timeoutMs: requestMilliseconds,
      maxBytes: maxAnswerBytes,
      redirects: maxRedirects,
    });
    return judge(answer, call.interface);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const isPassing = error.failure === "timeout" || error.failure === "unreachable";
    return isPassing && tries < maxTries ? "again" : unreachable(`The reason: ${error.message}.`);
  }
}
