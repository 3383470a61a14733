/**
 * Sends the audit log as lines of JSON, however long it is: a batch is read when the client has taken what was sent before.
 * A response that cannot be completed is cut off, so that the client notices, and continues after its last line.
 */
import type { ServerResponse } from "node:http";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { hasDrained } from "../../../http/event-sink.ts";
import type { User } from "../../../identity/account.ts";
import { entriesAfter, type AuditFilter } from "./queries.ts";

interface AuditExport {
  realm: User["realm"];
  filter: AuditFilter;
  /** The last entry of the export: what is added meanwhile is not part of it. */
  last: number;
  /** Throws if the caller may no longer read the log. */
  mayGoOn: () => Promise<void>;
}

const batch = 500;

export function sendLines(
  ctx: Context,
  response: ServerResponse,
  headers: Record<string, string>,
  wanted: AuditExport,
): void {
  const date = new Date().toISOString().slice(0, 10);
  response.writeHead(200, {
    ...headers,
    "Content-Type": "application/jsonl; charset=utf-8",
    "Content-Disposition": `attachment; filename="audit-log-${date}.jsonl"`,
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
  });
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  write(ctx, response, wanted).then(
    () => response.end(),
    (error: unknown) => {
      response.destroy();
      if (!(error instanceof ApiError))
        ctx.logger.error({ err: error }, "could not complete an export of the audit log");
    },
  );
}

async function write(ctx: Context, response: ServerResponse, wanted: AuditExport): Promise<void> {
  const { realm, filter, last, mayGoOn } = wanted;
  const before = Math.min(filter.before ?? Infinity, last + 1);
  for (let after = filter.after ?? 0; ;) {
    const entries = await entriesAfter(ctx.db, realm.id, after, batch, { ...filter, before });
    if (response.destroyed) return;
    const isRoomLeft = response.write(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    after = entries.at(-1)?.id ?? after;
    if (entries.length < batch) return;
    if (!isRoomLeft) await untilTaken(ctx, response);
    await mayGoOn();
  }
}

/** Waits for a slow client, and disconnects one that takes nothing. */
async function untilTaken({ config }: Context, response: ServerResponse): Promise<void> {
  for (let left = response.writableLength; left > 0 && !response.destroyed; left = response.writableLength) {
    if (await hasDrained(response, config.requestTimeoutSeconds * 1000)) return;
    if (response.writableLength >= left) response.destroy();
  }
}
