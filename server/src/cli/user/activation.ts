import { deactivateUser, reactivateUser } from "../../domain/administration/users/activation.ts";
import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userDeactivate = command({
  args: [userArgument],
  options: { realm: realmOption },
  details: [userDetails],
  run: async ({ args: [email = ""], options, answer }) => {
    const account = await change(email, options.realm, deactivateUser, "deactivate");
    answer({ user_id: account.id, is_active: false }, `${account.full_name}'s account is deactivated.`);
  },
});

export const userReactivate = command({
  args: [userArgument],
  options: { realm: realmOption },
  details: [userDetails],
  run: async ({ args: [email = ""], options, answer }) => {
    const account = await change(email, options.realm, reactivateUser, "reactivate");
    answer({ user_id: account.id, is_active: true }, `${account.full_name}'s account is active again.`);
  },
});

function change(
  email: string,
  shortName: string | undefined,
  action: typeof deactivateUser,
  verb: "deactivate" | "reactivate",
) {
  return withDatabase(async (db) => {
    const realm = await findOrganization(db, shortName);
    const account = await findAccount(db, realm, email);
    const kind = account.is_bot ? "bot" : "user";
    await transaction(db, `${verb} user`, (tx) =>
      auditedCommand(tx, realm, { kind, id: account.id, action: `${kind}.${verb}` }, () =>
        action(tx, realm, account.id),
      ),
    );
    return account;
  });
}
