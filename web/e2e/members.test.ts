/** People in the administration: what one window changes another shows, and nobody is offered what they may not do. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createBot } from "@skein/api/bots.ts";
import { getInvitations, sendInvitations } from "@skein/api/invitations.ts";
import { createProfileField } from "@skein/api/profile-fields.ts";
import { createUserGroup, getUserGroups, updateUserGroup } from "@skein/api/user-groups.ts";
import { getUser } from "@skein/api/users.ts";
import { mailTo } from "../../server/test/mail.ts";
import { success, type TestUser } from "../../server/test/realm.ts";
import { goTo, newRealm, openClient, useClient } from "./client.ts";

useClient();

const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
const names = (page: Page) => page.getByRole("grid").getByRole("row").locator("[dir=auto]").allInnerTexts();

async function menu(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions on ${name}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** An owner, an administrator, and three others. */
async function organization() {
  const realm = await newRealm();
  const owner = realm.admin;
  const admin = await realm.user("alva", { role: 200, fullName: "Alva Adams" });
  const [bo, cy, dee] = await Promise.all([
    realm.user("bo", { fullName: "Bo Berg" }),
    realm.user("cy", { fullName: "Cy Young" }),
    realm.user("dee", { role: 600, fullName: "Dee Dunn" }),
  ]);
  return { realm, owner, admin, bo, cy, dee };
}

const roleOf = async (owner: TestUser, { id }: TestUser): Promise<number> =>
  success(await owner.call(getUser, { user_id: id })).user.role;

test("users are found by name and address, filtered by role and sorted", async () => {
  const { admin, cy } = await organization();
  const page = await openClient(admin, { at: "#organization/users" });
  const find = page.getByRole("searchbox", { name: "Find by name or address" });

  await row(page, "Bo Berg").waitFor();
  expect(await names(page)).toEqual(["Alva Adams (you)", "Bo Berg", "Cy Young", "Dee Dunn", "owner"]);
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  expect(await names(page)).toEqual(["owner", "Dee Dunn", "Cy Young", "Bo Berg", "Alva Adams (you)"]);
  await find.fill("b be");
  await expect.poll(() => names(page)).toEqual(["Bo Berg"]);
  await find.fill(cy.email.toUpperCase());
  await expect.poll(() => names(page)).toEqual(["Cy Young"]);
  await find.fill("nobody like that");
  await page.getByText("Nothing matches.").waitFor();
  await find.fill("");
  await page.getByRole("combobox", { name: "Filter by role" }).selectOption("Guest");
  await expect.poll(() => names(page)).toEqual(["Dee Dunn"]);
});

test("a name, a role, a group and a profile value that one window changes show in another", async () => {
  const { owner, admin, bo } = await organization();
  const { id: field } = success(await owner.call(createProfileField, { field_type: 1, name: "Team" }));
  success(await owner.call(createUserGroup, { name: "crew", description: "", members: [owner.id] }));
  const at = `#organization/users/${bo.id}`;
  const [first, second] = await Promise.all([openClient(owner, { at }), openClient(admin, { at })]);
  await second.getByLabel("Team").waitFor();

  await first.getByLabel("Name").fill("Bob Berg");
  await first.getByLabel("Name").press("Enter");
  await second.getByRole("heading", { name: "Bob Berg" }).waitFor();
  await first.getByRole("radio", { name: "Moderator" }).click();
  await expect.poll(() => second.getByRole("radio", { name: "Moderator" }).isChecked()).toBe(true);
  await first.getByLabel("Team").fill("Blue");
  await first.getByLabel("Team").press("Enter");
  await expect.poll(() => second.getByLabel("Team").inputValue()).toBe("Blue");
  await first.getByRole("combobox", { name: "User groups" }).fill("cre");
  await first.getByRole("option", { name: "crew" }).click();
  await second.getByRole("list", { name: "User groups" }).getByText("crew").waitFor();

  const { user } = success(await owner.call(getUser, { user_id: bo.id, include_custom_profile_fields: true }));
  expect(user).toMatchObject({ full_name: "Bob Berg", role: 300 });
  expect(user.profile_data?.[field]?.value).toBe("Blue");
});

