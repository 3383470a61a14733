import * as api from "@skein/api/emoji.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { addEmoji, deactivateEmoji } from "./actions.ts";
import { listCustomEmoji } from "./queries.ts";
import type { Caller } from "../audit/audited.ts";
import { byCaller, lockHead, record } from "../audit/record.ts";
import { normalizeEmojiName } from "./name.ts";

const recordEmoji = (
  tx: Tx,
  { user, request }: Caller,
  action: "emoji.create" | "emoji.delete",
  { id, name }: { id: number; name: string },
): Promise<void> =>
  record(tx, user.realm_id, byCaller(user, request), {
    action,
    target: { kind: "emoji", id },
    [action === "emoji.create" ? "after" : "before"]: { name: normalizeEmojiName(name) },
  });

export const emojiEndpoints: BoundEndpoint[] = [
  handle(api.getCustomEmoji, async ({ ctx, user }) => ({ emoji: await listCustomEmoji(ctx.db, user.realm_id) })),

  handle(api.uploadCustomEmoji, async ({ ctx, user, params, request }) => {
    await addEmoji(ctx, user, params.emoji_name, request.files, {
      alongside: (tx, id) => recordEmoji(tx, { user, request }, "emoji.create", { id, name: params.emoji_name }),
    });
    return {};
  }),

  handle(api.deactivateCustomEmoji, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "deactivate emoji", async (tx) => {
      await lockHead(tx, user.realm_id);
      const id = await deactivateEmoji(tx, user, params.emoji_name);
      await recordEmoji(tx, { user, request }, "emoji.delete", { id, name: params.emoji_name });
    });
    return {};
  }),
];
