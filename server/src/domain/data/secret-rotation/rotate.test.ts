import { createBot, getBots } from "@skein/api/bots.ts";
import { createInvitationLink, getInvitations } from "@skein/api/invitations.ts";
import { addFcmToken } from "@skein/api/push-devices.ts";
import { removeTotp } from "@skein/api/second-factors.ts";
import { expect, test } from "vitest";
import { messageFor, sendDirect } from "../../../../test/actions.ts";
import { codeAt, withApp } from "../../../../test/authenticator-app.ts";
import { Commands } from "../../../../test/commands.ts";
import { startNode } from "../../../../test/nodes.ts";
import { startOwnServer } from "../../../../test/own-server.ts";
import { newRealm, success } from "../../../../test/realm.ts";
import { readProxyUrl } from "../../messages/previews/proxy-url.ts";

const [first, next] = ["the first secret, which is long enough", "the next secret, which is long enough"];

test("after a rotation the new secret alone opens everything that was stored with the old one", async () => {
  const server = await startOwnServer({ SKEIN_SECRET: first, SKEIN_SECOND_SECRET: next });
  const realm = await newRealm([server]);
  const { admin } = realm;
  const hook = { payload_url: "https://jester.example.com/hook", service_name: "jester" };
  success(await admin.call(createBot, { full_name: "Yorick", short_name: "yorick", bot_type: 3, ...hook }));
  success(await admin.call(createInvitationLink, {}));
  success(await admin.call(addFcmToken, { token: "a-device" }));
  const { secret: appSecret } = await withApp(admin);
  const id = await sendDirect(admin, [admin], { content: "https://example.org/skull.png" });
  const bots = success(await admin.call(getBots, {}));
  const invites = success(await admin.call(getInvitations, {}));
  const [, picture = ""] = /"(\/external_content\/[^"]+)"/.exec((await messageFor(admin, id)).content) ?? [];
  expect(readProxyUrl({ secret: first, secondSecret: "" }, picture)).toBe("https://example.org/skull.png");
  const skein = new Commands(server.ctx, { SKEIN_SECRET: next, SKEIN_SECOND_SECRET: first });

  const done = await skein.json("secret", "rotate");

  // The bot's key, its webhook's token and URL, the invitation link, the device, the authenticator app.
  expect(done).toEqual({ secrets: 6, unreadable: 0, messages: 1 });
  expect(await skein.json("secret", "rotate")).toEqual({ secrets: 0, unreadable: 0, messages: 0 });
  const { databaseUrl, logName } = server.ctx.config;
  const own = { SKEIN_DATABASE_URL: databaseUrl, SKEIN_LOG_NAME: logName, SKEIN_ROLES: "api" };
  const newest = await startNode({ environment: { ...own, SKEIN_SECRET: next } });
  const client = realm.client(newest, { email: admin.email, apiKey: admin.apiKey });
  expect(success(await client.call(getBots, {}))).toEqual(bots);
  expect(success(await client.call(getInvitations, {}))).toEqual(invites);
  expect(success(await admin.call(getBots, {}))).toEqual(bots);
  success(await client.call(removeTotp, { code: codeAt(appSecret) }));
  const [, renewed = ""] = /"(\/external_content\/[^"]+)"/.exec((await messageFor(admin, id)).content) ?? [];
  expect(readProxyUrl({ secret: next, secondSecret: "" }, renewed)).toBe("https://example.org/skull.png");
  const single = new Commands(server.ctx, { SKEIN_SECRET: next });
  await expect(single.text("secret", "rotate")).rejects.toThrow("Set both");
});
