/** What owners connect to the organization: identity providers, directories, and receivers of the audit log. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { getIdentityProviders } from "@skein/api/identity-providers.ts";
import { getScimTokens } from "@skein/api/provisioning.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { roles } from "@skein/api/users.ts";
import { reader, startLdapServer } from "../../server/test/ldap-server.ts";
import { TestProvider } from "../../server/test/openid-provider.ts";
import { success } from "../../server/test/realm.ts";
import { selfSigned } from "../../server/test/self-signed.ts";
import { startWebhookTarget } from "../../server/test/webhook-target.ts";
import { goTo, newRealm, openClient, siteOf, useClient } from "./client.ts";

useClient();

async function owned() {
  const realm = await newRealm();
  return { realm, owner: await realm.user("ada", { role: roles.owner }) };
}

const dialog = (page: Page) => page.getByRole("dialog");

/** Whether the field shows an error and has the focus. */
const isRefused = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => element.matches("[aria-invalid=true]:focus"));

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
  await dialog(page).getByText("/complete/oidc/harbor-id/backchannel-logout").waitFor();
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
  expect(await isRefused(dialog(page).getByLabel("Issuer"))).toBe(true);
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

test("a SAML provider is added by its metadata or by hand, and its certificates are replaced", async () => {
  const { realm, owner } = await owned();
  const [old, next] = [selfSigned("old.example.com"), selfSigned("next.example.com")];
  const metadata = `<EntityDescriptor entityID="urn:harbor"><IDPSSODescriptor>
    <KeyDescriptor><X509Certificate>${old.certificate.raw.toString("base64")}</X509Certificate></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://id.example.com/sso"/>
    </IDPSSODescriptor></EntityDescriptor>`;
  const page = await openClient(owner, { at: "#organization/identity-providers" });
  const list = page.getByRole("list", { name: "Identity providers" });
  const listed = async () => success(await owner.call(getIdentityProviders, {})).identity_providers;
  const field = (label: string) => dialog(page).getByLabel(new RegExp(`^${label}( \\(optional\\))?$`));
  const press = (name: string) => dialog(page).getByRole("button", { name, exact: true }).click();

  await page.getByRole("button", { name: "Add identity provider" }).click();
  await field("SAML 2.0").check();
  await field("Name").fill("Harbor SAML");
  for (const label of ["Entity ID", "ACS URL", "Metadata"])
    await dialog(page)
      .getByRole("button", { name: `Copy ${label}` })
      .waitFor();
  await dialog(page)
    .getByText(`${siteOf(realm)}/complete/saml/`)
    .waitFor();
  await field("Metadata of the provider").fill("nonsense");
  await press("Add");
  await dialog(page).getByText("must describe one identity provider").waitFor();
  expect(await isRefused(field("Metadata of the provider"))).toBe(true);
  await field("Metadata of the provider").fill(metadata);
  await press("Add");
  await list.getByText("urn:harbor").waitFor();
  await list.getByText("SAML 2.0").waitFor();
  await list.getByRole("link", { name: /\/saml\/metadata\.xml$/ }).waitFor();
  await list.getByRole("button", { name: "Test Harbor SAML" }).click();
  await list.getByText("The certificates are valid").waitFor();

  // Both certificates are accepted until the provider has switched.
  await list.getByRole("button", { name: "Edit Harbor SAML" }).click();
  await field("More certificates").fill(next.certificatePem);
  await field("Attribute with the e-mail address").fill("mail");
  await press("Save");
  await list.getByText(next.certificate.fingerprint256.slice(0, 23)).waitFor();
  expect(await listed()).toMatchObject([
    { kind: "saml", issuer: "urn:harbor", saml: { sso_url: "https://id.example.com/sso", email_attribute: "mail" } },
  ]);
  await list.getByRole("button", { name: "Edit Harbor SAML" }).click();
  await press(`Remove certificate ${old.certificate.fingerprint256.slice(0, 23)}`);
  await press("Save");
  await list.getByText(old.certificate.fingerprint256.slice(0, 23)).waitFor({ state: "detached" });
  const [changed] = await listed();
  expect(changed?.saml?.certificates.map(({ certificate }) => certificate)).toEqual([next.certificatePem]);

  await page.getByRole("button", { name: "Add identity provider" }).click();
  await field("SAML 2.0").check();
  await field("Name").fill("Quay");
  await field("Entered by hand").check();
  await field("Entity ID of the provider").fill("urn:quay");
  await field("Sign-in URL").fill("http://quay.example.com/sso");
  await field("Certificates").fill(`${old.certificatePem}\n${next.certificatePem}`);
  await press("Add");
  await dialog(page).getByText("saml.sso_url must begin with https://").waitFor();
  expect(await isRefused(field("Sign-in URL"))).toBe(true);
  await field("Sign-in URL").fill("https://quay.example.com/sso");
  await press("Add");
  await list.getByText("urn:quay").waitFor();
  expect(await listed()).toMatchObject([{}, { key: "quay", saml: { certificates: [{}, {}] } }]);
});

test("an LDAP directory is added and tested, and a sync with it is previewed and begun", async () => {
  const { owner } = await owned();
  const directory = await startLdapServer();
  const people = await directory.organization();
  await people.person("mira", { mail: "mira@example.com" });
  const page = await openClient(owner, { at: "#organization/identity-providers" });
  const list = page.getByRole("list", { name: "Identity providers" });
  const field = (label: string) => dialog(page).getByLabel(new RegExp(`^${label}( \\(optional\\))?$`));
  const press = (name: string) => dialog(page).getByRole("button", { name, exact: true }).click();

  await page.getByRole("button", { name: "Add identity provider" }).click();
  await field("LDAP or Active Directory").check();
  await field("Name").fill("Harbor LDAP");
  await field("URL of the directory").fill(directory.secureUrl);
  await field("Certificate authorities").fill(directory.certificate.certificatePem);
  await field("Account that searches").fill(reader.dn);
  await field("Password of that account").fill(reader.password);
  await field("Where people are").fill("nowhere");
  await press("Add");
  await dialog(page).getByText("ldap.user_base must be a DN").waitFor();
  expect(await isRefused(field("Where people are"))).toBe(true);
  await field("Where people are").fill(people.people);
  await press("Add");
  await list.getByText(directory.secureUrl).waitFor();
  await list.getByText("Accounts change at sign-in only.").waitFor();
  await list.getByRole("button", { name: "Test Harbor LDAP" }).click();
  await list.getByText("The directory answers").waitFor();

  // What is stored stays when nothing else is entered.
  await list.getByRole("button", { name: "Edit Harbor LDAP" }).click();
  await field("Attribute with the full name").fill("cn");
  await press("Save");
  await dialog(page).waitFor({ state: "detached" });
  const { identity_providers } = success(await owner.call(getIdentityProviders, {}));
  expect(identity_providers).toMatchObject([
    { kind: "ldap", ldap: { bind_dn: reader.dn, has_bind_password: true, name_attribute: "cn" } },
  ]);

  await list.getByRole("button", { name: "Preview sync of Harbor LDAP" }).click();
  await dialog(page).getByText("People in the directory: 1.").waitFor();
  await dialog(page).getByText("Nothing would change.").waitFor();
  await press("Sync now");
  await list.getByText("1 people in the directory, 0 changes").waitFor();
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
