import { deactivateUser, reactivateUser } from "../domain/users/activation.ts";
import { transaction } from "../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption } from "./accounts.ts";
import { command } from "./command.ts";
import { withDatabase } from "./database.ts";

export const userDeactivate = command({
  args: ["EMAIL"],
  options: { realm: realmOption },
  run: async ({ args: [email = ""], options, answer }) => {
    const account = await change(email, options.realm, deactivateUser, "deactivate user");
    answer({ user_id: account.id, is_active: false }, `${account.full_name}'s account is closed.`);
  },
});

export const userReactivate = command({
  args: ["EMAIL"],
  options: { realm: realmOption },
  run: async ({ args: [email = ""], options, answer }) => {
    const account = await change(email, options.realm, reactivateUser, "reactivate user");
    answer({ user_id: account.id, is_active: true }, `${account.full_name}'s account is open.`);
  },
});

function change(email: string, shortName: string | undefined, action: typeof deactivateUser, name: string) {
  return withDatabase(async (db) => {
    const realm = await findOrganization(db, shortName);
    const account = await findAccount(db, realm, email);
    await transaction(db, name, (tx) => action(tx, realm, account.id));
    return account;
  });
}
