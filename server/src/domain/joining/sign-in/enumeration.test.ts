/** The work done for a request must not reveal whether an address has an account. */
import { verify } from "@node-rs/argon2";
import { expect, test, vi } from "vitest";
import { newRealm } from "../../../../test/realm.ts";
import { newAddress, TestBrowser, withPassword } from "../../../../test/test-browser.ts";

vi.mock(import("@node-rs/argon2"), async (importOriginal) => {
  const argon2 = await importOriginal();
  return { ...argon2, verify: vi.fn<typeof argon2.verify>(argon2.verify) };
});

const measured = 1; // a node that runs neither relay nor jobs
const times = 3;

test.for<[path: string, field: string]>([
  ["/accounts/login/", "username"],
  ["/accounts/password/reset/", "email"],
  ["/accounts/find/", "email"],
  ["/register/", "email"],
])("%s does the same work for addresses with and without an account", async ([path, field]) => {
  const realm = await newRealm();
  await realm.ctx.db.updateTable("realms").set({ invite_required: false }).where("id", "=", realm.id).execute();
  const counter = realm.nodes[measured]?.ctx.metrics.statements;
  const statements = async () => (await counter?.get())?.values[0]?.value ?? 0;
  const browser = new TestBrowser(realm);
  await browser.open("/login/");

  /** The minimum of several runs, since a node also does background work. */
  const costOf = async (addresses: string[]) => {
    const counts: number[] = [];
    vi.mocked(verify).mockClear();
    for (const address of addresses) {
      const before = await statements();
      await browser.send(path, { [field]: address, password: "guess" }, { node: measured });
      counts.push((await statements()) - before);
    }
    return { statements: Math.min(...counts), passwordsHashed: vi.mocked(verify).mock.calls.length };
  };
  const accounts = await Promise.all(Array.from({ length: times }, () => withPassword(realm, "hamlet")));

  const known = await costOf(accounts.map(({ email }) => email));
  const unknown = await costOf(Array.from({ length: times }, newAddress));

  expect(unknown).toEqual(known);
  expect(known.statements).toBeGreaterThan(0);
  expect(known.passwordsHashed).toBe(path === "/accounts/login/" ? times : 0);
});
