/** Whether the server is read-only for maintenance: a header of its responses carries the message to show. */
import { signal } from "@preact/signals";

const header = "skein-maintenance";

/** Undefined unless the server is read-only. */
export const maintenance = signal<string | undefined>(undefined);

/** Resolves when the server accepts changes. */
export function untilWritable(): Promise<void> {
  if (maintenance.peek() === undefined) return Promise.resolve();
  return new Promise((resume) => {
    const stop = maintenance.subscribe((message) => {
      if (message !== undefined) return;
      stop();
      resume();
    });
  });
}

/** Responses of a proxy carry no header either, so only a successful one proves that maintenance is over. */
export function noteMaintenance({ ok, headers }: Response): void {
  const message = headers.get(header);
  if (message !== null) maintenance.value = decodeURIComponent(message);
  else if (ok) maintenance.value = undefined;
}
