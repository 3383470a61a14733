/** Handles a delivery: authentication, signature, formatting, filters, posting. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { PageRequest } from "../../../http/page.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import { accessWebhookBot, accountIsChanging } from "./access.ts";
import { passesFilter, readFilter } from "./filter.ts";
import { MissingHeader, UnknownEvent, UnknownShape, type Formatted } from "./formatter.ts";
import type { Integration } from "./integration.ts";
import { line } from "./markdown.ts";
import { notifyOfInvalidBody, notifyOfMissingChannel, notifyOfMissingHeader } from "./owner-notice.ts";
import { readPayload } from "./payload.ts";
import { placeFor } from "./place.ts";
import { post } from "./post.ts";
import { anomalousPayload, missingEventHeader, unsupportedEvent } from "./refusals.ts";
import { verifySignature } from "./signature.ts";

const attempts = 5;
/** A header in which any service may send a delivery id. */
const usualDeliveryHeader = "idempotency-key";
const maxDeliveryIdLength = 500;

/** `count` is called with each authenticated bot, and throws if it exceeds the rate limit. */
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
      // The bot changed after it was authenticated.
      if (!(error instanceof StaleSession)) throw error;
      ctx.sessions.forget(bot.id);
      if (attempt >= attempts) throw accountIsChanging();
    }
  }
}

async function receiveFor(ctx: Context, bot: User, integration: Integration, request: PageRequest): Promise<void> {
  await verifySignature(ctx, bot, integration, request);
  const option = (key: string) => request.form.get(key);
  const filter = readFilter(option);
  const place = placeFor(bot, option);
  const { event, reports } = await formatted(ctx, bot, integration, request);
  if (event !== undefined && !passesFilter(filter, event)) return;

  const delivery = deliveryName(integration, request);
  const clientName = `Zulip${integration.clientName}Webhook`;
  for (const [index, report] of reports.entries()) {
    const name = delivery === undefined ? undefined : [integration.name, delivery, String(index)];
    try {
      await post(ctx, bot, place, report, { clientName, origin: request.origin, name });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "STREAM_DOES_NOT_EXIST") throw error;
      // The service cannot fix this, and might disable a webhook that returns errors.
      return notifyOfMissingChannel(ctx, bot, option("stream") ?? "");
    }
  }
}

const deliveryName = ({ deliveryHeader }: Integration, { header }: PageRequest): string | undefined =>
  (header(usualDeliveryHeader) ?? (deliveryHeader === undefined ? undefined : header(deliveryHeader)))?.slice(
    0,
    maxDeliveryIdLength,
  );

/** If the delivery cannot be used, informs those who can fix it: the service, the owner or the operator. */
async function formatted(ctx: Context, bot: User, integration: Integration, request: PageRequest): Promise<Formatted> {
  const { displayName } = integration;
  try {
    const payload = readPayload(request);
    return integration.format({ payload, header: request.header, option: (key) => request.form.get(key) });
  } catch (error) {
    if (error instanceof ApiError && error.code === "INVALID_JSON") await notifyOfInvalidBody(ctx, bot, displayName);
    if (error instanceof MissingHeader) {
      await notifyOfMissingHeader(ctx, bot, displayName, error.header);
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

const maxLoggedKinds = 1000;

/** Logs each kind of unknown delivery once, because services send them by the thousand. */
function logOnce(ctx: Context, { name }: Integration, event: string, details: { path?: string }): void {
  const known = ctx.memory.loggedDeliveries;
  const kind = `${name} ${event} ${details.path ?? ""}`;
  if (known.has(kind) || known.size >= maxLoggedKinds) return;
  known.add(kind);
  ctx.logger.warn({ integration: name, event, ...details }, "an incoming webhook received an unknown delivery");
}
