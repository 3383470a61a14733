import { createRealm } from "../../domain/organization/realm/create.ts";
import { checkHost, checkRealmName, checkShortName, refuseTakenNames } from "../../domain/organization/realm/name.ts";
import { byOperator, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const realmCreate = command({
  args: ["SHORT_NAME"],
  options: {
    name: { type: "string", value: "NAME", description: "The display name. Default: the short name." },
    host: {
      type: "string",
      value: "HOST",
      description: "The organization's host name. The organization without one serves all other host names.",
    },
  },
  examples: ['skein realm create denmark --name "Court of Denmark" --host denmark.example.com'],
  run: async ({ args: [shortName = ""], options, answer }) => {
    const string_id = checkShortName(shortName);
    const name = checkRealmName(options.name ?? shortName);
    const host = options.host === undefined ? null : checkHost(options.host);
    const realm = await withDatabase(async (db) => {
      await refuseTakenNames(db, { string_id, host });
      const made = { string_id, name, ...(host === null ? {} : { host }) };
      return transaction(db, "create organization", async (tx) => {
        const created = await createRealm(tx, made);
        const target = { kind: "realm", id: created.id } as const;
        await record(tx, created.id, byOperator, { action: "realm.create", target, after: { ...made } });
        return created;
      });
    });
    answer(
      { id: realm.id, string_id, name: realm.name, host: realm.host },
      `Created ${realm.name}. Next, create its owner: \`skein user create EMAIL --name NAME --role owner --realm ${string_id}\`.`,
    );
  },
});
