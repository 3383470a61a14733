import { removeOwnAvatar } from "@skein/api/avatars.ts";
import { sendMessage, getMessage } from "@skein/api/messages.ts";
import { getUser } from "@skein/api/users.ts";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../test/realm.ts";

let red: Buffer;
beforeAll(async () => {
  red = await sharp({ create: { width: 800, height: 300, channels: 3, background: { r: 255, g: 0, b: 0 } } })
    .jpeg()
    .toBuffer();
});

const upload = (user: TestUser, file = red) => user.upload("/users/me/avatar", { "me.jpg": file });

/** A page, as a browser asks for it, or as a client with credentials. */
async function get(realm: TestRealm, path: string, reader?: TestUser): Promise<Response> {
  const headers: Record<string, string> = { "x-forwarded-host": realm.host };
  if (reader) headers["authorization"] = `Basic ${Buffer.from(`${reader.email}:${reader.apiKey}`).toString("base64")}`;
  return fetch((realm.nodes[0]?.url ?? "") + path, { headers, redirect: "manual" });
}

const sizeOf = async (response: Response) => sharp(Buffer.from(await response.arrayBuffer())).metadata();

// spec 6: avatar change, avatar_url, avatar_source, avatar_url_medium, avatar_version
// spec 2.4: avatar_url, avatar_version
test("an uploaded avatar is told to everybody, in two sizes, and stands beside messages", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const elsewhere = await newRealm();
  const outside = await elsewhere.admin.register(["realm_user", "message"]);
  const queue = await guest.register(["realm_user"]);

  const answer = await upload(hamlet);

  const { user } = success(await guest.call(getUser, { user_id: hamlet.id }));
  expect(answer).toEqual({ result: "success", msg: "", avatar_url: user.avatar_url });
  expect(user).toMatchObject({
    avatar_version: 2,
    avatar_url: expect.stringMatching(/^\/user_avatars\/[0-9a-f]{32}\.png\?version=2$/),
  });
  const event = await queue.next();
  const medium = user.avatar_url?.replace(".png", "-medium.png");
  expect(event).toEqual({
    type: "realm_user",
    op: "update",
    person: {
      user_id: hamlet.id,
      avatar_url: user.avatar_url,
      avatar_url_medium: medium,
      avatar_source: "U",
      avatar_version: 2,
    },
  });
  const { id } = success(await hamlet.call(sendMessage, { type: "direct", to: [guest.id], content: "see?" }));
  expect(success(await guest.call(getMessage, { message_id: id })).message.avatar_url).toBe(user.avatar_url);
  const small = await get(realm, user.avatar_url ?? "");
  expect(Object.fromEntries(small.headers)).toMatchObject({
    "content-type": "image/png",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
  expect(await sizeOf(small)).toMatchObject({ format: "png", width: 100, height: 100 });
  expect(await sizeOf(await get(realm, medium ?? ""))).toMatchObject({ width: 500, height: 500 });
  success(await elsewhere.admin.call(sendMessage, { type: "direct", to: [elsewhere.admin.id], content: "end" }));
  expect(await outside.next()).toMatchObject({ type: "message" });
});

test("a removed avatar is gone, and so is one that another replaced", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const urls = [String((await upload(hamlet))["avatar_url"]), String((await upload(hamlet))["avatar_url"])];
  const queue = await hamlet.register(["realm_user"], ["realm_user"]);

  const { avatar_url } = success(await hamlet.call(removeOwnAvatar, {}));

  for (const url of urls) expect((await get(realm, url)).status).toBe(404);
  expect(avatar_url).toMatch(/^https:\/\/secure\.gravatar\.com\/avatar\//);
  expect(await queue.next()).toMatchObject({ person: { avatar_source: "G", avatar_version: 4, avatar_url: null } });
});

test("who followed avatars holds what a fresh registration says", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  for (const client_gravatar of [true, false]) {
    const queue = await hamlet.register(undefined, ["realm_user"], { client_gravatar });

    await upload(hamlet);
    if (client_gravatar) success(await hamlet.call(removeOwnAvatar, {}));

    const fresh = await hamlet.register([], ["realm_user"], { client_gravatar });
    const { id } = success(await hamlet.call(sendMessage, { type: "direct", to: [hamlet.id], content: "end" }));
    const followed = await queue.followedState(id);
    for (const part of ["realm_users", "avatar_url", "avatar_url_medium", "avatar_source"] as const)
      expect(followed[part]).toEqual(fresh.state[part]);
  }
});