test("what an administrator may not do to an owner is disabled and says why", async () => {
  const { owner, admin, dee } = await organization();
  const page = await openClient(admin, { at: `#organization/users/${owner.id}` });

  await page.getByText("Only owners can change this.").first().waitFor();
  expect(await page.getByRole("radio", { name: "Member" }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Deactivate" }).isDisabled()).toBe(true);
  expect(await page.getByLabel("Name").isDisabled()).toBe(false);
  await goTo(page, `#organization/users/${dee.id}`);
  await page.getByRole("heading", { name: "Dee Dunn" }).waitFor();
  // A guest becomes a member first; owners make owners.
  expect(await page.getByRole("radio").count()).toBe(3);

  const own = await openClient(owner, { at: `#organization/users/${owner.id}` });
  await own.getByText("The only owner keeps this role.").waitFor();
  await own.getByText("The only owner cannot be deactivated.").waitFor();
  expect(await own.getByRole("button", { name: "Deactivate" }).isDisabled()).toBe(true);
});

test("a member sees users and groups but changes none; a guest sees neither", async () => {
  const { bo, cy, dee } = await organization();
  const page = await openClient(bo, { at: "#organization/users" });
  await row(page, "Cy Young").waitFor();

  expect(await page.getByRole("checkbox").count()).toBe(0);
  expect(await page.getByRole("link", { name: "Deactivated users" }).count()).toBe(0);
  await row(page, "Cy Young").click();
  await page.getByRole("complementary").getByText("Joined").waitFor();
  await goTo(page, `#organization/users/${cy.id}`);
  await page.getByText("Only administrators can change this.").first().waitFor();
  expect(await page.getByLabel("Name").isDisabled()).toBe(true);

  const guest = await openClient(dee, { at: "#organization/users" });
  await guest.getByText("Nothing here").waitFor();
});

test("deactivating says what happens, mails a comment, and can be taken back", async () => {
  const { owner, admin, bo } = await organization();
  success(await bo.call(createBot, { full_name: "Bell", short_name: "bell" }));
  success(await owner.call(sendInvitations, { invitee_emails: "x@example.com", stream_ids: [] }));
  const page = await openClient(admin, { at: "#organization/users" });
  const other = await openClient(owner, { at: "#organization/deactivated-users" });
  await other.getByText("No deactivated users").waitFor();

  await row(page, "Bo Berg").waitFor();
  await menu(page, "Bo Berg", "Deactivate");
  const dialog = page.getByRole("dialog", { name: "Deactivate Bo Berg?" });
  await dialog.getByText("1 bot is deactivated too. Bell").waitFor();
  await dialog.getByText("Scheduled messages are not sent.").waitFor();
  await dialog.getByRole("checkbox", { name: "Notify by e-mail" }).check();
  await dialog.getByLabel("Comment").fill("Thanks for all the fish");
  await dialog.getByRole("button", { name: "Deactivate" }).click();
  await row(page, "Bo Berg").waitFor({ state: "detached" });

  expect((await mailTo(bo.email)).text).toContain("Thanks for all the fish");
  await row(other, "Bo Berg").waitFor();
  await menu(other, "Bo Berg", "Reactivate");
  await other.getByRole("dialog").getByText("Their bots stay deactivated").waitFor();
  await other.getByRole("dialog").getByRole("button", { name: "Reactivate" }).click();
  await row(page, "Bo Berg").waitFor();
  await other.getByText("No deactivated users").waitFor();
});

test("several users are changed at once, and those left out are named", async () => {
  const { owner, admin, bo, cy, dee } = await organization();
  const page = await openClient(admin, { at: "#organization/users" });
  await row(page, "Bo Berg").waitFor();

  await page.getByRole("checkbox", { name: "Select all" }).click();
  await page.getByText("5 selected").waitFor();
  await page.getByRole("button", { name: "Change role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("New role").selectOption("Moderator");
  await dialog.getByText("Alva Adams: Your own account is changed on its own page.").waitFor();
  await dialog.getByText("owner: Only owners can change this.").waitFor();
  await dialog.getByRole("button", { name: "Change role" }).click();
  await page.getByText("Done for 3 users.").first().waitFor();

  const after = await Promise.all([bo, cy, dee, admin, owner].map((user) => roleOf(owner, user)));
  expect(after).toEqual([300, 300, 300, 200, 100]);
});

test("a bulk action that fails for some says for whom and why, and can be tried again for them", async () => {
  const { owner, bo, cy } = await organization();
  const page = await openClient(owner, { at: "#organization/users" });
  await row(page, "Bo Berg").waitFor();
  await page.route(`**/json/users/${bo.id}`, (route) =>
    route.fulfill({ status: 400, json: { result: "error", msg: "Not today", code: "BAD_REQUEST" } }),
  );

  await page.getByRole("checkbox", { name: "Select Bo Berg" }).check();
  await page.getByRole("checkbox", { name: "Select Cy Young" }).check();
  await page.getByRole("button", { name: "Deactivate", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await page.getByRole("dialog").getByText("Bo Berg: Not today").waitFor();
  await page.unroute(`**/json/users/${bo.id}`);
  await page.getByRole("dialog", { name: "Deactivate 1 user?" }).getByRole("button", { name: "Deactivate" }).click();
  await page.getByText("Done for 1 user.").first().waitFor();

  const active = await Promise.all(
    [bo, cy].map(async ({ id }) => success(await owner.call(getUser, { user_id: id })).user.is_active),
  );
  expect(active).toEqual([false, false]);
});

/** Adds a person or group by the field of a group's page. */
async function addTo(page: Page, name: string): Promise<void> {
  await page.getByRole("combobox", { name: "Add people or groups" }).fill(name);
  await page.getByRole("option", { name }).first().click();
}

const groupNamed = async (owner: TestUser, name: string) => {
  const { user_groups } = success(await owner.call(getUserGroups, { include_deactivated_groups: true }));
  return user_groups.find((group) => group.name === name);
};

test("a group is created, filled, nested, left, and shown in another window", async () => {
  const { owner, admin, cy } = await organization();
  const { group_id: crew } = success(
    await owner.call(createUserGroup, { name: "crew", description: "", members: [cy.id] }),
  );
  const [page, other] = await Promise.all([
    openClient(owner, { at: "#organization/user-groups" }),
    openClient(admin, { at: "#organization/user-groups" }),
  ]);

  await page.getByRole("button", { name: "Create a group" }).click();
  await page.getByLabel("Name").fill("fleet");
  await page.getByLabel("Description").fill("All ships");
  await page.getByRole("button", { name: "Create group" }).click();
  await page.getByRole("heading", { name: "fleet" }).waitFor();
  await row(other, "fleet").click();
  await other.getByRole("heading", { name: "1 member" }).waitFor();
  await addTo(page, "Bo Berg");
  await other.getByRole("listitem").getByText("Bo Berg").waitFor();
  await addTo(page, "crew");
  await other.getByRole("listitem").filter({ hasText: "Cy Young" }).getByText("through crew").waitFor();
  await other.getByRole("heading", { name: "3 members" }).waitFor();
  // Indirect members are removed where they are direct ones.
  expect(await page.getByRole("button", { name: "Remove Cy Young" }).count()).toBe(0);
  await page.getByRole("button", { name: "Remove Bo Berg" }).click();
  await other.getByRole("listitem").getByText("Bo Berg").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Leave" }).click();
  await other.getByRole("heading", { name: "1 member" }).waitFor();

  expect(await groupNamed(owner, "fleet")).toMatchObject({
    description: "All ships",
    members: [],
    direct_subgroup_ids: [crew],
  });
  await goTo(page, `#organization/user-groups/${crew}`);
  await page.getByText("Part of the group fleet").waitFor();
  expect(await page.getByRole("button", { name: "Deactivate group" }).isDisabled()).toBe(true);
});

const permissionLabels = {
  can_manage_group: "Who can manage this group",
  can_mention_group: "Who can mention this group",
  can_add_members_group: "Who can add members",
  can_remove_members_group: "Who can remove members",
  can_join_group: "Who can join",
  can_leave_group: "Who can leave",
} as const;

test("every setting of a group is changed by its control and shown in another window", async () => {
  const { owner, admin, cy } = await organization();
  const { group_id } = success(await owner.call(createUserGroup, { name: "crew", description: "", members: [] }));
  const at = `#organization/user-groups/${group_id}`;
  const [page, other] = await Promise.all([openClient(owner, { at }), openClient(admin, { at })]);
  await other.getByText("Used in").waitFor();

  await page.getByLabel("Name").fill("band");
  await page.getByLabel("Name").press("Enter");
  await other.getByRole("heading", { name: "band" }).waitFor();
  await page.getByLabel("Description").fill("Makes music");
  await page.getByLabel("Description").blur();
  await expect.poll(() => other.getByLabel("Description").inputValue()).toBe("Makes music");
  for (const label of Object.values(permissionLabels)) {
    await page.getByRole("combobox", { name: label }).fill("cy");
    await page.getByRole("option", { name: "Cy Young" }).click();
    await other.getByRole("list", { name: label }).getByText("Cy Young").waitFor();
  }

  const group = await groupNamed(owner, "band");
  for (const name of Object.keys(permissionLabels) as (keyof typeof permissionLabels)[]) {
    const value = group?.[name];
    expect(typeof value === "object" && value.direct_members, name).toContain(cy.id);
  }
});

test("a group is deactivated and reactivated; by-role groups are read-only; a member joins and leaves", async () => {
  const { owner, bo } = await organization();
  const everyone = (await groupNamed(owner, "role:members"))?.id ?? 0;
  const { group_id } = success(
    await owner.call(createUserGroup, { name: "crew", description: "", members: [], can_join_group: everyone }),
  );
  const at = `#organization/user-groups/${group_id}`;
  const [page, other] = await Promise.all([openClient(owner, { at }), openClient(bo, { at })]);

  await other.getByText("Only those who can manage this group can change this.").first().waitFor();
  expect(await other.getByLabel("Name").isDisabled()).toBe(true);
  await other.getByRole("button", { name: "Join" }).click();
  await page.getByRole("listitem").getByText("Bo Berg").waitFor();
  await goTo(other, "#organization/user-groups");
  await other.getByRole("tab", { name: "Mine" }).click();
  await row(other, "crew").waitFor();
  await menu(other, "crew", "Leave");
  await page.getByText("Nobody is in this group.").waitFor();

  await page.getByRole("button", { name: "Deactivate group" }).click();
  await page.getByRole("dialog").getByText("It can no longer be mentioned.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate group" }).click();
  await other.getByRole("tab", { name: "Deactivated" }).click();
  await row(other, "crew").waitFor();
  await page.getByRole("button", { name: "Reactivate group" }).click();
  await other.getByRole("tab", { name: "All" }).click();
  await row(other, "crew").waitFor();

  await goTo(page, `#organization/user-groups/${everyone}`);
  await page.getByText("Its members follow from roles and cannot be changed here.").waitFor();
  await page.getByRole("list", { name: "Members" }).getByText("Cy Young").waitFor();
  expect(await page.getByRole("textbox").count()).toBe(0);
});

test("the name and members of a group that the organization's directory manages are locked, and say so", async () => {
  const { owner, admin, cy } = await organization();
  const { group_id } = success(
    await owner.call(createUserGroup, { name: "crew", description: "", members: [owner.id, cy.id] }),
  );
  const at = `#organization/user-groups/${group_id}`;
  const [page, other] = await Promise.all([openClient(owner, { at }), openClient(admin, { at })]);
  await page.getByRole("button", { name: "Remove Cy Young" }).waitFor();

  success(await owner.call(updateUserGroup, { user_group_id: group_id, managed_by: "scim" }));
  await page.getByText("Your organization’s directory manages this group.").waitFor();
  expect(await page.getByLabel("Name").isDisabled()).toBe(true);
  for (const name of ["Remove Cy Young", "Leave", "Deactivate group"])
    expect(await page.getByRole("button", { name }).count(), name).toBe(0);
  expect(await page.getByRole("combobox", { name: "Add people or groups" }).count()).toBe(0);
  await page.getByLabel("Description").fill("All hands");
  await page.getByLabel("Description").blur();
  await expect.poll(() => other.getByLabel("Description").inputValue()).toBe("All hands");
  await goTo(page, "#organization/user-groups");
  await row(page, "crew").getByText("Directory").waitFor();
});

test("invitations are listed, sent again and revoked; a member sees only their own", async () => {
  const { owner, bo } = await organization();
  const invite = async (user: TestUser, invitee_emails: string) =>
    success(await user.call(sendInvitations, { invitee_emails, stream_ids: [] }));
  await invite(owner, "one@example.com");
  await owner.realm.admin.request("PATCH", "/realm", {
    can_invite_users_group: JSON.stringify({ new: (await groupNamed(owner, "role:members"))?.id }),
  });
  const page = await openClient(owner, { at: "#organization/invitations" });
  const other = await openClient(bo, { at: "#organization/invitations" });
  await row(page, "one@example.com").waitFor();
  await other.getByText("No pending invitations").waitFor();

  await invite(bo, "two@example.com");
  await row(other, "two@example.com").waitFor();
  await row(page, "two@example.com").getByText("Bo Berg").waitFor();
  expect(await row(other, "one@example.com").count()).toBe(0);
  await page.getByRole("button", { name: "Invite people" }).click();
  await page.getByRole("button", { name: "Create a link" }).click();
  await page.getByRole("dialog").getByRole("status", { name: "Invitation link" }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await row(page, "Invitation link").waitFor();
  await menu(page, "two@example.com", "Send again");
  await page.getByText("1 invitation sent again.").first().waitFor();
  await menu(page, "two@example.com", "Revoke");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await row(page, "two@example.com").waitFor({ state: "detached" });
  await other.getByText("No pending invitations").waitFor();

  const { invites } = success(await owner.call(getInvitations, {}));
  expect(invites.map(({ email }) => email)).toEqual(["one@example.com", undefined]);
});

test("a bot is renamed, handed over, given a new key, deactivated and reactivated", async () => {
  const { owner, bo, cy } = await organization();
  const { user_id, api_key } = success(await bo.call(createBot, { full_name: "Bell", short_name: "bell" }));
  const page = await openClient(owner, { at: "#organization/bots" });
  const other = await openClient(cy, { at: "#organization/bots" });
  await row(other, "Bell").getByText("Bo Berg").waitFor();

  await row(page, "Bell").click();
  await page.getByLabel("Name").fill("Gong");
  await page.getByLabel("Name").press("Enter");
  await row(other, "Gong").waitFor();
  await page.getByRole("combobox", { name: "Owner" }).fill("cy");
  await page.getByRole("option", { name: "Cy Young" }).click();
  await row(other, "Gong").getByText("Cy Young").waitFor();
  // Its new owner can manage it now.
  await row(other, "Gong").click();
  await other.getByRole("button", { name: "Show API key" }).click();
  const key = other.getByRole("status", { name: "API key" });
  await key.waitFor();
  const handedOver = await key.innerText();
  expect(handedOver).not.toBe(api_key);
  await page.getByRole("button", { name: "Regenerate API key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Regenerate API key" }).click();
  await expect.poll(() => key.innerText()).not.toBe(handedOver);
  await page.getByRole("button", { name: "Deactivate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await other.getByRole("button", { name: "Reactivate" }).waitFor();
  await page.getByRole("button", { name: "Reactivate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reactivate" }).click();
  await other.getByRole("button", { name: "Deactivate" }).waitFor();

  const { user } = success(await owner.call(getUser, { user_id }));
  expect(user).toMatchObject({ full_name: "Gong", bot_owner_id: cy.id, is_active: true });
});

test("going back to a table returns to its filter and row", async () => {
  const { admin } = await organization();
  const page = await openClient(admin, { at: "#organization/users" });
  await row(page, "Bo Berg").waitFor();

  await page.getByRole("searchbox", { name: "Find by name or address" }).fill("y");
  await expect.poll(() => names(page)).toEqual(["Cy Young"]);
  await row(page, "Cy Young").click();
  await page.getByRole("heading", { name: "Cy Young" }).waitFor();
  await page.goBack();
  await expect.poll(() => names(page)).toEqual(["Cy Young"]);

  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("row");
});
