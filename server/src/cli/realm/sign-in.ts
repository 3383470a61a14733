import { acceptAllSignIns } from "../../domain/joining/identity-providers/actions.ts";
import { listProviders } from "../../domain/joining/identity-providers/queries.ts";
import { byOperator, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command, table } from "../command.ts";
import { withDatabase } from "../database.ts";

export const realmSignIn = command({
  options: {
    "accept-all": {
      type: "boolean",
      description: "If the organization accepts one identity provider only: accept passwords and all others again.",
    },
    realm: realmOption,
  },
  details: [
    "The way back for an organization whose only identity provider has failed. Owners without a password get one with " +
      "`skein user password-reset`.",
  ],
  examples: ["skein realm sign-in", "skein realm sign-in --realm denmark --accept-all"],
  run: async ({ options, answer }) => {
    await withDatabase(async (db) => {
      const found = await findOrganization(db, options.realm);
      const only = found.only_identity_provider_id;
      if (options["accept-all"] && only !== null)
        await transaction(db, "accept all sign-ins", async (tx) => {
          if (await acceptAllSignIns(tx, found))
            await record(tx, found.id, byOperator, {
              action: "identity_provider.update",
              target: { kind: "identity_provider", id: only },
              before: { is_only: true },
              after: { is_only: false },
            });
        });
      const realm = await findOrganization(db, options.realm);
      const providers = (await listProviders(db, realm.id)).map(({ id, key, name, issuer, is_enabled }) => ({
        id,
        key,
        name,
        issuer,
        is_enabled,
        is_only: realm.only_identity_provider_id === id,
      }));
      const accepts_passwords = realm.only_identity_provider_id === null;
      const rows = providers.map(({ key, name, issuer, is_enabled, is_only }) => [
        key,
        `${name}, ${issuer}${is_enabled ? "" : ", disabled"}${is_only ? ", the only way" : ""}`,
      ]);
      answer(
        { accepts_passwords, identity_providers: providers },
        table([["password", accepts_passwords ? "accepted" : "refused"], ...rows]),
      );
    });
  },
});
