/** Uploads the images in messages, and the custom emoji. */
import type { Context } from "../../context.ts";
import { addEmoji } from "../../domain/organization/emoji/actions.ts";
import { unknownType } from "../../domain/messages/uploads/content-type.ts";
import { newPathId, uploadKey } from "../../domain/messages/uploads/file-name.ts";
import { keepFile } from "../../domain/messages/uploads/keep.ts";
import type { User } from "../../identity/account.ts";
import { member, type Cast } from "./accounts.ts";
import { drawings, emojiDrawings } from "./drawings.ts";

export async function addOwnEmoji(ctx: Context, author: User): Promise<void> {
  for (const [name, draw] of Object.entries(emojiDrawings)) {
    const file = { name: `${name}.png`, contentType: "image/png", bytes: await draw() };
    await addEmoji(ctx, author, name, [file]);
  }
}

/** Returns the Markdown that shows each file, by name. */
export async function uploadDrawings(ctx: Context, cast: Cast): Promise<Map<string, string>> {
  const links = new Map<string, string>();
  for (const [name, { by, draw }] of Object.entries(drawings)) {
    const owner = member(cast, by);
    const bytes = await draw();
    const pathId = newPathId(owner.realm_id, name);
    await ctx.files.put(uploadKey(pathId), bytes, unknownType);
    await keepFile(ctx, owner, { pathId, name, contentType: "image/png", size: bytes.length });
    links.set(name, `[${name}](/user_uploads/${pathId})`);
  }
  return links;
}
