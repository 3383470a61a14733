/** Accounts by their ids here and in the source. */
import type { User } from "../../../../identity/account.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import { systemBotId } from "../../../messages/send/notice.ts";
import { notificationBotId } from "../source.ts";
import type { Import } from "./import-context.ts";
import { recall } from "./map.ts";

export const findNotifier = ({ db, realmId }: Pick<Import, "db" | "realmId">): Promise<number> =>
  systemBotId(db, realmId, "notification-bot");

/** Our ids of everybody who may be a sender or a party: people, bots and the Notification Bot. */
export async function listSenders(db: Db, run: Import): Promise<Map<string, number>> {
  const people = await recall(db, run, "person");
  return people.set(notificationBotId, await findNotifier(run));
}

/** The account, active or not. */
export async function findAccount({ db, realmId, owner }: Import, id = 0): Promise<User | undefined> {
  const row = await db
    .selectFrom("users")
    .selectAll()
    .where("realm_id", "=", realmId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { password_hash: _, ...account } = row;
  return { ...account, realm: owner.realm, rank: account.role };
}
