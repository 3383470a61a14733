/** An organization's linkifiers ready for use, remembered by each node. */
import type { Context } from "../../context.ts";
import type { Realm } from "../../http/sessions.ts";
import type { CompiledLinkifier } from "../../markdown/linkifier.ts";
import type { Db } from "../../platform/db/connect.ts";
import { compileLinkifier } from "./compile.ts";
import { listLinkifiers } from "./queries.ts";

interface Remembered {
  version: number;
  linkifiers: CompiledLinkifier[];
}
const remembered = new WeakMap<Context, Map<number, Remembered>>();

/**
 * Compiled once for each version of the organization, which every change of them raises. What a transaction sees is not
 * remembered: it may not commit, and another change would get its version.
 */
export async function compiledLinkifiers(ctx: Context, db: Db, realm: Realm): Promise<CompiledLinkifier[]> {
  const byRealm = remembered.get(ctx) ?? new Map<number, Remembered>();
  remembered.set(ctx, byRealm);
  const known = byRealm.get(realm.id);
  if (known?.version === realm.version) return known.linkifiers;
  const linkifiers = (await listLinkifiers(db, realm.id)).map(compileLinkifier);
  if (db === ctx.db) byRealm.set(realm.id, { version: realm.version, linkifiers });
  return linkifiers;
}
