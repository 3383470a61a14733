/** A channel's settings: everyone sees changes at once, before them who is affected, and no more than they may change. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { archiveChannel, getChannel, updateChannel } from "@skein/api/channels.ts";
import { getSubscriptions, unsubscribe } from "@skein/api/subscriptions.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { channelOf, sendToChannel } from "../../server/test/actions.ts";
import { success, type TestUser } from "../../server/test/realm.ts";
import { complaintsAbout } from "./axe.ts";
import { goTo, messages, newRealm, openClient, openPrepared, useClient, withoutStreams } from "./client.ts";

useClient();

const main = (page: Page) => page.locator("#main");
const field = (page: Page, name: string) =>
  main(page).getByLabel(name, { exact: true }).and(page.locator("input, select, textarea"));
const chipsOf = (page: Page, name: string) => main(page).getByRole("list", { name, exact: true }).getByRole("listitem");

/** Ada made the channel and administers it; Bo is in it too; Cy is not. */
async function team({ isPrivate = false } = {}) {
  const realm = await newRealm();
  const [ada, bo, cy] = await Promise.all([realm.user("ada"), realm.user("bo"), realm.user("cy")]);
  const channel = await channelOf([ada, bo], "design", { isPrivate });
  const at = (section: string) => `#channels/${channel.id}/design/${section}`;
  const stored = async (user: TestUser = ada) => success(await user.call(getChannel, { stream_id: channel.id })).stream;
  const own = async (user: TestUser) =>
    success(await user.call(getSubscriptions, {})).subscriptions.find(({ stream_id }) => stream_id === channel.id);
  return { realm, ada, bo, cy, channel, at, stored, own };
}

test("name, description and privacy change for everyone, after it was said who loses what", async () => {
  const { ada, bo, at, stored } = await team();
  const [page, other] = await Promise.all([
    openClient(ada, { at: at("general") }),
    openClient(bo, { at: at("general") }),
  ]);

  await field(page, "Name").fill("design studio");
  await field(page, "Name").press("Enter");
  await other.getByRole("heading", { name: "design studio", level: 1 }).waitFor();
  await field(page, "Description").fill("How it **looks**\nand feels");
  await field(page, "Description").press("Control+Enter");
  await main(other).locator("strong", { hasText: "looks" }).waitFor();
  expect((await stored()).description).toBe("How it **looks** and feels");

  await page.getByRole("radio", { name: "Private, with protected history" }).check();
  await page.getByText("Members who are not subscribed can no longer find").waitFor();
  await page.getByText("Its 2 subscribers keep access").waitFor();
  await page.getByText("Subscribers can no longer read messages from before they joined.").waitFor();
  expect((await stored()).invite_only).toBe(false);
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await expect.poll(() => other.getByRole("radio", { name: "Private, with protected history" }).isChecked()).toBe(true);
  expect(await stored()).toMatchObject({ invite_only: true, history_public_to_subscribers: false });
  expect(await field(other, "Name").isDisabled()).toBe(true);
  await other.getByText("Administrators can change them").waitFor();
});

test("of two people who change a permission at once, the second is refused and sees the first one's change", async () => {
  const { realm, ada, bo, at, stored } = await team();
  const label = "Who can remove people";
  let gate = Promise.resolve();
  const [first, second] = await Promise.all([
    openClient(realm.admin, { at: at("permissions") }),
    // Its events arrive late.
    openPrepared(ada, at("permissions"), async (page) => {
      await withoutStreams(page);
      await page.route(/json\/events\?/, async (route) => {
        const response = await route.fetch().catch(() => undefined);
        await gate;
        await (response ? route.fulfill({ response }) : route.abort()).catch(() => undefined);
      });
    }),
  ]);
  await chipsOf(second, label).getByText("Administrators").waitFor();
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;

  await field(first, label).fill("bo");
  await first.getByRole("option", { name: /^bo/ }).click();
  await expect.poll(async () => typeof (await stored()).can_remove_subscribers_group).toBe("object");
  await field(second, label).fill("cy");
  await second.getByRole("option", { name: /^cy/ }).click();
  await second.getByRole("alert").getByText("'old' value does not match").waitFor();
  expect(await chipsOf(second, label).allInnerTexts()).toEqual(["Administrators"]);
  resolve();

  await chipsOf(second, label).getByText("bo").waitFor();
  expect(await chipsOf(second, label).count()).toBe(2);
  const setting = (await stored()).can_remove_subscribers_group;
  expect(typeof setting === "object" && setting.direct_members).toEqual([bo.id]);
});

