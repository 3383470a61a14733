import { renameRealm } from "../../domain/administration/organization/rename.ts";
import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";

export const realmRename = command({
  options: {
    name: { type: "string", value: "NAME", description: "The new display name. Clients show it at once." },
    "short-name": { type: "string", value: "SHORT_NAME", description: "The new short name, for --realm and the API." },
    host: { type: "string", value: "HOST", description: "The new host name." },
    "any-host": {
      type: "boolean",
      description: "Remove the host name: the organization then serves all host names that no other one has.",
    },
    realm: realmOption,
  },
  details: [
    "Keys and sessions are valid at the organization's host name only. After a change of the host name, people sign in again " +
      "at the new one, and bots and webhooks need the new URL. Point DNS and the reverse proxy there first.",
  ],
  examples: [
    'skein realm rename --name "Court of Denmark"',
    "skein realm rename --realm denmark --host chat.example.com",
  ],
  run: async ({ options, answer }) => {
    const { name, "short-name": shortName, host, "any-host": anyHost } = options;
    if (host !== undefined && anyHost) throw new UsageError("--host and --any-host exclude each other.");
    if (name === undefined && shortName === undefined && host === undefined && !anyHost)
      throw new UsageError("Nothing to change: give --name, --short-name, --host or --any-host.");
    const realm = await withDatabase(async (db) => {
      const found = await findOrganization(db, options.realm);
      return transaction(db, "rename organization", (tx) =>
        auditedCommand(tx, found, { kind: "realm", id: found.id, action: "realm.update" }, () =>
          renameRealm(tx, found, {
            ...(name === undefined ? {} : { name }),
            ...(shortName === undefined ? {} : { string_id: shortName }),
            ...(anyHost ? { host: null } : host === undefined ? {} : { host }),
          }),
        ),
      );
    });
    answer(
      { id: realm.id, string_id: realm.string_id, name: realm.name, host: realm.host },
      `The organization is now ${realm.name}, short name ${realm.string_id === "" ? "(empty)" : realm.string_id}, ` +
        `host ${realm.host ?? "(any)"}.`,
    );
  },
});
