/** An id of an organization that differs from those of all servers. It follows from what never changes, so nothing is stored. */
import { hash } from "node:crypto";
import type { Realm } from "../../../identity/account.ts";

export function uuidOf({ id, date_created }: Pick<Realm, "id" | "date_created">): string {
  const digits = hash("sha256", `organization ${id} of ${Math.floor(date_created.getTime() / 1000)}`).slice(0, 32);
  // Version 8 and the usual variant, as RFC 9562 has them.
  const marked = `${digits.slice(0, 12)}8${digits.slice(13, 16)}8${digits.slice(17)}`;
  return marked.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
