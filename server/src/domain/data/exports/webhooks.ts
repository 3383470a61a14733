import type { Db } from "../../../platform/db/connect.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { openUrl } from "../../people/bots/sealed-bot.ts";

/**
 * The services that outgoing webhooks forward messages to, without their tokens. Their addresses are sealed in the database,
 * because they are often secrets themselves: only the operator can export them, to a file of their own.
 */
export async function* listWebhooks(tx: Db, box: SecretBox, realmId: number): AsyncGenerator<string> {
  const rows = await tx
    .selectFrom("outgoing_webhooks")
    .select(["bot_id", "name", "interface", "base_url", "sealed_base_url"])
    .where("realm_id", "=", realmId)
    .orderBy("bot_id")
    .execute();
  for (const { bot_id, name, interface: kind, ...sealed } of rows)
    yield JSON.stringify({ bot_id, name, url: openUrl(box, bot_id, sealed) ?? null, interface: kind });
}
