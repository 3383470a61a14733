import { Readable } from "node:stream";
import { sql } from "kysely";
import { expect, inject, onTestFinished, test } from "vitest";
import { newRealm, type TestRealm } from "../../../../test/realm.ts";
import { accountById } from "../../../identity/account.ts";
import { connect } from "../../../platform/db/connect.ts";
import { CommitOutcomeUnknown } from "../../../platform/db/transaction.ts";
import { uploadFile } from "./keep.ts";
import { sweepPendingFiles } from "./pending-files.ts";

const boundary = "xxx";
const arriving = () => ({
  contentType: `multipart/form-data; boundary=${boundary}`,
  body: Readable.from([
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--${boundary}--\r\n`,
  ]),
});

/** Uploads a file on a connection whose commits end as `commit` decides. */
async function upload(realm: TestRealm, commit: () => void) {
  const db = connect({
    url: inject("postgresUrl"),
    connections: 1,
    name: "test",
    onStatement: (text) => {
      if (text === "commit") commit();
    },
  });
  onTestFinished(() => db.destroy());
  const owner = await accountById(realm.ctx.db, realm.admin.id);
  if (!owner) throw new Error("the administrator is there");
  return uploadFile({ ...realm.ctx, db }, owner, arriving());
}

const pendingOf = async ({ ctx, id }: TestRealm): Promise<string[]> => {
  const { rows } = await sql<{ file_key: string }>`
    select file_key from pending_files where file_key like ${`uploads/${id}/%`}`.execute(ctx.db);
  return rows.map(({ file_key }) => file_key);
};

const age = ({ ctx, id }: TestRealm) =>
  sql`update pending_files set since = now() - interval '2 days' where file_key like ${`uploads/${id}/%`}`.execute(
    ctx.db,
  );

test("the bytes stay when the outcome of the commit is unknown, and are removed a day later if it failed", async () => {
  const realm = await newRealm();
  const lost = upload(realm, () => {
    throw new Error("Connection terminated unexpectedly");
  });

  await expect(lost).rejects.toThrow(CommitOutcomeUnknown);
  const [key = ""] = await pendingOf(realm);
  expect(await realm.ctx.files.get(key)).toBeDefined();
  await sweepPendingFiles(realm.ctx);
  expect(await realm.ctx.files.get(key)).toBeDefined();
  await age(realm);
  await sweepPendingFiles(realm.ctx);

  await expect.poll(() => realm.ctx.files.get(key)).toBeUndefined();
  expect(await pendingOf(realm)).toEqual([]);
});

test("the sweep leaves a file alone that was kept after all", async () => {
  const realm = await newRealm();
  const { pathId } = await upload(realm, () => undefined);
  const key = `uploads/${pathId}`;
  expect(await pendingOf(realm)).toEqual([]);
  await sql`insert into pending_files (file_key) values (${key})`.execute(realm.ctx.db);

  await age(realm);
  await sweepPendingFiles(realm.ctx);

  expect(await pendingOf(realm)).toEqual([]);
  expect((await realm.ctx.files.get(key))?.bytes.toString()).toBe("hello");
});

test("when PostgreSQL refuses the commit, the bytes are removed at once", async () => {
  const realm = await newRealm();
  const refused = upload(realm, () => {
    throw Object.assign(new Error("refused"), { code: "23505" });
  });

  await expect(refused).rejects.toThrow("refused");

  expect(await pendingOf(realm)).toEqual([]);
});
