/** Where an outgoing-webhook bot hands on what is said to it. */
import { randomBytes } from "node:crypto";
import { maxWebhookUrlLength, webhookInterfaces } from "@skein/api/bots.ts";
import { ApiError } from "../../errors.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { sealToken, type SealedService } from "./sealed-bot.ts";

interface NewService {
  botId: number;
  realmId: number;
  name: string;
  url: string;
  interfaceType: number;
}

export async function addWebhookService(tx: Tx, box: SecretBox, service: NewService): Promise<void> {
  const token = randomBytes(24).toString("base64url");
  await tx
    .insertInto("outgoing_webhooks")
    .values({
      bot_id: service.botId,
      realm_id: service.realmId,
      name: service.name,
      base_url: service.url,
      interface: service.interfaceType,
      sealed_token: sealToken(box, service.botId, token),
    })
    .execute();
}

/** The token stays: it is the bot's for good. */
export async function updateWebhookService(
  tx: Tx,
  bot: { id: number; realm_id: number },
  change: { base_url?: string; interface?: number },
): Promise<SealedService> {
  const changed = await tx
    .updateTable("outgoing_webhooks")
    .set(change)
    .where("realm_id", "=", bot.realm_id)
    .where("bot_id", "=", bot.id)
    .returning(["base_url", "interface", "sealed_token"])
    .executeTakeFirst();
  if (!changed) throw new ApiError("Not an outgoing webhook bot");
  return changed;
}

/** Whether the address may be reached is judged when it is, by what its name leads to then. */
export function checkWebhookUrl(url: string, parameter: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.hostname === "" || url.length > maxWebhookUrlLength)
    throw new ApiError(`${parameter} is not a URL`);
  return url;
}

export function checkInterface(type: number): number {
  if (!Object.values(webhookInterfaces).some((known) => known === type)) throw new ApiError("Invalid interface type");
  return type;
}
