import { getServerSettings } from "@skein/api/server-settings.ts";
import { removeRealmIcon, removeRealmLogo, uploadRealmIcon } from "@skein/api/realm-icon.ts";
import sharp from "sharp";
import { expect, test } from "vitest";
import { fetchAs } from "../../../../test/files.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { sendToChannel, channelOf } from "../../../../test/actions.ts";

const picture = (width = 300, height = 200) =>
  sharp({ create: { width, height, channels: 3, background: "red" } })
    .png()
    .toBuffer();

const uploadIcon = async ({ admin }: TestRealm, bytes?: Buffer) =>
  admin.upload("/realm/icon", { "icon.png": bytes ?? (await picture()) });

// spec 4.23: realm_icon
test("a new icon is emitted to everybody and served to anyone", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet", { role: 600 });
  const stranger = await (await newRealm()).admin.register(["realm"]);
  const queue = await hamlet.register(["realm"]);

  const answer = await uploadIcon(realm);

  const icon_url = `/user_avatars/${realm.id}/realm/icon.png?version=2`;
  expect(answer).toEqual({ result: "success", msg: "", icon_url });
  const data = { icon_url, icon_source: "U" };
  expect(await queue.next()).toEqual({ type: "realm", op: "update_dict", property: "icon", data });
  expect(await stranger.all()).toEqual([]);
  const shown = await fetchAs(realm, icon_url);
  expect(shown.headers.get("cache-control")).toContain("immutable");
  expect(shown.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await sharp(Buffer.from(await shown.arrayBuffer())).metadata()).toMatchObject({ width: 100, height: 100 });
  const [node] = realm.nodes;
  expect(node && success(await realm.client(node).call(getServerSettings, {})).realm_icon).toBe(icon_url);
  const led = await fetchAs(hamlet, "/api/v1/realm/icon");
  expect([led.status, led.headers.get("location")]).toEqual([302, icon_url]);
});

test("a removed or replaced icon is gone, and a generated pattern is shown", async () => {
  const realm = await newRealm();
  const before = (await realm.admin.register([], ["realm"])).state.realm_icon_url ?? "";
  const pattern = await (await fetchAs(realm, before)).bytes();
  await uploadIcon(realm);
  await uploadIcon(realm);
  const fixed = `/user_avatars/${realm.id}/realm/icon.png`;
  expect((await fetchAs(realm, fixed)).headers.get("cache-control")).toBe("no-cache");

  const { icon_url } = success(await realm.admin.call(removeRealmIcon, {}));

  expect(icon_url).toBe(before.replace("version=1", "version=4"));
  expect(await sharp(pattern).metadata()).toMatchObject({ format: "png", width: 100, height: 100 });
  expect(await (await fetchAs(realm, icon_url)).bytes()).toEqual(pattern);
});

test("each logo has its own URL and a default", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const queue = await admin.register(["realm"], ["realm"]);
  const wide = { "logo.png": await picture(2000, 100) };

  expect(await admin.upload("/realm/logo", wide, { night: "true" })).toEqual({ result: "success", msg: "" });
  expect(await admin.upload("/realm/logo", wide, { night: "false" })).toEqual({ result: "success", msg: "" });
  success(await admin.call(removeRealmLogo, { night: true }));

  const told = (property: string, address: string, source: string) => ({
    type: "realm",
    op: "update_dict",
    property,
    data: { [`${property}_url`]: address, [`${property}_source`]: source },
  });
  const at = (name: string) => `/user_avatars/${realm.id}/realm/${name}.png?version=2`;
  expect(await queue.next()).toEqual(told("night_logo", at("night_logo"), "U"));
  expect(await queue.next()).toEqual(told("logo", at("logo"), "U"));
  expect(await queue.next()).toEqual(told("night_logo", "/static/images/logo.svg?version=3", "D"));
  const shown = await fetchAs(realm, at("logo"));
  expect(await sharp(Buffer.from(await shown.arrayBuffer())).metadata()).toMatchObject({ width: 800, height: 40 });
  expect((await fetchAs(realm, "/static/images/logo.svg")).headers.get("content-type")).toBe("image/svg+xml");
  const led = await fetchAs(admin, "/api/v1/realm/logo?night=false");
  expect(led.headers.get("location")).toBe(at("logo"));
  expect(await admin.upload("/realm/logo", wide)).toMatchObject({ msg: "Missing 'night' argument" });
});

test("applying the picture events matches a fresh registration", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const channel = await channelOf([admin], "open");
  const queue = await admin.register(["realm", "message"], ["realm"]);

  await uploadIcon(realm);
  await admin.upload("/realm/logo", { a: await picture() }, { night: "true" });
  const followed = await queue.followedState(await sendToChannel(admin, channel));

  const { state } = await admin.register([], ["realm"]);
  expect(followed).toMatchObject({
    realm_icon_url: state.realm_icon_url,
    realm_icon_source: "U",
    realm_night_logo_url: state.realm_night_logo_url,
    realm_night_logo_source: "U",
    realm_logo_url: state.realm_logo_url,
  });
});

test("only administrators can change pictures", async () => {
  const realm = await newRealm();
  const [member, moderator] = [await realm.user("member"), await realm.user("moderator", { role: 300 })];
  const files = { "a.png": await picture() };
  const refusal = { result: "error", msg: "Must be an organization administrator", code: "BAD_REQUEST" };

  for (const user of [member, moderator]) {
    expect(await user.upload("/realm/icon", files)).toEqual(refusal);
    expect(await user.upload("/realm/logo", files, { night: "false" })).toEqual(refusal);
    expect(await user.call(removeRealmIcon, {})).toEqual(refusal);
    expect(await user.call(removeRealmLogo, { night: false })).toEqual(refusal);
  }
});

test("an upload must be exactly one picture that is not too large", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const tooLarge = Buffer.alloc(5 * 1024 ** 2 + 1);

  expect(await admin.call(uploadRealmIcon, {})).toMatchObject({ msg: "You must upload exactly one icon." });
  expect(await admin.upload("/realm/logo", {}, { night: "false" })).toMatchObject({
    msg: "You must upload exactly one logo.",
  });
  expect(await uploadIcon(realm, Buffer.from("<svg/>"))).toMatchObject({ code: "BAD_IMAGE" });
  expect(await uploadIcon(realm, tooLarge)).toMatchObject({
    msg: "Uploaded file is larger than the allowed limit of 5 MiB",
  });
  for (const path of ["/user_avatars/x/realm/icon.png", `/user_avatars/${realm.id}/realm/..%2Fx.png`])
    expect((await fetchAs(realm, path)).status).toBe(404);
});

test("after several concurrent uploads the last event matches the stored picture", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm"]);

  await Promise.all(Array.from({ length: 4 }, () => uploadIcon(realm)));

  const events = [await queue.next(), await queue.next(), await queue.next(), await queue.next()];
  const versions = events.map(
    (event) => event.type === "realm" && event.op === "update_dict" && event.data["icon_url"],
  );
  const at = (version: number) => `/user_avatars/${realm.id}/realm/icon.png?version=${version}`;
  expect(versions).toEqual([2, 3, 4, 5].map(at));
  expect((await fetchAs(realm, at(5))).status).toBe(200);
});
