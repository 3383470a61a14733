import { getAttachments } from "@skein/api/uploads.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";

const mebibyte = 1024 ** 2;
const file = (size: number) => ({ "a.txt": Buffer.alloc(size, "x") });

const spaceOf = async ({ ctx }: TestRealm, userId: number): Promise<number> => {
  const { rows } = await sql<{ bytes: number }>`
    select bytes from user_upload_space where user_id = ${userId}`.execute(ctx.db);
  return rows[0]?.bytes ?? 0;
};

test("registration reports the organization's quota", async () => {
  const realm = await newRealm();

  const { state } = await realm.admin.register([], ["realm"]);

  expect(state.realm_upload_quota_mib).toBe(realm.ctx.config.uploadQuotaMebibytes);
});

test("a file that exceeds the organization's quota is refused, and nothing of it is kept", async () => {
  const realm = await newRealm();
  const user = await realm.user("hamlet");
  const quota = realm.ctx.config.uploadQuotaMebibytes * mebibyte;
  await sql`insert into upload_space (realm_id, bytes) values (${realm.id}, ${quota - 1000})`.execute(realm.ctx.db);

  const tooLarge = await user.upload("/user_uploads", file(1001));
  const fits = await user.upload("/user_uploads", file(1000));

  expect(tooLarge).toEqual({
    result: "error",
    msg: "Upload would exceed your organization's upload quota.",
    code: "REALM_UPLOAD_QUOTA",
  });
  expect(fits).toMatchObject({ result: "success" });
  expect(await spaceOf(realm, user.id)).toBe(1000);
});

test("of several files that fit alone but not together, only as many as fit are kept", async () => {
  const realm = await newRealm();
  const [user, other] = [await realm.user("hamlet"), await realm.user("other")];
  const quota = realm.ctx.config.userUploadQuotaMebibytes * mebibyte;
  await sql`insert into user_upload_space (user_id, bytes) values (${user.id}, ${quota - 1000})`.execute(realm.ctx.db);

  const answers = await Promise.all(Array.from({ length: 6 }, () => user.upload("/user_uploads", file(400))));
  const others = await other.upload("/user_uploads", file(400));

  expect(answers.filter(({ result }) => result === "success")).toHaveLength(2);
  expect(answers.filter(({ code }) => code === "USER_UPLOAD_QUOTA")).toHaveLength(4);
  expect(others).toMatchObject({ result: "success" });
  expect(success(await user.call(getAttachments, {})).attachments).toHaveLength(2);
  expect(await spaceOf(realm, user.id)).toBe(quota - 200);
});

test("removing a file frees its space", async () => {
  const realm = await newRealm();
  await realm.admin.upload("/user_uploads", file(400));
  const [kept] = success(await realm.admin.call(getAttachments, {})).attachments;

  await realm.admin.request("DELETE", `/attachments/${kept?.id}`);

  expect(await spaceOf(realm, realm.admin.id)).toBe(0);
});
