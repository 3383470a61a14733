import { byOperator, lockHead, record } from "../../domain/organization/audit/record.ts";
import { removeFactors } from "../../domain/people/second-factors/actions.ts";
import { endUnprotectedSessions } from "../../domain/people/second-factors/requirement.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userSecondFactorReset = command({
  args: [userArgument],
  options: { realm: realmOption },
  details: [
    userDetails,
    "Removes the authenticator app, the passkeys and the recovery codes of somebody who has lost them. The password alone is enough then; " +
      "where the organization requires a second factor, it leads to setting up another one. " +
      "Make sure that it is them who ask. The audit log records it.",
  ],
  run: async ({ args: [who = ""], options, answer }) => {
    const { account, isReset } = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const found = await findAccount(db, realm, who);
      const removed = await transaction(db, "reset second factors by operator", async (tx) => {
        await lockHead(tx, found.realm_id);
        const methods = await removeFactors(tx, found);
        if (methods.length === 0) return false;
        const target = { kind: "user", id: found.id } as const;
        const entry = { action: "second_factor.reset", target, before: { methods } } as const;
        await record(tx, found.realm_id, byOperator, entry);
        await endUnprotectedSessions(tx, found.realm_id, found.id);
        return true;
      });
      return { account: found, isReset: removed };
    });
    const text = isReset ? "now signs in with the password alone" : "had no second factor";
    answer({ user_id: account.id, reset: isReset }, `${account.full_name} ${text}.`);
  },
});
