import { createHash } from "node:crypto";
import { avatarColor } from "@skein/api/avatar-color.ts";
import { removeOwnAvatar } from "@skein/api/avatars.ts";
import { sendMessage, getMessage } from "@skein/api/messages.ts";
import { getUser, getUsers } from "@skein/api/users.ts";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";

let red: Buffer;
beforeAll(async () => {
  red = await sharp({ create: { width: 800, height: 300, channels: 3, background: { r: 255, g: 0, b: 0 } } })
    .jpeg()
    .toBuffer();
});

const upload = (user: TestUser, file = red) => user.upload("/users/me/avatar", { "me.jpg": file });

/** Fetches a page, as a browser or as a client with credentials. */
async function get(realm: TestRealm, path: string, reader?: TestUser): Promise<Response> {
  const headers: Record<string, string> = { "x-forwarded-host": realm.host };
  if (reader) headers["authorization"] = `Basic ${Buffer.from(`${reader.email}:${reader.apiKey}`).toString("base64")}`;
  return fetch((realm.nodes[0]?.url ?? "") + path, { headers, redirect: "manual" });
}

const sizeOf = async (response: Response) => sharp(Buffer.from(await response.arrayBuffer())).metadata();

// spec 6: avatar change, avatar_url, avatar_source, avatar_url_medium, avatar_version
// spec 2.4: avatar_url, avatar_version
test("an uploaded avatar is sent to everyone in two sizes and shown with messages", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const elsewhere = await newRealm();
  const outside = await elsewhere.admin.register(["realm_user", "message"]);
  const queue = await guest.register(["realm_user"]);

  const response = await upload(hamlet);

  const { user } = success(await guest.call(getUser, { user_id: hamlet.id }));
  expect(response).toEqual({ result: "success", msg: "", avatar_url: user.avatar_url });
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

test("a removed avatar is deleted, and so is a replaced one", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const urls = [String((await upload(hamlet))["avatar_url"]), String((await upload(hamlet))["avatar_url"])];
  const queue = await hamlet.register(["realm_user"], ["realm_user"]);

  const { avatar_url } = success(await hamlet.call(removeOwnAvatar, {}));

  for (const url of urls) expect((await get(realm, url)).status).toBe(404);
  expect(avatar_url).toBe(`/avatar/${hamlet.id}?version=4`);
  expect(await queue.next()).toMatchObject({ person: { avatar_source: "G", avatar_version: 4, avatar_url } });
});

