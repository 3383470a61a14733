import { createRealm } from "../domain/realm/create.ts";
import type { Db } from "../platform/db/connect.ts";
import { transaction } from "../platform/db/transaction.ts";
import { command, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";

export const realmCreate = command({
  args: ["SHORT_NAME"],
  options: {
    name: { type: "string", value: "NAME", description: "Its name, as people read it. Default: the short name." },
    host: {
      type: "string",
      value: "HOST",
      description: "The host name it is reached by. The one without answers under every other name.",
    },
  },
  run: async ({ args: [shortName = ""], options: { name = shortName, host }, answer }) => {
    if (!/^[a-z0-9-]{1,40}$/.test(shortName)) throw new UsageError("A short name is 1 to 40 of a-z, 0-9 and -.");
    if (name.length < 1 || name.length > 40) throw new UsageError("A name has 1 to 40 characters.");
    const realm = await withDatabase(async (db) => {
      await refuseTaken(db, shortName, host);
      const made = { string_id: shortName, name, ...(host === undefined ? {} : { host }) };
      return transaction(db, "create organization", (tx) => createRealm(tx, made));
    });
    const { id, string_id } = realm;
    answer(
      { id, string_id, name: realm.name, host: realm.host },
      `Made ${realm.name}. Its owner: \`npx skein user create EMAIL --name NAME --role owner --realm ${string_id}\`.`,
    );
  },
});

async function refuseTaken(db: Db, shortName: string, host: string | undefined): Promise<void> {
  const realms = await db.selectFrom("realms").select(["string_id", "name", "host"]).execute();
  if (realms.some((realm) => realm.string_id === shortName))
    throw new Error(`There is an organization ${shortName} already.`);
  const rival = realms.find((realm) => realm.host === (host?.toLowerCase() ?? null));
  if (!rival) return;
  throw new Error(
    host === undefined
      ? `${rival.name} answers where no host is named: give this one a --host.`
      : `${rival.name} has the host ${host} already.`,
  );
}
