/** Data exports. They are not in the registration response: fetched when shown, then kept current by events. */
import { signal } from "@preact/signals";
import type { RealmExport } from "@skein/api/exports.ts";
import { getExportConsents, getExports } from "@skein/api/routes/exports.ts";
import { call } from "../api/call.ts";
import { onEvent } from "./events.ts";

/** Oldest first; undefined until they are fetched. */
export const dataExports = signal<readonly RealmExport[] | undefined>(undefined);
/** Whether each person agrees to the export of private data. */
export const exportConsents = signal<ReadonlyMap<number, boolean> | undefined>(undefined);

/** Events that arrive during the fetch are newer than its response. */
export async function fetchExports(): Promise<void> {
  let newest: readonly RealmExport[] | undefined;
  const newConsents = new Map<number, boolean>();
  const stop = onEvent((event) => {
    if (event.type === "realm_export") newest = event.exports;
    else if (event.type === "realm_export_consent") newConsents.set(event.user_id, event.consented);
  });
  try {
    const [{ exports }, { export_consents }] = await Promise.all([call(getExports, {}), call(getExportConsents, {})]);
    dataExports.value = newest ?? exports;
    exportConsents.value = new Map([
      ...export_consents.map(({ user_id, consented }) => [user_id, consented] as const),
      ...newConsents,
    ]);
  } finally {
    stop();
  }
}

/** Follows events until it is stopped. */
export const followExports = (): (() => void) =>
  onEvent((event) => {
    if (event.type === "realm_export" && dataExports.peek()) dataExports.value = event.exports;
    else if (event.type === "realm_export_consent" && exportConsents.peek())
      exportConsents.value = new Map(exportConsents.peek()).set(event.user_id, event.consented);
  });
