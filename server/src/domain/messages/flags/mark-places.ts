/** Marks everything, a channel or a topic as read, in steps, newest messages first. */
import { newestAnchor } from "@skein/api/fetch-messages.ts";
import type { NarrowTerm } from "@skein/api/narrow.ts";
import type { Context } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import { findRange } from "../fetch/fetch-page.ts";
import { updateFlags } from "./actions.ts";

/** Messages per step, and milliseconds in total: a client waits about a minute for the response. */
const defaults = { step: 5000, timeoutMilliseconds: 50_000 };

/** Returns whether everything was marked. */
export async function markPlaceRead(
  ctx: Context,
  user: User,
  place: NarrowTerm[],
  { step, timeoutMilliseconds } = defaults,
): Promise<boolean> {
  const narrow = [...place, { operator: "is", operand: "unread" }];
  const range = { anchor: newestAnchor, before: step, after: 0, isAnchorIn: false };
  const startedAt = performance.now();
  for (;;) {
    const { ids, found_oldest } = await findRange(ctx, user, narrow, range);
    if (ids.length > 0) await updateFlags(ctx, user, { op: "add", flag: "read" }, ids);
    if (found_oldest) return true;
    if (performance.now() - startedAt > timeoutMilliseconds) return false;
  }
}
