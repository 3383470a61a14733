/** The service that an outgoing-webhook bot forwards messages to. */
import { randomBytes } from "node:crypto";
import { maxWebhookUrlLength, webhookInterfaces } from "@skein/api/bots.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Chore } from "../../../jobs/chore.ts";
import { hasWorkerWithoutSeals } from "../../../jobs/lost-workers.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { sealToken, sealUrl, withoutPlainUrl, type SealedService } from "../../people/bots/sealed-bot.ts";

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
      ...addressColumns(box, service.botId, service.url),
      interface: service.interfaceType,
      sealed_token: sealToken(box, service.botId, token),
    })
    .execute();
}

/** Does not change the token. */
export async function updateWebhookService(
  tx: Tx,
  box: SecretBox,
  bot: { id: number; realm_id: number },
  { url, ...change }: { url?: string; interface?: number },
): Promise<SealedService> {
  const changed = await tx
    .updateTable("outgoing_webhooks")
    .set({ ...change, ...(url === undefined ? {} : addressColumns(box, bot.id, url)) })
    .where("realm_id", "=", bot.realm_id)
    .where("bot_id", "=", bot.id)
    .returning(["base_url", "sealed_base_url", "interface", "sealed_token"])
    .executeTakeFirst();
  if (!changed) throw new ApiError("Not an outgoing webhook bot");
  return withoutPlainUrl(changed);
}

/** The URL is often the only secret needed to post to a service, so it is stored encrypted. */
const addressColumns = (box: SecretBox, botId: number, url: string) => ({
  base_url: sql<string>`case when ${hasWorkerWithoutSeals} then ${url} else '' end`,
  sealed_base_url: sealUrl(box, botId, url),
});

const batchSize = 500;

/** Encrypts URLs that an earlier release stored as plain text. Returns whether there may be more. */
export async function sealWebhookAddresses(tx: Tx, box: SecretBox): Promise<boolean> {
  if (!box.canSeal) return false;
  const { rows } = await sql<{ bot_id: number; base_url: string }>`
    select bot_id, base_url from outgoing_webhooks where base_url <> '' and not ${hasWorkerWithoutSeals}
    order by bot_id limit ${batchSize} for update skip locked`.execute(tx);
  if (rows.length === 0) return false;
  const sealed = rows.map(({ bot_id, base_url }) => sealUrl(box, bot_id, base_url));
  await sql`
    update outgoing_webhooks w set base_url = '', sealed_base_url = new.sealed
    from unnest(${rows.map((row) => row.bot_id)}::bigint[], ${sealed}::text[]) as new (bot_id, sealed)
    where w.bot_id = new.bot_id`.execute(tx);
  return rows.length === batchSize;
}

export const sealStoredWebhookAddresses: Chore = {
  name: "sealing webhook addresses",
  everyMilliseconds: 30_000,
  run: async ({ db, secretBox }) => {
    while (await transaction(db, "seal webhook addresses", (tx) => sealWebhookAddresses(tx, secretBox)));
  },
};

/** Whether the URL may be contacted is checked on each request, against the IP addresses that its name resolves to. */
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
