/** The way of a delivery: whose it is, whether it is genuine, what it says, whether that is wanted, and where it goes. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { PageRequest } from "../../http/router.ts";
import { StaleSession, type User } from "../../http/sessions.ts";
import { accessWebhookBot, beingChanged } from "./access.ts";
import { isWanted, readFilter } from "./filter.ts";
import { MissingHeader, UnknownEvent, UnknownShape, type Formatted } from "./formatter.ts";
import type { Integration } from "./integration.ts";
import { line } from "./markdown.ts";
import { tellOfBadBody, tellOfMissingChannel, tellOfMissingHeader } from "./owner-notice.ts";
import { readPayload } from "./payload.ts";
import { placeFor } from "./place.ts";
import { post } from "./post.ts";
import { anomalousPayload, missingEventHeader, unsupportedEvent } from "./refusals.ts";
import { verifySignature } from "./signature.ts";

const attempts = 5;
/** What any sender may name its deliveries with. */
const usualDeliveryHeader = "idempotency-key";
const longestDeliveryName = 500;

/** `count` is called with each bot let in, and throws when it calls too often. */
export async function receive(
  ctx: Context,
  integration: Integration,
  request: PageRequest,
  count: (bot: User) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const bot = await accessWebhookBot(ctx, request);
    if (attempt === 1) count(bot);
    try {
      return await receiveFor(ctx, bot, integration, request);
    } catch (error) {
      // The bot changed between being let in and being heard.
      if (!(error instanceof StaleSession)) throw error;
      ctx.sessions.forget(bot.id);
      if (attempt >= attempts) throw beingChanged();
    }
  }
}

async function receiveFor(ctx: Context, bot: User, integration: Integration, request: PageRequest): Promise<void> {
  await verifySignature(ctx, bot, integration, request);
  const option = (key: string) => request.form.get(key);
  const filter = readFilter(option);
  const place = placeFor(bot, option);
  const { event, reports } = await formatted(ctx, bot, integration, request);
  if (event !== undefined && !isWanted(filter, event)) return;

  const delivery = deliveryName(integration, request);
  const clientName = `Zulip${integration.clientName}Webhook`;
  for (const [index, report] of reports.entries()) {
    const name = delivery === undefined ? undefined : [integration.name, delivery, String(index)];
    try {
      await post(ctx, bot, place, report, { clientName, origin: request.origin, name });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "STREAM_DOES_NOT_EXIST") throw error;
      // The service can do nothing about it, and would give up on an address that refuses it.
      return tellOfMissingChannel(ctx, bot, option("stream") ?? "");
    }
  }
}

const deliveryName = ({ deliveryHeader }: Integration, { header }: PageRequest): string | undefined =>
  (header(usualDeliveryHeader) ?? (deliveryHeader === undefined ? undefined : header(deliveryHeader)))?.slice(
    0,
    longestDeliveryName,
  );

/** Where the delivery cannot be used, those are told who can do something about it: service, owner, operator. */
async function formatted(ctx: Context, bot: User, integration: Integration, request: PageRequest): Promise<Formatted> {
  const { displayName } = integration;
  try {
    const payload = readPayload(request);
    return integration.format({ payload, header: request.header, option: (key) => request.form.get(key) });
  } catch (error) {
    if (error instanceof ApiError && error.code === "INVALID_JSON") await tellOfBadBody(ctx, bot, displayName);
    if (error instanceof MissingHeader) {
      await tellOfMissingHeader(ctx, bot, displayName, error.header);
      throw missingEventHeader(error.header);
    }
    if (error instanceof UnknownEvent) {
      const event = line(error.event);
      logOnce(ctx, integration, event, {});
      throw unsupportedEvent(displayName, event);
    }
    if (error instanceof UnknownShape) {
      logOnce(ctx, integration, error.event ?? "", { path: error.path });
      throw anomalousPayload(displayName, error.event);
    }
    throw error;
  }
}

const mostLogged = 1000;
const logged = new WeakMap<Context, Set<string>>();

/** Of each kind of delivery nobody has words for, one line: services send them by the thousand. */
function logOnce(ctx: Context, { name }: Integration, event: string, details: { path?: string }): void {
  const known = logged.get(ctx) ?? new Set();
  logged.set(ctx, known);
  const kind = `${name} ${event} ${details.path ?? ""}`;
  if (known.has(kind) || known.size >= mostLogged) return;
  known.add(kind);
  ctx.logger.warn({ integration: name, event, ...details }, "an incoming webhook delivered something unknown");
}
