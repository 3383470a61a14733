/** Looks up the channel that a command names. */
import type { Realm } from "../identity/account.ts";
import type { Channel } from "../domain/channels/access.ts";
import type { Db } from "../platform/db/connect.ts";

/** By name, or by ID if no channel has that name. */
export async function findChannel(db: Db, realm: Realm, given: string): Promise<Channel> {
  const channels = await db
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", realm.id)
    .where((where) =>
      where.or([
        where(where.fn("lower", ["name"]), "=", given.toLowerCase()),
        where("id", "=", /^\d{1,15}$/.test(given) ? Number(given) : 0),
      ]),
    )
    .execute();
  const channel = channels.find(({ name }) => name.toLowerCase() === given.toLowerCase()) ?? channels[0];
  if (!channel) throw new Error(`There is no channel ${given} in ${realm.name}. \`skein channel list\` lists them.`);
  return channel;
}
