/** Files that an earlier import did not get, for messages that it stored with a link to the old address. */
import { sql } from "kysely";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { compose } from "../../../messages/send/compose.ts";
import { reindexMessage } from "../../../messages/search/index-messages.ts";
import { traitsOf } from "../../../messages/traits.ts";
import { realmUrlWithoutRequest } from "../../../organization/realm/address.ts";
import { findAccount } from "./accounts.ts";
import type { Import } from "./import-context.ts";
import { linkText } from "./texts.ts";

/** Clients learn of it when they register anew. A message that was changed or deleted in the meantime stays as it is. */
export async function replaceLink(
  tx: Tx,
  run: Import,
  messageId: number,
  link: string,
  file: { id: number; name: string; pathId: string },
): Promise<void> {
  const { ctx, realmId, owner, source } = run;
  const message = await tx
    .selectFrom("messages")
    .select(["content", "sender_id"])
    .where("realm_id", "=", realmId)
    .where("id", "=", messageId)
    .forUpdate()
    .executeTakeFirst();
  const sender = message && (await findAccount(run, message.sender_id));
  if (!sender || !message.content.includes(link)) return;
  const text = message.content.replace(link, () => `[${linkText(file.name)}](/user_uploads/${file.pathId})`);
  const origin = realmUrlWithoutRequest(ctx.config, owner.realm);
  const { content, rendered } = await compose(ctx, tx, sender, {
    content: text,
    clientName: `${source.name} import`,
    origin,
  });
  await sql`
    update messages set content = ${content}, rendered_content = ${rendered.html}, traits = ${traitsOf(rendered)}
    where id = ${messageId}`.execute(tx);
  await reindexMessage(tx, messageId);
  await tx
    .insertInto("attachment_messages")
    .values({ attachment_id: file.id, message_id: messageId, realm_id: realmId })
    .execute();
}