test("only a picture is taken, exactly one, and not too large", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const undecodable = {
    result: "error",
    msg: "Could not decode image; did you upload an image file?",
    code: "BAD_IMAGE",
  };

  expect(await upload(hamlet, Buffer.from("<script>alert(1)</script>"))).toEqual(undecodable);
  expect(await upload(hamlet, Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))).toEqual(undecodable);
  expect(await upload(hamlet, Buffer.alloc(5 * 1024 ** 2 + 1))).toMatchObject({
    msg: "Uploaded file is larger than the allowed limit of 5 MiB",
  });
  expect(await hamlet.upload("/users/me/avatar", {})).toMatchObject({ msg: "You must upload exactly one avatar." });
  expect(success(await hamlet.call(getUser, { user_id: hamlet.id })).user.avatar_version).toBe(1);
});

test("where the organization has ruled avatars out, administrators alone change theirs", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await realm.ctx.db.updateTable("realms").set({ avatar_changes_disabled: true }).where("id", "=", realm.id).execute();
  const refusal = {
    result: "error",
    msg: "Avatar changes are disabled in this organization.",
    code: "BAD_REQUEST",
  };

  expect(await upload(hamlet)).toEqual(refusal);
  expect(await hamlet.call(removeOwnAvatar, {})).toEqual(refusal);
  expect(await upload(realm.admin)).toMatchObject({ result: "success" });
});

test("of several uploads at once the last that is told is the one that is there", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");

  const answers = await Promise.all(Array.from({ length: 4 }, () => upload(hamlet)));

  const { user } = success(await hamlet.call(getUser, { user_id: hamlet.id }));
  expect(user.avatar_version).toBe(5);
  const statuses = await Promise.all(
    answers.map(async (answer) => [answer["avatar_url"], (await get(realm, String(answer["avatar_url"]))).status]),
  );
  expect(statuses.filter(([, status]) => status === 200)).toEqual([[user.avatar_url, 200]]);
});

test("an avatar is found by id and by address, for those who see the user", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const stranger = (await newRealm()).admin;
  const { avatar_url } = await upload(hamlet);
  const location = async (path: string, who?: TestUser) => (await get(realm, path, who)).headers.get("location");

  expect(await location(`/avatar/${hamlet.id}`, reader)).toBe(avatar_url);
  expect(await location(`/avatar/${hamlet.id}/medium`, reader)).toContain("-medium.png");
  expect(await location(`/avatar/${encodeURIComponent(hamlet.email)}`, reader)).toBe(avatar_url);
  expect(await location(`/avatar/nobody@${realm.host}`, reader)).toBe("/static/images/unknown-user-avatar.png");
  expect(await location(`/avatar/${reader.id}`, reader)).toMatch(/^https:\/\/secure\.gravatar\.com\//);
  expect((await get(realm, `/avatar/${hamlet.id}`, stranger)).status).toBe(401);
});

test("without credentials an id leads to a pattern that tells nothing of the user", async () => {
  const realm = await newRealm();
  const shy = await realm.user("shy");
  await upload(shy);
  const location = async (path: string) => (await get(realm, path)).headers.get("location");

  const pattern = /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/;
  expect(await location(`/avatar/${shy.id}`)).toMatch(pattern);
  expect(await location("/avatar/999999999")).toMatch(pattern);
  expect((await get(realm, `/avatar/${shy.email}`)).status).toBe(401);
  const wrongKey = await get(realm, `/avatar/${shy.id}?api_key=${"x".repeat(32)}`);
  expect(wrongKey.status).toBe(401);
  expect(await wrongKey.json()).toMatchObject({ code: "INVALID_API_KEY" });
});

test("nothing but an avatar's file is given out, and the stranger's picture is one", async () => {
  const realm = await newRealm();

  for (const path of [
    "/user_avatars/..%2F..%2Fetc%2Fpasswd",
    "/user_avatars/x.png",
    `/user_avatars/${"0".repeat(32)}.png`,
  ])
    expect((await get(realm, path)).status).toBe(404);
  const stranger = await get(realm, "/static/images/unknown-user-avatar.png");
  expect(stranger.headers.get("content-type")).toBe("image/png");
  expect(await sizeOf(stranger)).toMatchObject({ format: "png", width: 100, height: 100 });
});
