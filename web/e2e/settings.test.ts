/** People change their own settings: profile, account, bots, and the lists of what they muted, uploaded and want to hear of. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createApiKey, getApiKeys } from "@skein/api/api-keys.ts";
import { addAlertWords, getAlertWords } from "@skein/api/alert-words.ts";
import { getBots } from "@skein/api/bots.ts";
import { muteUser } from "@skein/api/muted-users.ts";
import { createProfileField } from "@skein/api/profile-fields.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { register } from "@skein/api/registration.ts";
import { getSecondFactors } from "@skein/api/second-factors.ts";
import { updateSubscriptionSettings } from "@skein/api/subscriptions.ts";
import { getAttachments } from "@skein/api/uploads.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { success, type TestUser } from "../../server/test/realm.ts";
import { channelOf, sendToChannel } from "../../server/test/actions.ts";
import { codeAt, forgetUse, withApp } from "../../server/test/authenticator-app.ts";
import { password } from "../../server/test/test-browser.ts";
import { revoke } from "../../server/src/events/revoke.ts";
import { endBrowserSessions } from "../../server/src/domain/people/auth/browser-sessions.ts";
import { composer, goTo, newRealm, openClient, openPrepared, siteOf, useClient, withPassword } from "./client.ts";
import { picture, uploadAs } from "./files.ts";
import { Keyboard } from "./keyboard.ts";

useClient();

const button = (page: Page, name: string | RegExp) => page.locator("#main").getByRole("button", { name });

async function stateOf(user: TestUser) {
  const client_capabilities = { notification_settings_null: true, user_settings_object: true };
  return success(await user.call(register, { client_capabilities }));
}

/** Ada, whose password is known, with her settings open; Bo is there too. */
async function openSettings(section: string) {
  const realm = await newRealm();
  const [ada, bo] = [await withPassword(realm, "ada"), await realm.user("bo")];
  const page = await openClient(ada, { at: `#settings/${section}` });
  return { realm, ada, bo, page };
}

test("a refused setting returns to its old value, with the reason beside it", async () => {
  const { page } = await openSettings("preferences");
  const size = page.getByRole("spinbutton", { name: /^Text size/ });
  await page.route("**/json/settings", (route) =>
    route.fulfill({ status: 400, json: { result: "error", msg: "Not today", code: "BAD_REQUEST" } }),
  );

  await size.fill("20");
  await size.press("Enter");
  await page.getByRole("alert").filter({ hasText: "Not today" }).waitFor();

  expect(await size.inputValue()).toBe("16");
});

test("a search over all settings goes to the one found", async () => {
  const { page } = await openSettings("profile");

  await page.getByRole("searchbox", { name: "Find a setting" }).fill("password");
  await page.getByRole("link", { name: /Change password/ }).click();

  await page.getByRole("heading", { name: "Account & security" }).waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest("[id^=setting-]")?.id))
    .toBe("setting-password");
});

test("a profile is edited, and the other person sees it", async () => {
  const { realm, ada, bo, page } = await openSettings("profile");
  const fields = [
    { name: "Team", field_type: 1 as const },
    { name: "Born", field_type: 4 as const },
    { name: "Lead", field_type: 6 as const },
    { name: "Office", field_type: 3 as const, field_data: { "0": { text: "Turin", order: "1" } } },
  ];
  for (const field of fields) success(await realm.admin.call(createProfileField, field));
  const other = await openClient(bo, { at: `#user/${ada.id}` });

  const name = page.getByLabel("Name", { exact: true });
  await name.fill("Ada Lovelace");
  await name.press("Enter");
  await other.getByText("Ada Lovelace").first().waitFor();
  await page.getByRole("textbox", { name: "Status" }).fill("Computing");
  await page.keyboard.press("Enter");
  await other.getByText("Computing").waitFor();
  await page.getByLabel("Team").fill("Engines");
  await page.keyboard.press("Enter");
  await page.getByLabel("Born").fill("1815-12-10");
  await page.getByLabel("Office").selectOption("Turin");
  await page.getByRole("combobox", { name: "Lead" }).fill("bo");
  await page.getByRole("listbox", { name: "Suggestions" }).getByRole("option", { name: /^bo/ }).click();

  const profile = async () =>
    Object.values(success(await ada.call(getOwnUser, {})).profile_data ?? {}).map(({ value }) => value);
  await expect.poll(profile).toEqual(["Engines", "1815-12-10", `[${bo.id}]`, "0"]);
  await page.reload();
  await expect.poll(() => page.getByLabel("Team").inputValue()).toBe("Engines");
});

