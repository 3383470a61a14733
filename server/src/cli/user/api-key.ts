import { createApiKey, revokeApiKeys } from "../../domain/people/auth/api-keys.ts";
import { byOperator, lockHead, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userApiKey = command({
  args: [userArgument],
  options: {
    revoke: { type: "boolean", description: "Revoke all keys and create none." },
    client: { type: "string", value: "NAME", default: "skein", description: "What the key is for." },
    realm: realmOption,
  },
  details: [userDetails],
  run: async ({ args: [email = ""], options, answer }) => {
    await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const account = await findAccount(db, realm, email);
      if (options.revoke) {
        const revoked = await transaction(db, "revoke API keys", async (tx) => {
          await lockHead(tx, realm.id);
          const count = await revokeApiKeys(tx, account);
          if (count > 0)
            await record(tx, realm.id, byOperator, {
              action: "api_key.delete",
              target: { kind: "api_key", id: null },
              before: { user_id: account.id, count },
            });
          return count;
        });
        answer({ user_id: account.id, revoked }, `Revoked all API keys of ${account.full_name} (${revoked}).`);
        return;
      }
      const api_key = await transaction(db, "make API key", async (tx) => {
        await lockHead(tx, realm.id);
        const made = await createApiKey(tx, account, options.client);
        await record(tx, realm.id, byOperator, {
          action: "api_key.create",
          target: { kind: "api_key", id: null },
          after: { name: options.client, user_id: account.id },
        });
        return made;
      });
      answer({ user_id: account.id, email: account.delivery_email, api_key }, api_key);
    });
  },
});
