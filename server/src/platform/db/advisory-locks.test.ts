import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodes } from "../../../test/nodes.ts";
import { lockKeys, lockKinds, lockName } from "./advisory-locks.ts";
import { transaction } from "./transaction.ts";

const source = join(import.meta.dirname, "../..");

test("every kind of lock has a unique number that no other code uses", () => {
  const numbers = [...Object.values(lockKeys), ...Object.values(lockKinds)];
  const users = globSync("**/*.ts", { cwd: source }).filter((file) => {
    const text = readFileSync(join(source, file), "utf8");
    return !file.endsWith(".test.ts") && text.includes("pg_advisory") && !text.includes("advisory-locks.ts");
  });

  expect(new Set(numbers).size).toBe(numbers.length);
  // A channel's lock is its id.
  expect(users.toSorted()).toEqual(["domain/channels/lock.ts", "platform/db/advisory-locks.ts"]);
});

test("names are locked by kind and organization, whatever the organization's id", async () => {
  const [node] = await nodes();
  const name = "somebody@example.com";
  const isFree = (tx: Parameters<typeof lockName>[0], kind: number, hashed: string) =>
    tx.selectNoFrom((choose) =>
      choose
        .fn<boolean>("pg_try_advisory_xact_lock", [choose.val(kind), choose.fn("hashtext", [choose.val(hashed)])])
        .as("free"),
    );

  await transaction(node.ctx.db, "hold a lock", async (held) => {
    await lockName(held, lockKinds.loginTries, 2 ** 33, name);
    await transaction(node.ctx.db, "try locks", async (other) => {
      const isFreeNow = async (kind: number, id: number) =>
        (await isFree(other, kind, `${id} ${name}`).executeTakeFirstOrThrow()).free;
      expect(await isFreeNow(lockKinds.loginTries, 2 ** 33)).toBe(false);
      expect(await isFreeNow(lockKinds.resetMail, 2 ** 33)).toBe(true);
      expect(await isFreeNow(lockKinds.loginTries, 1)).toBe(true);
    });
  });
});
