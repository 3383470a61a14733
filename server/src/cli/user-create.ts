import { randomInt } from "node:crypto";
import { greetLater } from "../domain/accounts/jobs.ts";
import { checkPassword, hashPassword } from "../domain/auth/passwords.ts";
import { addUser } from "../domain/users/actions.ts";
import { isEmail } from "../domain/users/email.ts";
import { checkFullName } from "../domain/users/full-name.ts";
import { enqueue } from "../jobs/job.ts";
import { transaction } from "../platform/db/transaction.ts";
import { findOrganization, readRole, realmOption, roleNames } from "./accounts.ts";
import { command, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";

export const userCreate = command({
  args: ["EMAIL"],
  options: {
    name: { type: "string", value: "NAME", required: true, description: "The full name, as others read it." },
    role: { type: "string", value: "ROLE", default: "member", description: `One of ${roleNames}.` },
    password: { type: "string", description: "Without it one is made up and printed." },
    realm: realmOption,
  },
  run: async ({ args: [email = ""], options, answer }) => {
    if (!isEmail(email)) throw new UsageError(`${email} is no e-mail address.`);
    const full_name = checkFullName(options.name);
    const role = readRole(options.role);
    const password = options.password ?? madeUpPassword();
    checkPassword(password, [email, full_name]);
    const password_hash = await hashPassword(password);
    const user = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      return transaction(db, "create user", async (tx) => {
        const made = await addUser(tx, realm, { email, full_name, password_hash, role });
        await enqueue(tx, greetLater, { userId: made.id });
        return made;
      });
    });
    const shown = options.password === undefined ? { password } : {};
    answer(
      { user_id: user.id, email, ...shown },
      `Made ${full_name} (${options.role}, ID ${user.id}).${shown.password ? ` Password: ${password}` : ""}`,
    );
  },
});

/** Without characters that are taken for one another. */
const readable = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

const madeUpPassword = () => Array.from({ length: 20 }, () => readable[randomInt(readable.length)]).join("");