test("a picture is cropped by keyboard, shown, and removed", async () => {
  const { ada, page } = await openSettings("profile");
  const keys = new Keyboard(page);
  const source = async () => (await stateOf(ada)).avatar_source;

  const chooser = page.waitForEvent("filechooser");
  await button(page, "Choose a picture").focus();
  await keys.press("Enter");
  await (await chooser).setFiles({ name: "wide.png", mimeType: "image/png", buffer: await picture() });
  await keys.tabTo(/^Zoom/);
  await keys.press("ArrowRight", "ArrowRight");
  await keys.tabTo(/^Left to right/);
  await keys.press("ArrowLeft");
  await keys.tabTo(/^Use picture/);
  await keys.press("Enter");
  await expect.poll(source).toBe("U");
  await button(page, "Remove picture").click();

  await expect.poll(source).toBe("G");
});

test("a channel with its own notifications returns to the general ones", async () => {
  const { ada, page } = await openSettings("notifications");
  const channel = await channelOf([ada], "design");
  const change = { stream_id: channel.id, property: "push_notifications", value: true };
  success(await ada.call(updateSubscriptionSettings, { subscription_data: [change] }));

  await page.getByText("Mobile on").waitFor();
  await button(page, "Use the settings above for design").click();
  await page.getByText("No channel differs").waitFor();

  // The page shows the change before the server has confirmed it.
  const notifies = async () => (await stateOf(ada)).subscriptions?.[0]?.push_notifications;
  await expect.poll(notifies).toBeNull();
});

test("a test notification says what reached the reader", async () => {
  const realm = await newRealm();
  const ada = await realm.user("ada");
  const page = await openPrepared(ada, "#settings/notifications", async (window) => {
    await window.context().grantPermissions(["notifications"]);
  });

  await button(page, "Send me a test").click();

  const results = page.getByRole("status", { name: "Send me a test" });
  await expect.poll(() => results.innerText()).toBe("Desktop: shown.\nSound: played.");
});

test("a password is changed with the old one; a wrong one is refused beside the field", async () => {
  const { page } = await openSettings("account");
  const [before, after] = [page.getByLabel("Current password"), page.getByLabel("New password")];

  await before.fill("not it");
  await after.fill("nine unusual geese");
  await button(page, "Change password").click();
  await page.getByText("Wrong password!").waitFor();
  await before.fill(password);
  await button(page, "Change password").click();

  await page.getByText("Password changed.").waitFor();
  expect(await after.inputValue()).toBe("");
});

test("an API key is created by keyboard with scopes and an end, shown once, renamed and revoked", async () => {
  const { ada, page } = await openSettings("api-keys");
  const keys = new Keyboard(page);
  const dialog = page.getByRole("dialog");
  const list = page.getByRole("list", { name: "API keys" });
  await list.getByText("May do everything").waitFor();

  await button(page, "Create an API key").focus();
  await keys.press("Enter");
  await keys.type("Nightly report");
  await keys.tabTo(/^Expires/);
  await keys.type("In 30");
  await keys.tabTo(/^messages:read/);
  await keys.press("Space");
  await keys.tabTo(/^Create key/);
  await keys.press("Enter");
  const shown = dialog.getByRole("status", { name: "API key" });
  await shown.waitFor();
  const secret = await shown.innerText();
  await keys.tabTo(/^Done/);
  await keys.press("Enter");
  const row = list.getByRole("listitem").filter({ hasText: "Nightly report" });
  await row.getByText("messages:read").waitFor();
  await row.getByText(/Expires .* · |Expires/).waitFor();
  expect(await page.content()).not.toContain(secret);
  const { api_keys } = success(await ada.call(getApiKeys, {}));
  const [made] = api_keys;
  expect(made).toMatchObject({ name: "Nightly report", scopes: ["messages:read"], kind: "personal" });
  expect((made?.expires_at ?? 0) - Date.now() / 1000).toBeCloseTo(30 * 86_400, -4);

  await row.getByRole("button", { name: "Rename" }).click();
  await dialog.getByLabel("Name").fill("Weekly report");
  await page.keyboard.press("Enter");
  const renamed = list.getByRole("listitem").filter({ hasText: "Weekly report" });
  await renamed.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await renamed.waitFor({ state: "detached" });
  // Focus is not lost with the row.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("API keys");
  expect(success(await ada.call(getApiKeys, {})).api_keys).toHaveLength(1);
});

