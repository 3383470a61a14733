/** What owners connect to the organization: identity providers, directories, and receivers of the audit log. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { getIdentityProviders } from "@skein/api/identity-providers.ts";
import { getScimTokens } from "@skein/api/provisioning.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { roles } from "@skein/api/users.ts";
import { TestProvider } from "../../server/test/openid-provider.ts";
import { success } from "../../server/test/realm.ts";
import { startWebhookTarget } from "../../server/test/webhook-target.ts";
import { goTo, newRealm, openClient, siteOf, useClient } from "./client.ts";

useClient();

async function owned() {
  const realm = await newRealm();
  return { realm, owner: await realm.user("ada", { role: roles.owner }) };
}

const dialog = (page: Page) => page.getByRole("dialog");

test("an identity provider is added, tested, changed and removed, and can become the only one", async () => {
  const { realm, owner } = await owned();
  const provider = await TestProvider.start();
  const { group_id } = success(
    await realm.admin.call(createUserGroup, { name: "Engineering", description: "", members: [] }),
  );
  const page = await openClient(owner, { at: "#organization/identity-providers" });
  const list = page.getByRole("list", { name: "Identity providers" });
  const listed = async () => success(await owner.call(getIdentityProviders, {})).identity_providers;

  await page.getByRole("button", { name: "Add identity provider" }).click();
  await dialog(page).getByLabel("Name", { exact: true }).fill("Harbor ID");
  await dialog(page).getByText("/complete/oidc/harbor-id/").waitFor();
  await dialog(page).getByLabel("Issuer").fill("nonsense");
  await dialog(page).getByLabel("Client ID").fill(provider.clientId);
  await dialog(page).getByLabel("Client secret").fill(provider.clientSecret);
  await dialog(page).getByLabel("E-mail domains").fill("example.com, example.org");
  await dialog(page).getByLabel("Groups (optional)", { exact: true }).fill("crew = Nobody");
  await dialog(page).getByRole("button", { name: "Add" }).click();
  await dialog(page).getByText("No group here has this name: crew = Nobody").waitFor();
  await dialog(page).getByLabel("Groups (optional)", { exact: true }).fill("crew = Engineering");
  await dialog(page).getByRole("button", { name: "Add" }).click();
  await dialog(page).getByText("must begin with https://").waitFor();
  await dialog(page).getByLabel("Issuer").fill(provider.url);
  await dialog(page).getByRole("button", { name: "Add" }).click();
  await list.getByText(provider.url).waitFor();
  expect(await listed()).toMatchObject([
    {
      key: "harbor-id",
      allowed_domains: ["example.com", "example.org"],
      has_client_secret: true,
      creates_accounts: true,
      group_map: { crew: group_id },
    },
  ]);

  await list.getByRole("button", { name: "Test Harbor ID" }).click();
  await list.getByText("configuration and keys are fine").waitFor();

  await list.getByRole("button", { name: "Edit Harbor ID" }).click();
  expect(await dialog(page).getByLabel("Groups (optional)", { exact: true }).inputValue()).toBe("crew = Engineering");
  await dialog(page).getByLabel("Name", { exact: true }).fill("Harbor");
  await dialog(page).getByLabel("Issuer").fill("https://nobody.invalid");
  await dialog(page).getByLabel("Create accounts").uncheck();
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await list.getByText("https://nobody.invalid").waitFor();
  expect(await listed()).toMatchObject([{ name: "Harbor", has_client_secret: true, creates_accounts: false }]);
  await list.getByRole("button", { name: "Test Harbor" }).click();
  await list.getByText("configuration and keys are fine").waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(provider.clientSecret);

  // What it means is said before, and the server refuses who would lock themselves out.
  await list.getByLabel("Accept only this provider").click();
  await dialog(page).getByText("API keys keep working").waitFor();
  await dialog(page).getByRole("button", { name: "Accept only this provider" }).click();
  await dialog(page).getByText("Sign in with this identity provider yourself").waitFor();
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await realm.ctx.db
    .insertInto("external_identities")
    .values({
      realm_id: realm.id,
      provider_id: (await listed())[0]?.id ?? 0,
      issuer: "https://nobody.invalid",
      subject: "ada",
      user_id: owner.id,
    })
    .execute();
  await list.getByLabel("Accept only this provider").click();
  await dialog(page).getByRole("button", { name: "Accept only this provider" }).click();
  await expect.poll(() => list.getByLabel("Accept only this provider").isChecked()).toBe(true);
  expect(await listed()).toMatchObject([{ is_only: true }]);
  await list.getByLabel("Accept only this provider").click();
  await expect.poll(() => list.getByLabel("Accept only this provider").isChecked()).toBe(false);

  await list.getByLabel("People can sign in here").click();
  await expect.poll(async () => (await listed())[0]?.is_enabled).toBe(false);
  await list.getByRole("button", { name: "Remove Harbor" }).click();
  await dialog(page).getByRole("button", { name: "Remove" }).click();
  await page.getByText("No identity providers.").waitFor();
  expect(await listed()).toEqual([]);
});

test("a token of a directory is shown once, and revoked", async () => {
  const { realm, owner } = await owned();
  const page = await openClient(owner, { at: "#organization/provisioning" });
  const list = page.getByRole("list", { name: "SCIM tokens" });
  await page.getByText(`${siteOf(realm)}/scim/v2`).waitFor();

  await page.getByRole("button", { name: "Create SCIM token" }).click();
  await dialog(page).getByLabel("Name").fill("Okta");
  await page.keyboard.press("Enter");
  const token = await dialog(page).getByRole("status", { name: "SCIM token" }).innerText();
  await dialog(page).getByRole("button", { name: "Done" }).click();
  await list.getByText("Never used").waitFor();
  expect(await page.content()).not.toContain(token);

  const headers = { authorization: `Bearer ${token}`, "x-forwarded-host": realm.host };
  const ask = () => fetch(`${siteOf(realm)}/scim/v2/Users?count=1`, { headers });
  expect((await ask()).status).toBe(200);
  await goTo(page, "#organization/identity-providers");
  await goTo(page, "#organization/provisioning");
  await list.getByText("Last used").waitFor();
  await list.getByRole("button", { name: "Revoke Okta" }).click();
  await dialog(page).getByRole("button", { name: "Revoke" }).click();

  await page.getByText("No directory is connected.").waitFor();
  expect(success(await owner.call(getScimTokens, {})).tokens).toEqual([]);
  expect((await ask()).status).toBe(401);
});

test("the audit log is delivered to a destination, whose state is shown, and which is switched off and deleted", async () => {
  const { owner } = await owned();
  let status = 500;
  const target = await startWebhookTarget((response) => response.writeHead(status).end());
  const page = await openClient(owner, { at: "#organization/audit-delivery" });
  const list = page.getByRole("list", { name: "Destinations" });

  await page.getByRole("button", { name: "Add destination" }).click();
  await dialog(page).getByLabel("URL").fill("nonsense");
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("alert").waitFor();
  await dialog(page).getByLabel("URL").fill(target.url());
  await page.keyboard.press("Enter");
  const secret = await dialog(page).getByRole("status", { name: "Signing secret" }).innerText();
  await dialog(page).getByRole("button", { name: "Done" }).click();
  await list.getByText("the webhook responded with status 500").waitFor();
  status = 200;
  // A change tries at once.
  await list.getByLabel("Deliver entries").click();
  await expect.poll(() => list.getByLabel("Deliver entries").isChecked()).toBe(false);
  await list.getByLabel("Deliver entries").click();
  await list.getByText("Delivered up to entry").waitFor();

  expect(await page.content()).not.toContain(secret);
  await list.getByRole("button", { name: /^Delete/ }).click();
  await dialog(page).getByRole("button", { name: "Delete" }).click();
  await page.getByText("not delivered anywhere").waitFor();
});

test("these pages are for owners", async () => {
  const { realm } = await owned();
  const administrator = await realm.user("bo", { role: roles.administrator });
  const page = await openClient(administrator, { at: "#organization/profile" });

  for (const section of ["identity-providers", "provisioning", "audit-delivery"]) {
    await goTo(page, `#organization/${section}`);
    await page.getByText("Nothing here").waitFor();
    expect(
      await page
        .locator("#main")
        .getByRole("button", { name: /^(Add|Create)/ })
        .count(),
    ).toBe(0);
    await goTo(page, "#organization/profile");
    await page.getByText("Nothing here").waitFor({ state: "detached" });
  }
});
