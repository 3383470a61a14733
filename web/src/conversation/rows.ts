/** What stands in a list of messages, from top to bottom: messages, and below them what is on its way. */
import { rowKeyOf } from "../store/messages.ts";
import type { Outgoing } from "../store/outbox.ts";
import type { Run } from "../store/runs.ts";

export interface Row {
  /** Stays when what was written here becomes a message. */
  readonly key: string;
  /** Infinity for what has no id yet: it stands below all that have one. */
  readonly id: number;
  readonly echo?: Outgoing;
}

export function rowsOf(run: Run | undefined, echoes: readonly Outgoing[]): Row[] {
  if (!run) return [];
  const rows: Row[] = run.ids.map((id) => ({ key: rowKeyOf(id), id }));
  // Between what is shown and what is being written there may be more.
  if (!run.hasNewest) return rows;
  const present = new Set(run.ids);
  for (const echo of echoes) {
    if (echo.messageId !== undefined && present.has(echo.messageId)) continue;
    rows.push({ key: echo.localId, id: Infinity, echo });
  }
  return rows;
}