test("a key that is created elsewhere appears, and replacing keys ends the others", async () => {
  const { ada, page } = await openSettings("api-keys");
  const dialog = page.getByRole("dialog");
  const list = page.getByRole("list", { name: "API keys" });
  await list.waitFor();

  success(await ada.call(createApiKey, { name: "Elsewhere", scopes: ["files"] }));
  await list.getByText("Elsewhere").waitFor();
  await button(page, "Replace all my keys").click();
  await dialog.getByLabel("Your password").fill("not it");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Your password").fill(password);
  await page.keyboard.press("Enter");

  await page.getByRole("status", { name: "API key" }).waitFor();
  await list.getByText("Elsewhere").waitFor({ state: "detached" });
  expect((await ada.call(getOwnUser, {})).result).toBe("error");
});

test("an authenticator app is set up by keyboard; keys and signing in again then need its code", async () => {
  const { realm, ada, page } = await openSettings("account");
  const dialog = page.getByRole("dialog");
  const enter = async (label: string, text: string): Promise<void> => {
    await dialog.getByLabel(label, { exact: true }).fill(text);
    await page.keyboard.press("Enter");
  };

  await button(page, "Set up an authenticator app").press("Enter");
  await enter("Your password", password);
  const secret = await dialog.getByRole("status", { name: "Key" }).innerText();
  const url = await dialog.getByRole("link", { name: "Open in an authenticator app" }).getAttribute("href");
  expect(new URL(url ?? "").searchParams.get("secret")).toBe(secret);
  await enter("Code", codeAt(secret));
  const codes = await page.getByRole("status", { name: "Recovery codes" }).innerText();
  expect(codes.split(" ")).toHaveLength(10);
  await page.getByText("You have 10 recovery codes left.").waitFor();

  await goTo(page, "#settings/api-keys");
  await button(page, "Replace all my keys").click();
  await enter("Your password", password);
  await enter("Code", codes.split(" ")[0] ?? "");
  await page.getByRole("status", { name: "API key" }).waitFor();

  await goTo(page, "#settings/account");
  await page.getByText("You have 9 recovery codes left.").waitFor();
  await forgetUse(ada);
  await revoke(realm.ctx, "end a test's sessions", (tx) => endBrowserSessions(tx, { id: ada.id, realm_id: realm.id }));
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
  await enter("Password", password);
  await enter("Code", codeAt(secret));
  await dialog.waitFor({ state: "detached" });

  await button(page, "Remove the authenticator app").click();
  await enter("Code", codes.split(" ")[1] ?? "");
  await button(page, "Set up an authenticator app").waitFor();
});

test("a dangerous change asks who is there, with the password or a code, and is then made", async () => {
  const { realm, ada, page } = await openSettings("api-keys");
  const dialog = page.getByRole("dialog", { name: "Confirm that it’s you" });
  const letTimePass = () =>
    realm.ctx.db
      .updateTable("browser_sessions")
      .set({ confirmed_at: new Date(0) })
      .where("user_id", "=", ada.id)
      .execute();
  const create = async (name: string): Promise<void> => {
    await button(page, "Create an API key").click();
    const form = page.getByRole("dialog").first();
    await form.getByLabel("Name").fill(name);
    await form.getByRole("checkbox", { name: /^messages:read/ }).check();
    await form.getByRole("button", { name: "Create key" }).click();
  };
  const enter = async (label: string, text: string): Promise<void> => {
    await dialog.getByLabel(label, { exact: true }).fill(text);
    await page.keyboard.press("Enter");
  };

  await letTimePass();
  await create("Backup");
  await enter("Password", "not the password");
  await dialog.getByText("Wrong password!").waitFor();
  await enter("Password", password);
  await page.getByRole("status", { name: "API key" }).waitFor();
  expect(success(await ada.call(getApiKeys, {})).api_keys.map(({ name }) => name)).toContain("Backup");

  await page.reload();
  const { secret } = await withApp(ada);
  await letTimePass();
  await create("Archive");
  await enter("Code", codeAt(secret));
  await page.getByRole("status", { name: "API key" }).waitFor();

  await page.reload();
  await letTimePass();
  await create("Third");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Confirm that it is you to do this.").waitFor();
});

