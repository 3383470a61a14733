/** Browsers that are signed in: listed and ended by their user and by administrators; and the mail about new ones. */
import { fetchApiKey } from "@skein/api/authentication.ts";
import { updateSettings } from "@skein/api/settings.ts";
import * as sessions from "@skein/api/sessions.ts";
import { expect, test } from "vitest";
import { mailTo } from "../../../../test/mail.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { password, TestBrowser, withPassword } from "../../../../test/test-browser.ts";

async function signedIn(realm: TestRealm, user: Awaited<ReturnType<typeof withPassword>>): Promise<TestBrowser> {
  const browser = new TestBrowser(realm);
  expect(await browser.signIn(user)).toMatchObject({ status: 303 });
  return browser;
}

interface Listed {
  id: number;
  is_current: boolean;
  ip: string | null;
  user_agent: string | null;
}
const listed = async (browser: TestBrowser): Promise<Listed[]> =>
  (await browser.call("GET", "/users/me/sessions"))["sessions"] as Listed[]; // as declared

const longAgo = new Date(2020, 0);
const joinedLongAgo = (realm: TestRealm, id: number) =>
  realm.ctx.db.updateTable("users").set({ date_joined: longAgo }).where("id", "=", id).execute();

test("each browser sees all, and which one it is", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const [one, two] = [await signedIn(realm, hamlet), await signedIn(realm, hamlet)];

  const [ofOne, ofTwo] = [await listed(one), await listed(two)];

  expect(ofOne).toHaveLength(2);
  expect(ofOne.filter(({ is_current }) => is_current)).toMatchObject([{ ip: "127.0.0.1" }]);
  expect(typeof ofOne[0]?.user_agent).toBe("string");
  expect(ofOne.find(({ is_current }) => is_current)?.id).not.toBe(ofTwo.find(({ is_current }) => is_current)?.id);
  expect(success(await hamlet.call(sessions.getSessions, {})).sessions).toMatchObject([
    { is_current: false },
    { is_current: false },
  ]);
  expect(JSON.stringify(ofOne)).not.toContain(one.cookies.get("sessionid"));
});

test("a session that is ended is refused on every node, and the own one goes on", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const [own, other, third] = [
    await signedIn(realm, hamlet),
    await signedIn(realm, hamlet),
    await signedIn(realm, hamlet),
  ];
  for (const node of [0, 1]) await other.call("GET", "/users/me", {}, { node });
  const id = (await listed(other)).find(({ is_current }) => is_current)?.id;

  expect(await own.call("DELETE", `/users/me/sessions/${id}`)).toMatchObject({ result: "success" });

  for (const node of [0, 1])
    expect(await other.call("GET", "/users/me", {}, { node })).toMatchObject({ code: "UNAUTHORIZED" });
  expect(await own.call("DELETE", "/users/me/sessions")).toMatchObject({ result: "success" });
  expect(await third.call("GET", "/users/me")).toMatchObject({ code: "UNAUTHORIZED" });
  expect(await listed(own)).toMatchObject([{ is_current: true }]);
  expect(await own.call("DELETE", `/users/me/sessions/${id}`)).toMatchObject({ msg: "Session does not exist." });
});

test("administrators list and end the sessions of others, but not those of owners; members do not", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const [admin, stranger] = [await realm.user("admin", { role: 200 }), await realm.user("stranger")];
  const browser = await signedIn(realm, hamlet);
  const session_id = (await listed(browser))[0]?.id ?? 0;
  const theirs = { user_id: hamlet.id };

  expect(await stranger.call(sessions.getUserSessions, theirs)).toMatchObject({ result: "error" });
  expect(await stranger.call(sessions.deleteUserSession, { ...theirs, session_id })).toMatchObject({ result: "error" });
  expect(await stranger.call(sessions.deleteSession, { session_id })).toMatchObject({ msg: "Session does not exist." });
  expect(success(await admin.call(sessions.getUserSessions, theirs)).sessions).toMatchObject([{ id: session_id }]);
  expect(
    await admin.call(sessions.deleteUserSession, { user_id: realm.admin.id, session_id: 987_654_321 }),
  ).toMatchObject({ msg: "Must be an organization owner" });
  success(await admin.call(sessions.deleteUserSession, { ...theirs, session_id }));
  expect(await browser.call("GET", "/users/me")).toMatchObject({ code: "UNAUTHORIZED" });
});

/** Signs in with an app, whose mail can be told from those about browsers. */
async function signInWithApp(realm: TestRealm, email: string): Promise<void> {
  const [node] = realm.nodes;
  if (node) success(await realm.client(node).call(fetchApiKey, { username: email, password }));
}

test("a sign-in from a new browser or app is mailed, from a known browser it is not", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  await joinedLongAgo(realm, hamlet.id);

  const browser = await signedIn(realm, hamlet);

  const mail = await mailTo(hamlet.email);
  expect(mail.subject).toContain("New sign-in to ");
  expect(mail.text).toContain("Device: Mozilla");
  expect(mail.text).toContain("IP address: 127.0.0.1");
  await browser.signIn(hamlet);
  await signInWithApp(realm, hamlet.email);
  expect((await mailTo(hamlet.email)).text).not.toContain("Mozilla");
});

test("nobody is mailed who has just joined, or does not want it", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");

  await signedIn(realm, hamlet);
  await joinedLongAgo(realm, hamlet.id);
  success(await hamlet.call(updateSettings, { enable_login_emails: false }));
  await signedIn(realm, hamlet);
  success(await hamlet.call(updateSettings, { enable_login_emails: true }));
  await signInWithApp(realm, hamlet.email);

  expect((await mailTo(hamlet.email)).text).not.toContain("Mozilla");
});
