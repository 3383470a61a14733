/** Reading whole places at once: everything, a channel, a topic. It is done in steps, the newest messages first. */
import { newestAnchor } from "@skein/api/fetch-messages.ts";
import type { NarrowTerm } from "@skein/api/narrow.ts";
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import { findRange } from "../messages/fetch-page.ts";
import { updateFlags } from "./actions.ts";

/** So many at once, for so long: a client waits for its answer a minute or so. */
const usual = { step: 5000, patience: 50_000 };

/** Gives back whether all of it was done. */
export async function markPlaceRead(
  ctx: Context,
  user: User,
  place: NarrowTerm[],
  { step, patience } = usual,
): Promise<boolean> {
  const narrow = [...place, { operator: "is", operand: "unread" }];
  const range = { anchor: newestAnchor, before: step, after: 0, isAnchorIn: false };
  const begun = performance.now();
  for (;;) {
    const { ids, found_oldest } = await findRange(ctx, user, narrow, range);
    if (ids.length > 0) await updateFlags(ctx.db, user, { op: "add", flag: "read" }, ids);
    if (found_oldest) return true;
    if (performance.now() - begun > patience) return false;
  }
}