test("a client that applied avatar events has the same state as a fresh registration", async () => {
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

test("an upload must be exactly one image and not too large", async () => {
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

test("where avatar changes are disabled, only administrators change theirs", async () => {
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

test("after concurrent uploads the last event is about the stored avatar", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");

  const responses = await Promise.all(Array.from({ length: 4 }, () => upload(hamlet)));

  const { user } = success(await hamlet.call(getUser, { user_id: hamlet.id }));
  expect(user.avatar_version).toBe(5);
  const statuses = await Promise.all(
    responses.map(async (response) => [
      response["avatar_url"],
      (await get(realm, String(response["avatar_url"]))).status,
    ]),
  );
  expect(statuses.filter(([, status]) => status === 200)).toEqual([[user.avatar_url, 200]]);
});

test("an avatar is found by id and by e-mail address, for readers who can see the user", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const stranger = (await newRealm()).admin;
  const { avatar_url } = await upload(hamlet);
  const location = async (path: string, who?: TestUser) => (await get(realm, path, who)).headers.get("location");

  expect(await location(`/avatar/${hamlet.id}`, reader)).toBe(avatar_url);
  expect(await location(`/avatar/${hamlet.id}/medium`, reader)).toContain("-medium.png");
  expect(await location(`/avatar/${encodeURIComponent(hamlet.email)}`, reader)).toBe(avatar_url);
  expect(await location(`/avatar/nobody@${realm.host}`, reader)).toBe("/static/images/unknown-user-avatar.png");
  expect(await location(`/avatar/${reader.id}`, reader)).toBeNull();
  expect((await get(realm, `/avatar/${hamlet.id}`, stranger)).status).toBe(401);
});

test("users without a picture have a generated one of their own, at the URL that others receive", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const { members } = success(await reader.call(getUsers, {}));
  const address = (user: TestUser) => members.find(({ user_id }) => user_id === user.id)?.avatar_url ?? "";
  const fetched = async (path: string) => (await get(realm, path, reader)).bytes();

  const [first, second] = [await get(realm, address(hamlet), reader), await fetched(address(reader))];
  const bytes = await first.bytes();

  expect(address(hamlet)).toBe(`/avatar/${hamlet.id}?version=1`);
  expect(first.headers.get("content-type")).toBe("image/png");
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 100, height: 100 });
  const corner = await sharp(bytes).extract({ left: 0, top: 0, width: 1, height: 1 }).removeAlpha().raw().toBuffer();
  expect(`#${corner.toString("hex").toUpperCase()}`).toBe(avatarColor(hamlet.id));
  expect(Buffer.compare(bytes, second)).not.toBe(0);
  expect(await sharp(await fetched(`/avatar/${hamlet.id}/medium`)).metadata()).toMatchObject({ width: 500 });
});

test("with Gravatar enabled, clients compute its URLs or are redirected, for e-mail addresses they may see", async () => {
  const realm = await newRealm([await startNode({ environment: { SKEIN_GRAVATAR: "true", SKEIN_ROLES: "api" } })]);
  const [hamlet, shy] = [await realm.user("hamlet"), await realm.user("shy")];
  await realm.ctx.db.updateTable("users").set({ email_address_visibility: 3 }).where("id", "=", shy.id).execute();
  const hash = createHash("md5").update(hamlet.email.toLowerCase()).digest("hex");

  const { state } = await hamlet.register([], ["realm_user"]);
  const pictures = new Map(state.realm_users?.map(({ user_id, avatar_url }) => [user_id, avatar_url]));
  const led = await get(realm, `/avatar/${hamlet.id}?version=1`, hamlet);

  expect([pictures.get(hamlet.id), pictures.get(shy.id)]).toEqual([null, `/avatar/${shy.id}?version=1`]);
  expect(led.headers.get("location")).toBe(`https://secure.gravatar.com/avatar/${hash}?d=identicon&version=1`);
  expect((await get(realm, `/avatar/${shy.id}`, hamlet)).headers.get("content-type")).toBe("image/png");
});

test("without credentials an id gives a pattern that reveals nothing about the user", async () => {
  const realm = await newRealm();
  const shy = await realm.user("shy");
  const before = await (await get(realm, `/avatar/${shy.id}`)).bytes();
  await upload(shy);

  expect(await (await get(realm, `/avatar/${shy.id}`)).bytes()).toEqual(before);
  expect((await get(realm, "/avatar/999999999")).headers.get("content-type")).toBe("image/png");
  expect((await get(realm, `/avatar/${shy.email}`)).status).toBe(401);
  const wrongKey = await get(realm, `/avatar/${shy.id}?api_key=${"x".repeat(32)}`);
  expect(wrongKey.status).toBe(401);
  expect(await wrongKey.json()).toMatchObject({ code: "INVALID_API_KEY" });
});

test("only avatar files are served, including the unknown user's picture", async () => {
  const realm = await newRealm();

  for (const path of [
    "/user_avatars/..%2F..%2Fetc%2Fpasswd",
    "/user_avatars/x.png",
    `/user_avatars/${"0".repeat(32)}.png`,
  ])
    expect((await get(realm, path)).status).toBe(404);
  const unknownUser = await get(realm, "/static/images/unknown-user-avatar.png");
  expect(unknownUser.headers.get("content-type")).toBe("image/png");
  expect(await sizeOf(unknownUser)).toMatchObject({ format: "png", width: 100, height: 100 });
});

test("one user's many large pictures do not block others', and more than a few are refused", async () => {
  const realm = await newRealm();
  const other = await realm.user("other");
  const large = await sharp({ create: { width: 3000, height: 3000, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const ended: string[] = [];
  const send = async (user: TestUser, bytes: Buffer, who: string) => {
    const response = await upload(user, bytes);
    ended.push(who);
    return response;
  };

  const many = Array.from({ length: 30 }, () => send(realm.admin, large, "many"));
  const responses = await Promise.all([...many, send(other, red, "other")]);

  const refused = responses.filter(({ code }) => code === "RATE_LIMIT_HIT");
  expect(responses.at(-1)).toMatchObject({ result: "success" });
  expect(refused.length).toBeGreaterThan(0);
  // It waits for pictures already being decoded, not for all that are queued.
  const decodedBefore = ended.slice(0, ended.indexOf("other")).length - refused.length;
  expect(decodedBefore).toBeLessThan(10);
});