test("when a second factor becomes required, signing in again sets one up and returns to the same place", async () => {
  const { realm, ada, page } = await openSettings("account");
  await withApp(realm.admin);

  success(await realm.admin.call(updateRealm, { second_factor_required_for: "members" }));
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
  await page.getByLabel("Code").fill(codeAt(await page.getByLabel("Key").inputValue()));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Save your recovery codes" }).waitFor();
  await page.getByRole("link", { name: "Continue" }).click();

  await page.getByText("You have 10 recovery codes left.").waitFor();
  expect(success(await ada.call(getSecondFactors, {})).totp).not.toBeNull();
});

test("a passkey is added, signs in alone, after the password and again, and is removed", async () => {
  // Browsers have passkeys for this host without TLS.
  const realm = await newRealm(undefined, "localhost");
  const ada = await withPassword(realm, "ada");
  const site = `http://${realm.host}:${new URL(siteOf(realm)).port}`;
  const prepare = async (page: Page): Promise<void> => {
    await page.context().setExtraHTTPHeaders({});
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("WebAuthn.enable");
    const verifying = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
    const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, ...verifying } as const;
    await cdp.send("WebAuthn.addVirtualAuthenticator", { options });
  };
  const page = await openPrepared(ada, "#settings/account", prepare, site);
  const dialog = page.getByRole("dialog");
  const passkey = page.getByRole("list", { name: "Passkeys" }).getByText("Laptop");

  await button(page, "Add a passkey").click();
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByLabel("Your password").fill(password);
  await page.keyboard.press("Enter");
  await passkey.waitFor();
  await page.getByRole("status", { name: "Recovery codes" }).waitFor();

  await revoke(realm.ctx, "end a test's sessions", (tx) => endBrowserSessions(tx, { id: ada.id, realm_id: realm.id }));
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Use a passkey" }).click();
  await dialog.waitFor({ state: "detached" });

  await page.context().clearCookies();
  await page.goto(`${site}/login/`);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.locator("#main").waitFor();

  await page.context().clearCookies();
  await page.goto(`${site}/login/?next=/%23settings/account`);
  await page.getByLabel("E-mail address").fill(ada.email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await passkey.waitFor();

  await button(page, "Remove Laptop").click();
  await dialog.getByRole("button", { name: "Use a passkey" }).click();
  await passkey.waitFor({ state: "detached" });
  expect(success(await ada.call(getSecondFactors, {}))).toMatchObject({ passkeys: [], recovery_codes_left: 0 });
});

