import type { Submessage } from "@skein/api/submessages.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { makeVisibleToParticipant } from "../topic-following/on-participate.ts";
import { accessMessageForAdding } from "./access.ts";

type Addition = Pick<Submessage, "message_id" | "msg_type" | "content">;

export async function addSubmessage(tx: Tx, sender: User, addition: Addition): Promise<void> {
  const { message_id, msg_type, content } = addition;
  const { message, audience } = await accessMessageForAdding(tx, sender, message_id, content);
  const { id } = await tx
    .insertInto("submessages")
    .values({ realm_id: message.realm_id, message_id, sender_id: sender.id, msg_type, content })
    .returning("id")
    .executeTakeFirstOrThrow();
  emit(tx, message.realm_id, audience, {
    type: "submessage",
    submessage_id: id,
    message_id,
    sender_id: sender.id,
    msg_type,
    content,
  });
  await makeVisibleToParticipant(tx, sender, message);
}