test("a channel permits more than the organization does, as far as the organization lets its administrators decide", async () => {
  const { realm, ada, bo, channel, at, stored } = await team();
  const nobody = JSON.stringify({ new: { direct_members: [], direct_subgroups: [] } });
  const restricted = { can_resolve_topics_group: nobody, can_set_delete_message_policy_group: nobody };
  expect(await realm.admin.request("PATCH", "/realm", restricted)).toMatchObject({ result: "success" });
  await sendToChannel(ada, channel, { topic: "logo", content: "Teal" });
  const [page, other] = await Promise.all([
    openClient(ada, { at: at("permissions") }),
    openClient(bo, { at: `#narrow/channel/${channel.id}/topic/logo` }),
  ]);
  const resolve = other.getByRole("button", { name: "Mark as resolved" });
  await other.getByText("Teal").waitFor();
  expect(await resolve.count()).toBe(0);
  expect(await complaintsAbout(page, { part: "#main" })).toEqual([]);

  await field(page, "Who can resolve topics").fill("bo");
  await page.getByRole("option", { name: /^bo/ }).click();
  await resolve.waitFor();
  expect(await field(page, "Who can delete anyone’s messages").isDisabled()).toBe(true);
  await main(page).getByText("The organization’s permissions say who can change this.").first().waitFor();
  await chipsOf(page, "Who can start topics").getByRole("button").click();
  await field(page, "Who can start topics").fill("ada");
  await page.getByRole("option", { name: /^ada/ }).click();
  await expect
    .poll(async () => (await stored()).can_create_topic_group)
    .toEqual({ direct_members: [ada.id], direct_subgroups: [] });
  await goTo(other, `#topics/channel/${channel.id}`);
  const start = other.locator("main form textarea");
  await start.fill("Something new");
  await other.getByText("You can’t start topics in this channel.").waitFor();

  await page.getByRole("radio", { name: "None", exact: true }).click();
  await page.getByRole("alert").getByText("all messages in this channel must be in").waitFor();
  await page.getByRole("radio", { name: "Required" }).click();
  await expect.poll(async () => (await stored()).topics_policy).toBe("disable_empty_topic");
});

