/** An authenticator app for tests: computes codes, and turns the second factor on. */
import { Secret, TOTP } from "otpauth";
import { transaction } from "../src/platform/db/transaction.ts";
import { confirmTotp, startTotp } from "../src/domain/people/second-factors/actions.ts";
import type { TestUser } from "./realm.ts";

/** The code that an app shows at this time. */
export const codeAt = (secret: string, timestamp = Date.now()): string =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: 30 }).generate({ timestamp });

/** A code that is wrong now. */
export const wrongCodeFor = (secret: string): string => {
  const near = [-60_000, -30_000, 0, 30_000, 60_000].map((shift) => codeAt(secret, Date.now() + shift));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !near.includes(code)) ?? "";
};

/** As if no code had been accepted yet: tests need not wait for the next one. */
export const forgetUse = ({ id, realm }: TestUser) =>
  realm.ctx.db.updateTable("totp_secrets").set({ last_step: 0 }).where("user_id", "=", id).execute();

export const startApp = ({ id, realm }: TestUser): Promise<string> =>
  transaction(realm.ctx.db, "test", (tx) => startTotp(tx, realm.ctx.secretBox, { id, realm_id: realm.id }));

/** Turns the second factor of this account on. Its current code has not been used. */
export async function withApp(user: TestUser): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { id, realm } = user;
  const secret = await startApp(user);
  const recoveryCodes = await transaction(realm.ctx.db, "test", (tx) =>
    confirmTotp(tx, realm.ctx.secretBox, { id, realm_id: realm.id }, codeAt(secret)),
  );
  if (!recoveryCodes) throw new Error("the first code was not accepted");
  await forgetUse(user);
  return { secret, recoveryCodes };
}
