/** ↑ in an empty composer: edits the reader's last message that may still be edited. */
import { narrowOf, type Conversation } from "../store/conversations.ts";
import { beginEdit } from "../store/edits.ts";
import { openList } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import { mayEdit } from "../store/permissions.ts";
import { newestRun } from "../store/runs.ts";
import { ownId } from "../store/state.ts";

export function editLastOwn(conversation: Conversation): void {
  const { runs } = openList(narrowOf(conversation, ownId.peek()));
  const ids = newestRun(runs.peek())?.ids ?? [];
  const last = ids.findLast((id) => {
    const message = findMessage(id)?.peek();
    return message !== undefined && mayEdit(message);
  });
  const message = last === undefined ? undefined : findMessage(last)?.peek();
  if (message) void beginEdit(message);
}
