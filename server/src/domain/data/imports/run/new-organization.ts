/** Whether an organization was created for this import, and what it had at first. */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { roles } from "@skein/api/users.ts";
import type { Realm } from "../../../../identity/account.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import { transaction } from "../../../../platform/db/transaction.ts";
import { createRealm } from "../../../organization/realm/create.ts";
import type { Import } from "./import-context.ts";
import { recall, remember } from "./map.ts";

const key = "is new";

/**
 * Decides it before anything is imported, once for all imports from the same source: nobody but owners has an account, and
 * nobody has written anything.
 */
export async function noteWhetherNew(run: Import): Promise<void> {
  if (!run.source.extras?.organization || (await recall(run.db, run, "organization")).has(key)) return;
  const isNew = await hasOnlyOwners(run.db, run.realmId);
  await transaction(run.db, "note whether an organization is new", (tx) =>
    remember(tx, run, "organization", [[key, isNew ? 1 : 0]]),
  );
}

export const isNewOrganization = (noted: ReadonlyMap<string, number>): boolean => noted.get(key) === 1;

async function hasOnlyOwners(db: Db, realmId: number): Promise<boolean> {
  const { rows: others } = await sql`
    select from users where realm_id = ${realmId} and not is_system_bot and (is_bot or role <> ${roles.owner})
    limit 1`.execute(db);
  if (others.length > 0) return false;
  const { rows: written } = await sql`
    select from conversations c cross join lateral (
      select from messages m join users u on u.id = m.sender_id
      where m.conversation_id = c.id and not u.is_system_bot limit 1) as message
    where c.realm_id = ${realmId} limit 1`.execute(db);
  return written.length === 0;
}

class Undone extends Error {
  readonly realm: Realm;

  constructor(realm: Realm) {
    super();
    this.realm = realm;
  }
}

/** An organization as it is when it has just been created; it is not stored. */
export async function firstState(db: Db): Promise<Realm> {
  const name = `new-${randomBytes(12).toString("hex")}`;
  try {
    return await transaction(db, "look at a new organization", async (tx) => {
      throw new Undone(await createRealm(tx, { string_id: name, name, host: `${name}.invalid` }));
    });
  } catch (error) {
    if (error instanceof Undone) return error.realm;
    throw error;
  }
}