test("a channel without topics is created, and is a single conversation", async () => {
  const { ada } = await team();
  const page = await openClient(ada);
  await page.getByRole("button", { name: "Create a channel" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("announcements");
  await dialog.getByText("Advanced permissions").click();
  await dialog.getByRole("radio", { name: "None", exact: true }).click();
  await dialog.getByLabel("Who can delete their own messages", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Create", exact: true }).click();

  await page.getByRole("textbox", { name: "Message #announcements" }).fill("Welcome");
  await page.keyboard.press("Control+Enter");
  await messages(page).getByText("Welcome").waitFor();
  const { subscriptions } = success(await ada.call(getSubscriptions, {}));
  expect(subscriptions.find(({ name }) => name === "announcements")?.topics_policy).toBe("empty_topic_only");
});

test("people come from a group and from another channel, and leave with an Undo, while another window watches", async () => {
  const { realm, ada, bo, cy, at } = await team();
  const zoe = await realm.user("zoe");
  // Otherwise every member can add people anywhere.
  const nobody = JSON.stringify({ new: { direct_members: [], direct_subgroups: [] } });
  expect(await realm.admin.request("PATCH", "/realm", { can_add_subscribers_group: nobody })).toMatchObject({
    result: "success",
  });
  await channelOf([cy, zoe], "garden");
  success(await realm.admin.call(createUserGroup, { name: "gardeners", description: "", members: [bo.id, cy.id] }));
  const [page, other] = await Promise.all([
    openClient(ada, { at: at("subscribers") }),
    openClient(bo, { at: at("subscribers") }),
  ]);
  const people = (window: Page) => window.getByRole("list", { name: "Subscribers" }).getByRole("listitem");
  await people(other).nth(1).waitFor();
  await other.getByText("You cannot add people to this channel.").waitFor();

  await field(page, "Add people").fill("gardeners");
  await page.getByRole("option", { name: /gardeners/ }).click();
  await page.getByText("1 person will be added.").waitFor();
  await field(page, "Add people").fill("#garden");
  await page.getByRole("option", { name: "Everyone in #garden" }).click();
  await page.getByText("2 people will be added.").waitFor();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("2 people added.").waitFor();
  await other.getByText("4 subscribers").waitFor();
  // After the initials.
  expect((await people(other).allInnerTexts()).map((text) => text.split("\n")[1])).toEqual([
    "ada",
    "bo (you)",
    "cy",
    "zoe",
  ]);

  await page.getByRole("searchbox", { name: "Find a subscriber" }).fill("zo");
  await expect.poll(() => people(page).count()).toBe(1);
  await page.getByRole("button", { name: "Remove zoe" }).click();
  await other.getByText("3 subscribers").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await other.getByText("4 subscribers").waitFor();
  expect(await other.getByRole("button", { name: /^Remove (?!bo)/ }).count()).toBe(0);
});

test("one's own settings for a channel change in all one's windows, and it can be left and joined again", async () => {
  const { bo, channel, at, own } = await team();
  const [page, other] = await Promise.all([openClient(bo, { at: at("personal") }), openClient(bo)]);
  const row = other.getByRole("navigation").getByRole("link", { name: "design" });
  await row.waitFor();

  await page.getByRole("radio", { name: "Coral" }).check();
  await page.getByRole("checkbox", { name: "Pin to the top of the sidebar" }).check();
  await field(page, "Sound").selectOption("On");
  await field(page, "Mentions of everyone, like @all").selectOption("Off");
  await other.getByRole("navigation").getByText("Pinned").waitFor();
  await expect
    .poll(() => own(bo))
    .toMatchObject({
      color: "#e76f51",
      pin_to_top: true,
      audible_notifications: true,
      desktop_notifications: null,
      wildcard_mentions_notify: false,
    });

  await page.getByRole("button", { name: "Leave channel" }).click();
  await page.getByText("You are not subscribed").waitFor();
  await row.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Join" }).click();
  await field(page, "Sound").waitFor();
  expect((await own(bo))?.stream_id).toBe(channel.id);
});

test("archiving asks for the name, and everyone who looks at the channel sees it", async () => {
  const { ada, bo, channel, at, stored } = await team();
  const [page, other] = await Promise.all([
    openClient(ada, { at: `#topics/channel/${channel.id}` }),
    openClient(bo, { at: at("general") }),
  ]);
  await page.getByRole("button", { name: "Channel actions" }).click();
  await page.getByRole("menuitem", { name: "Channel settings" }).click();

  await page.getByRole("button", { name: "Archive", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Archive #design?" });
  await dialog.getByText("Its 2 subscribers can still read and search it").waitFor();
  await dialog.getByLabel("Type design to confirm").fill("desing");
  await page.keyboard.press("Enter");
  expect((await stored()).is_archived).toBe(false);
  await dialog.getByLabel("Type design to confirm").fill("design");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await other.getByText("This channel is archived.").waitFor();
  expect((await stored()).is_archived).toBe(true);

  await page.getByRole("button", { name: "Unarchive" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Unarchive" }).click();
  await other.getByText("This channel is archived.").waitFor({ state: "detached" });
});

test("whoever loses access to a channel while its settings are open sees that there is nothing", async () => {
  const { realm, ada, bo, cy, channel, at } = await team();
  const [page, other] = await Promise.all([
    openClient(cy, { at: at("subscribers") }),
    openClient(bo, { at: at("general") }),
  ]);
  await page.getByText("2 subscribers").waitFor();
  await field(other, "Name").waitFor();

  success(await ada.call(updateChannel, { stream_id: channel.id, is_private: true }));
  await page.getByText("Nothing here").first().waitFor();
  success(await ada.call(unsubscribe, { subscriptions: ["design"], principals: [bo.id] }));
  await other.getByText("Nothing here").first().waitFor();

  // Administrators see it, without reading it.
  const administrator = await openClient(realm.admin, { at: at("general") });
  await administrator.getByText("you can change its settings, but you cannot read it").waitFor();
  expect(await administrator.getByRole("radio", { name: "Public", exact: true }).isDisabled()).toBe(true);
  await goTo(administrator, at("permissions"));
  await field(administrator, "Who can write in it").waitFor();
  expect(await field(administrator, "Who can write in it").isEnabled()).toBe(true);
  expect(await field(administrator, "Who can add people").isEnabled()).toBe(false);
});

test("a guest sees the settings of a channel as a reader, and an archived channel keeps its page", async () => {
  const { realm, ada, channel, at } = await team();
  const gus = await realm.user("gus", { role: 600 });
  const shared = await channelOf([realm.admin, gus], "shared");
  const page = await openClient(gus, { at: `#channels/${shared.id}/shared/general` });

  await field(page, "Name").waitFor();
  expect(await field(page, "Name").isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Archive" }).count()).toBe(0);
  await goTo(page, `#channels/${shared.id}/shared/subscribers`);
  await page.getByText("You cannot add people to this channel.").waitFor();
  await goTo(page, at("general"));
  await page.getByText("Nothing here").first().waitFor();

  success(await ada.call(archiveChannel, { stream_id: channel.id }));
  const other = await openClient(ada, { at: at("subscribers") });
  await other.getByText("This channel is archived.").waitFor();
  expect(await field(other, "Add people").count()).toBe(0);
});

test("a channel is created with its permissions, retention and as a default channel", async () => {
  const { realm, ada } = await team();
  const page = await openClient(realm.admin, { at: "#channels" });

  await page.getByRole("button", { name: "Create a channel" }).last().click();
  const dialog = page.getByRole("dialog", { name: "Create a channel" });
  await dialog.getByLabel("Name").fill("harbor");
  await dialog.getByText("Advanced permissions").click();
  await dialog.getByLabel("Who can add people").fill("ada");
  await page.getByRole("option", { name: /^ada/ }).click();
  await dialog.getByLabel("Default channel for new users").check();
  await dialog.getByLabel("How long messages are kept").selectOption("A number of days");
  await dialog.getByLabel("Days", { exact: true }).fill("30");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "harbor", level: 1 }).waitFor();

  const { subscriptions } = success(await realm.admin.call(getSubscriptions, {}));
  expect(subscriptions.find(({ name }) => name === "harbor")).toMatchObject({
    message_retention_days: 30,
    can_add_subscribers_group: { direct_members: [ada.id], direct_subgroups: [] },
    can_administer_channel_group: { direct_members: [realm.admin.id], direct_subgroups: [] },
  });
  const isDefault = realm.ctx.db.selectFrom("channels").select("is_default").where("name", "=", "harbor");
  expect(await isDefault.where("realm_id", "=", realm.id).execute()).toEqual([{ is_default: true }]);
});

test("an owner who shortens how long messages are kept is told that older ones are deleted", async () => {
  const { realm, at, stored } = await team();
  const page = await openClient(realm.admin, { at: at("general") });

  await field(page, "How long messages are kept").selectOption("A number of days");
  await field(page, "Days").fill("90");
  await field(page, "Days").press("Enter");
  await page.getByText("Messages in #design that are older than 90 days will be deleted").waitFor();
  expect((await stored()).message_retention_days).toBe(null);
  await page.getByRole("dialog").getByRole("button", { name: "Delete older messages" }).click();
  await expect.poll(async () => (await stored()).message_retention_days).toBe(90);
  await field(page, "How long messages are kept").selectOption("Forever");
  await expect.poll(async () => (await stored()).message_retention_days).toBe(-1);
});

test("the organization's channels are found, archived, unarchived and made default in one table", async () => {
  const { realm, channel, stored } = await team();
  await channelOf([realm.admin], "garden");
  const page = await openClient(realm.admin, { at: "#organization/channels" });
  const rowOf = (name: string) => page.getByRole("row").filter({ hasText: name });
  const act = async (name: string, action: string): Promise<void> => {
    await page.getByRole("button", { name: `Actions on ${name}` }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };

  await rowOf("design").getByText("2", { exact: true }).waitFor();
  await rowOf("garden").waitFor();
  await act("design", "Make it a default channel");
  await rowOf("design").getByText("Default").waitFor();
  await act("design", "Archive");
  await page.getByLabel("Type design to confirm").fill("design");
  await page.keyboard.press("Enter");
  await rowOf("design").waitFor({ state: "detached" });
  expect((await stored()).is_archived).toBe(true);
  await page.getByLabel("Which channels").selectOption("Archived");
  await act("design", "Unarchive");
  await page.getByRole("dialog").getByRole("button", { name: "Unarchive" }).click();
  await rowOf("design").waitFor({ state: "detached" });
  await page.getByLabel("Which channels").selectOption("All channels");
  await rowOf("design").click();
  await page.getByRole("heading", { name: "design", level: 1 }).waitFor();
  expect(page.url()).toContain(`#channels/${channel.id}/design`);
});

test("default channels and groups of them are chosen as chips", async () => {
  const { realm, bo, channel } = await team();
  await channelOf([realm.admin], "garden");
  const page = await openClient(realm.admin, { at: "#organization/default-channels" });
  const other = await openClient(bo, { at: "#organization/default-channels" });

  await field(page, "Default channels").fill("des");
  await page.getByRole("option", { name: "design" }).click();
  await chipsOf(other, "Default channels").getByText("design").waitFor();
  const isDefault = realm.ctx.db.selectFrom("channels").select("is_default").where("id", "=", channel.id);
  expect(await isDefault.execute()).toEqual([{ is_default: true }]);
  expect(await field(other, "Default channels").isDisabled()).toBe(true);

  await page.getByRole("button", { name: "Create a group" }).click();
  const dialog = page.getByRole("dialog", { name: "Create a group" });
  await dialog.getByLabel("Name of the group").fill("Outdoors");
  await dialog.getByRole("combobox", { name: "Channels" }).fill("gard");
  await page.getByRole("option", { name: "garden" }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  const group = other.getByRole("article", { name: "Outdoors" });
  await group.getByText("garden").waitFor();
  await page.getByRole("article").getByRole("textbox", { name: "Description" }).fill("Sun and rain");
  await page.keyboard.press("Enter");
  await expect.poll(() => group.getByRole("textbox", { name: "Description" }).inputValue()).toBe("Sun and rain");
  await page.getByRole("button", { name: "Delete group" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete group" }).click();
  await group.waitFor({ state: "detached" });
});
