/**
 * Delivers a message to the service behind an outgoing webhook bot, and posts its reply.
 *
 * A delivery is a row of `webhook_deliveries` until it is done. A worker claims it for a while, calls the service, and
 * deletes it in one transaction with the result: the bot's reply, or a notice of the failure. So if a worker dies, the
 * service may be called twice, but nothing is posted twice.
 */
import { webhookInterfaces } from "@skein/api/bots.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import { accountById, type User } from "../../../identity/account.ts";
import { enqueue, job } from "../../../jobs/job.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import type { OutgoingWebhookOutcome } from "../../../platform/metrics.ts";
import { OutboundError } from "../../../platform/outbound.ts";
import { openToken, openUrl } from "../../people/bots/sealed-bot.ts";
import { fetchMessage } from "../../messages/fetch/fetch.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { failure, interpretResponse, requestFailed, type WebhookResult } from "./response.ts";
import { conclude } from "./conclude.ts";
import { webhookDelivery, type Delivery } from "./delivery.ts";
import { genericBody, slackBody, type WebhookMessage } from "./payload.ts";

/** One attempt and three retries. */
const maxTries = 4;
/** The delay after the first attempt; it triples after each further one. */
const pauseMilliseconds = 2000;
const requestMilliseconds = 10_000;
const maxAnswerBytes = 256 * 1024;
const maxRedirects = 3;
/** Longer than a request and its processing can take. */
const claimSeconds = 30;
const staleAttempts = 5;

export const deliverWebhook = job({ ...webhookDelivery, run: deliver });

async function deliver(ctx: Context, delivery: Delivery): Promise<void> {
  const tries = await take(ctx, delivery);
  if (tries === undefined) return;
  const call = await prepare(ctx, delivery);
  if (!call) return giveUp(ctx, delivery);
  const end = ctx.metrics.outgoingWebhooks.startTimer();
  const result = tries > maxTries ? responseLost : await ask(ctx, delivery, call, tries);
  end({ outcome: outcomeOf(result) });
  if (result === "again") await postpone(ctx, delivery, tries);
  else await conclude(ctx, { ...delivery, delivered: call.delivered }, result);
}

function outcomeOf(result: WebhookResult | "again"): OutgoingWebhookOutcome {
  if (result === "again") return "retried";
  if (result.kind === "failure") return "failed";
  return result.kind === "reply" ? "replied" : "accepted";
}

/** The number of this attempt; undefined if the delivery is done. */
async function take({ db }: Context, { message_id, bot_id }: Delivery): Promise<number | undefined> {
  const { rows } = await sql<{ tries: number }>`
    update webhook_deliveries
    set tries = tries + 1, taken_until = now() + make_interval(secs => ${claimSeconds})
    where message_id = ${message_id} and bot_id = ${bot_id} and (taken_until is null or taken_until < now())
    returning tries`.execute(db);
  if (rows[0]) return rows[0].tries;
  const open = await db
    .selectFrom("webhook_deliveries")
    .select("tries")
    .where("message_id", "=", message_id)
    .where("bot_id", "=", bot_id)
    .executeTakeFirst();
  if (open) throw new Error("another worker is delivering the message; waiting for it to finish");
  return undefined;
}

async function giveUp({ db }: Context, { message_id, bot_id }: Delivery): Promise<void> {
  await db.deleteFrom("webhook_deliveries").where("message_id", "=", message_id).where("bot_id", "=", bot_id).execute();
}

/** An unreachable service is not a failure of the job, so the retry is scheduled here and not by the job queue. */
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
  url: string | undefined;
  interface: number;
  token: string | undefined;
  delivered: WebhookMessage;
}

/** Everything the request needs; undefined if the message is gone or the bot may not read it. */
async function prepare(ctx: Context, { message_id, bot_id }: Delivery): Promise<Call | undefined> {
  for (let attempt = 1; ; attempt++) {
    const bot = await accountById(ctx.db, bot_id);
    const service = await ctx.db
      .selectFrom("outgoing_webhooks")
      .select(["base_url", "sealed_base_url", "interface", "sealed_token"])
      .where("bot_id", "=", bot_id)
      .executeTakeFirst();
    if (!bot || !service) return undefined;
    const form = { apply_markdown: true, empty_topic_name: true, client_gravatar: false };
    try {
      const { message, content } = await fetchMessage(ctx, bot, message_id, form);
      const { flags: _, ...shown } = message;
      const delivered = { message: shown, content, rendered: message.content };
      const url = openUrl(ctx.secretBox, bot_id, service);
      const token = openToken(ctx.secretBox, bot_id, service.sealed_token);
      return { bot, url, interface: service.interface, token, delivered };
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      // The bot's account changed in the meantime.
      if (!(error instanceof StaleSession) || attempt >= staleAttempts) throw error;
    }
  }
}

/** Every worker that claimed the delivery died before it got a response. */
const responseLost = failure(
  "The webhook was called, but its response was lost.",
  "The server stopped during the call.",
);

async function ask(ctx: Context, delivery: Delivery, call: Call, tries: number): Promise<WebhookResult | "again"> {
  const { bot, delivered, token, url } = call;
  if (token === undefined || url === undefined)
    return failure(
      "The webhook's URL or token cannot be decrypted.",
      "It was encrypted with a different SKEIN_SECRET. The server's operator has to restore that setting.",
    );
  const isSlack = call.interface === webhookInterfaces.slack;
  if (isSlack && delivered.message.type === "private")
    return failure("Slack-style webhooks do not support direct messages.", "Mention the bot in a channel instead.");
  const details = { bot, host: realmHost(ctx.config, bot.realm), trigger: delivery.trigger, token, delivered };
  try {
    const answer = await ctx.outbound.request(url, {
      method: "POST",
      ...(isSlack ? slackBody(details) : genericBody(details)),
      timeoutMs: requestMilliseconds,
      maxBytes: maxAnswerBytes,
      redirects: maxRedirects,
    });
    return interpretResponse(answer, call.interface);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const isPassing = error.failure === "timeout" || error.failure === "unreachable";
    return isPassing && tries < maxTries ? "again" : requestFailed(error);
  }
}