test("other browsers are signed out one by one, or all at once", async () => {
  const { ada, page } = await openSettings("sessions");
  const others = [await openClient(ada), await openClient(ada), await openClient(ada)];
  await page.reload();
  const rows = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
  await expect.poll(() => rows.count()).toBe(4);
  expect(await rows.filter({ hasText: "This browser" }).getByRole("button").count()).toBe(0);

  await page
    .getByRole("button", { name: /^Sign out (?!all)/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await expect.poll(() => rows.count()).toBe(3);
  await button(page, "Sign out all other browsers").click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();

  await expect.poll(() => rows.count()).toBe(1);
  for (const other of others) await other.getByRole("dialog").waitFor();
});

test("a member deactivates the account by typing their name; the only owner cannot", async () => {
  const { realm, ada, page } = await openSettings("account");
  const owner = await openClient(realm.admin, { at: "#settings/account" });
  await owner.getByText("You are the only owner.").waitFor();
  expect(await button(owner, "Deactivate account").isDisabled()).toBe(true);

  await button(page, "Deactivate account").click();
  await page.getByRole("dialog").getByLabel("Type ada to confirm").fill("ada");
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate account" }).click();

  await page.waitForURL("**/login/**");
  expect((await ada.call(getOwnUser, {})).result).toBe("error");
});

test("what is muted is listed and unmuted", async () => {
  const { ada, bo, page } = await openSettings("muted");
  const channel = await channelOf([ada, bo], "design");
  await sendToChannel(bo, channel, { topic: "logo", content: "colours" });
  success(await ada.call(updateUserTopic, { stream_id: channel.id, topic: "logo", visibility_policy: 1 }));
  success(await ada.call(muteUser, { muted_user_id: bo.id }));

  await button(page, "Unmute bo").click();
  await button(page, /^Unmute .*logo/).click();
  await page.getByText("No muted people.").waitFor();
  await page.getByText("No muted topics.").waitFor();

  await expect.poll(async () => (await stateOf(ada)).muted_users).toEqual([]);
  await expect.poll(async () => (await stateOf(ada)).user_topics).toEqual([]);
});

test("alert words are added and removed", async () => {
  const { ada, page } = await openSettings("alert-words");
  success(await ada.call(addAlertWords, { alert_words: ["harvest"] }));
  await page.getByRole("button", { name: "Remove harvest" }).waitFor();

  await page.getByRole("textbox", { name: "Alert words" }).fill("seed order");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove seed order" }).waitFor();
  await page.getByRole("button", { name: "Remove harvest" }).click();

  const words = async () => success(await ada.call(getAlertWords, {})).alert_words;
  await expect.poll(words).toEqual(["seed order"]);
});

test("an upload is listed with its message, and deleted", async () => {
  const { ada, page } = await openSettings("uploads");
  await page.getByText("No uploads").waitFor();
  const channel = await channelOf([ada], "design");
  const url = await uploadAs(ada, "teal.png", await picture());
  await sendToChannel(ada, channel, { topic: "logo", content: `[teal](${url})` });

  await page.getByRole("link", { name: "teal.png" }).waitFor();
  await page.getByRole("link", { name: /^Message of/ }).waitFor();
  await button(page, "Delete teal.png").click();
  await page.getByRole("dialog").getByText("1 message that links to it stays").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete file" }).click();
  await page.getByText("No uploads").waitFor();

  expect(success(await ada.call(getAttachments, {})).attachments).toEqual([]);
});

test("a bot is created, renamed, given a new key, deactivated and reactivated", async () => {
  const { ada, page } = await openSettings("bots");
  const dialog = page.getByRole("dialog");
  const bots = async () => success(await ada.call(getBots, {})).bots;

  await button(page, "Create a bot").click();
  await dialog.getByLabel("Outgoing webhook").check();
  await dialog.getByLabel("Name", { exact: true }).fill("Frost bot");
  await dialog.getByText("Its address starts with frost-bot@").waitFor();
  await dialog.getByLabel("URL").fill("https://example.com/frost");
  await dialog.getByRole("button", { name: "Create a bot" }).click();
  await button(page, "Edit Frost bot").click();
  expect(await page.getByLabel("URL").inputValue()).toBe("https://example.com/frost");
  await page.getByLabel("Name", { exact: true }).fill("Ice bot");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await bots()).map(({ full_name }) => full_name)).toEqual(["Ice bot"]);

  await button(page, "Show API key").click();
  const key = page.getByRole("status", { name: "API key" });
  const first = await key.innerText();
  expect((await bots())[0]?.api_key).toBe(first);
  await button(page, "Regenerate API key").click();
  await dialog.getByRole("button", { name: "Regenerate API key" }).click();
  await expect.poll(() => key.innerText()).not.toBe(first);

  await button(page, "Deactivate Ice bot").click();
  await dialog.getByRole("button", { name: "Deactivate" }).click();
  await button(page, "Reactivate Ice bot").click();
  await button(page, "Edit Ice bot").waitFor();
  expect(await bots()).toHaveLength(1);
});

test("an incoming webhook has a URL for each service and channel", async () => {
  const { ada, page } = await openSettings("bots");
  await channelOf([ada], "design");
  const dialog = page.getByRole("dialog");

  await button(page, "Create a bot").click();
  await dialog.getByLabel("Incoming webhook").check();
  await dialog.getByLabel("Name", { exact: true }).fill("Orders");
  await dialog.getByRole("button", { name: "Create a bot" }).click();
  await button(page, "Edit Orders").click();
  await page.getByLabel("Post to").selectOption("#design");

  const url = await page.getByRole("status", { name: "Webhook URL" }).innerText();
  expect(url).toMatch(/\/api\/v1\/external\/\w+\?api_key=\w{32}&stream=design$/);
});

test("without single-key shortcuts, letters go to the composer", async () => {
  const { ada, page } = await openSettings("keyboard");
  const channel = await channelOf([ada], "design");
  await sendToChannel(ada, channel, { topic: "logo", content: "colours" });

  await page.getByLabel("Single-key shortcuts").click();
  await goTo(page, `#narrow/channel/${channel.id}/topic/logo`);
  await page.getByRole("article").first().focus();
  await page.keyboard.type("xylophone");

  expect(await composer(page).inputValue()).toBe("xylophone");
});
