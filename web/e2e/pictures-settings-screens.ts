/** The screens of settings and administration, with the steps that lead to each. */
import type { Page } from "playwright-core";
import { showAccess } from "./access-screens.ts";
import { picture } from "./files.ts";
import { importScreens, showImport } from "./import-screens.ts";
import type { Organization } from "./pictures-organization.ts";
import type { Screen } from "./pictures-screens.ts";

export function settingsScreens({ person }: Organization): Screen[] {
  const shown = (page: Page, at: string, ready: string): Promise<void> =>
    showAccess(page, { at, ready, owner: person("Olive Marchetti"), other: person("Kofi Mensah") });
  return [
    // Personal settings
    { name: "settings-profile", at: "#settings/profile", ready: "See your profile" },
    { name: "settings-preferences", at: "#settings/preferences", ready: "Text size" },
    { name: "settings-notifications", at: "#settings/notifications", ready: "Followed topics" },
    { name: "settings-account", at: "#settings/account", ready: "Change password" },
    {
      name: "settings-api-keys",
      at: "#settings/api-keys",
      ready: "Create an API key",
      act: (page) => shown(page, "#settings/api-keys", "Nightly report"),
    },
    {
      name: "settings-api-key-create",
      at: "#settings/api-keys",
      ready: "Create an API key",
      act: async (page) => {
        await shown(page, "#settings/api-keys", "Nightly report");
        await page.getByRole("button", { name: "Create an API key" }).click();
        await page.getByLabel("Name", { exact: true }).fill("Nightly report");
        await page.getByLabel("messages:read").check();
      },
    },
    {
      name: "settings-sessions",
      at: "#settings/sessions",
      ready: "This browser",
      act: (page) => shown(page, "#settings/sessions", "Safari on iPhone"),
    },
    { name: "settings-muted", at: "#settings/muted", ready: "Muted people" },
    { name: "settings-alert-words", at: "#settings/alert-words", ready: "Press Enter after each" },
    { name: "settings-uploads", at: "#settings/uploads", ready: "planting-plan.pdf" },
    { name: "settings-bots", at: "#settings/bots", ready: "Create a bot" },
    {
      name: "settings-bot-create",
      at: "#settings/bots",
      ready: "Create a bot",
      act: async (page) => {
        await page.getByRole("button", { name: "Create a bot" }).click();
        await page.getByLabel("Outgoing webhook").check();
        await page.getByLabel("Name", { exact: true }).fill("Compost bot");
        await page.getByText("Its address starts with compost-bot@").waitFor();
      },
    },
    { name: "settings-keyboard", at: "#settings/keyboard", ready: "Page down" },
    {
      name: "settings-crop",
      at: "#settings/profile",
      ready: "See your profile",
      act: async (page) => {
        const chooser = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: "Choose a picture" }).click();
        const wide = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
        await (await chooser).setFiles({ name: "wide.png", mimeType: "image/png", buffer: wide });
        await page.getByRole("slider", { name: "Zoom" }).fill("1.6");
      },
    },
    { name: "settings-menu", at: "#settings", ready: "Notifications", width: 390 },
    {
      name: "settings-found",
      at: "#settings/profile",
      ready: "See your profile",
      width: 1440,
      act: async (page) => {
        await page.getByRole("searchbox", { name: "Find a setting" }).fill("enter");
        await page.getByText("Enter sends the message").waitFor();
      },
    },
    // Channel settings
    ...channelSettingsScreens(person("design"), person("cake committee")),
    // An import of another chat's history.
    ...importScreens
      .filter(({ moves }) => !moves)
      .map((screen) => ({
        name: `import-${screen.name}`,
        at: "#organization/imports",
        ready: "No imports yet",
        act: (page: Page) => showImport(page, screen, person("Olive Marchetti")),
      })),
    // People in the administration.
    { name: "members-users", at: "#organization/users", ready: "31 users" },
    {
      name: "members-selected",
      width: 1440,
      at: "#organization/users",
      ready: "31 users",
      act: async (page) => {
        await page.getByRole("checkbox", { name: "Select Aisha" }).check();
        await page.getByRole("checkbox", { name: "Select Arjun" }).check();
        await page.getByRole("button", { name: "Deactivate", exact: true }).waitFor();
      },
    },
    {
      name: "members-bulk",
      width: 1440,
      at: "#organization/users",
      ready: "31 users",
      act: async (page) => {
        for (const name of ["Olive", "Kofi"]) {
          await page.getByRole("searchbox", { name: "Find by name" }).fill(name);
          await page.getByRole("checkbox", { name: `Select ${name}` }).check();
        }
        await page.getByRole("button", { name: "Deactivate", exact: true }).click();
        await page.getByText("left out").waitFor();
      },
    },
    {
      name: "members-user",
      at: `#organization/users/${person("Kofi Mensah")}`,
      ready: "Forgot password",
      act: (page) => shown(page, `#organization/users/${person("Kofi Mensah")}`, "Safari on iPhone"),
    },
    {
      name: "members-deactivate",
      at: `#organization/users/${person("Kofi Mensah")}`,
      ready: "Forgot password",
      act: async (page) => {
        await shown(page, `#organization/users/${person("Kofi Mensah")}`, "Safari on iPhone");
        const button = page.getByRole("button", { name: "Deactivate" });
        await page.getByLabel("Birthday").waitFor();
        // The same place each time; a click alone scrolls as far as it has to.
        await button.evaluate((element) => element.scrollIntoView({ block: "center" }));
        await button.click();
        await page.getByRole("dialog").getByRole("checkbox").check();
        await page.getByLabel("Comment").fill("Thank you for everything.");
      },
    },
    { name: "members-deactivated", at: "#organization/deactivated-users", ready: "No deactivated users" },
    { name: "members-bots", at: "#organization/bots", ready: "Generic" },
    { name: "members-invitations", at: "#organization/invitations", ready: "wren.holloway@example.net" },
    { name: "members-groups", at: "#organization/user-groups", ready: "By role" },
    {
      name: "members-group",
      at: "#organization/user-groups",
      ready: "By role",
      act: async (page) => {
        await page.getByRole("row").filter({ hasText: "Custom" }).first().click();
        await page.getByText("Used in").waitFor();
      },
    },
    {
      name: "members-access",
      at: `#organization/users/${person("Kofi Mensah")}`,
      ready: "Forgot password",
      act: async (page) => {
        await shown(page, `#organization/users/${person("Kofi Mensah")}`, "Safari on iPhone");
        await page.getByLabel("Birthday").waitFor();
        const heading = page.getByRole("heading", { name: "API keys" });
        await heading.evaluate((element) => element.scrollIntoView({ block: "start" }));
      },
    },
    {
      name: "organization-audit-log",
      at: "#organization/audit-log",
      ready: "Export as JSONL",
      act: async (page) => {
        await shown(page, "#organization/audit-log", "Not signed in");
        await page.locator("#main summary").filter({ hasText: "Role changed" }).click();
        await page.getByText("Hash").waitFor();
      },
    },
    {
      name: "organization-identity-providers",
      at: "#organization/identity-providers",
      ready: "Add identity provider",
      act: async (page) => {
        await shown(page, "#organization/identity-providers", "Hedgerow ID");
        await page.getByRole("button", { name: "Test Hedgerow ID" }).click();
        await page.getByText("are fine").waitFor();
      },
    },
    {
      name: "organization-identity-provider-edit",
      at: "#organization/identity-providers",
      ready: "Add identity provider",
      act: async (page) => {
        await shown(page, "#organization/identity-providers", "Hedgerow ID");
        await page.getByRole("button", { name: "Edit Hedgerow ID" }).click();
        await page.getByLabel("Client ID").waitFor();
      },
    },
    {
      name: "organization-identity-provider-saml",
      at: "#organization/identity-providers",
      ready: "Add identity provider",
      act: async (page) => {
        await shown(page, "#organization/identity-providers", "Orchard");
        await page.getByRole("button", { name: "Edit Orchard" }).click();
        await page.getByLabel("Sign-in URL").waitFor();
      },
    },
    {
      name: "organization-identity-provider-ldap",
      at: "#organization/identity-providers",
      ready: "Add identity provider",
      act: async (page) => {
        await shown(page, "#organization/identity-providers", "Nursery");
        await page.getByRole("button", { name: "Edit Nursery" }).click();
        await page.getByLabel("URL of the directory").waitFor();
      },
    },
    {
      name: "organization-identity-provider-sync",
      at: "#organization/identity-providers",
      ready: "Add identity provider",
      act: async (page) => {
        await shown(page, "#organization/identity-providers", "Nursery");
        await page.getByRole("button", { name: "Preview sync of Nursery" }).click();
        await page.getByText("renamed to Olive Conti").waitFor();
      },
    },
    {
      name: "organization-provisioning",
      at: "#organization/provisioning",
      ready: "Create SCIM token",
      act: (page) => shown(page, "#organization/provisioning", "Okta, before"),
    },
    {
      name: "organization-audit-delivery",
      at: "#organization/audit-delivery",
      ready: "Add destination",
      act: (page) => shown(page, "#organization/audit-delivery", "tls://logs.hedgerow.example:6514"),
    },
    ...organizationScreens,
  ];
}

function channelSettingsScreens(channelId: number, closedId: number): Screen[] {
  const at = (section: string) => `#channels/${channelId}/design/${section}`;
  return [
    { name: "channel-settings-general", at: at("general"), ready: "Created" },
    { name: "channel-settings-people", at: at("subscribers"), ready: "Diego Fuentes" },
    { name: "channel-settings-permissions", at: at("permissions"), ready: "Who can join" },
    { name: "channel-settings-personal", at: at("personal"), ready: "Leave channel" },
    { name: "channel-settings-list", at: `#channels/${channelId}/design`, ready: "Permissions", width: 390 },
    { name: "channel-settings-no-access", at: `#channels/${closedId}/-/general`, ready: "Created" },
    {
      name: "channel-settings-privacy",
      at: at("general"),
      ready: "Created",
      act: async (page) => {
        await page.getByRole("radio", { name: "Private, with protected history" }).check();
        await page.getByText("Change to").waitFor();
      },
    },
    {
      name: "channel-settings-archive",
      at: at("general"),
      ready: "Created",
      act: async (page) => {
        await page.getByRole("button", { name: "Archive", exact: true }).click();
        await page.getByRole("dialog").waitFor();
      },
    },
    {
      name: "channel-settings-add",
      at: at("subscribers"),
      ready: "Diego Fuentes",
      act: async (page) => {
        const field = page.getByRole("combobox", { name: "Add people" });
        await field.fill("general");
        await page.getByRole("option").first().waitFor();
        await field.press("Enter");
        await page.getByText("subscribed already").or(page.getByText("will be added")).waitFor();
      },
    },
    { name: "organization-channels", at: "#organization/channels", ready: "Messages per week", width: 1440 },
    {
      name: "organization-channel-folders",
      at: "#organization/channel-folders",
      ready: "No folders yet",
      act: async (page) => {
        await page.getByRole("button", { name: "Create a folder" }).click();
        await page.getByLabel("Name", { exact: true }).fill("Teams");
      },
    },
    { name: "organization-default-channels", at: "#organization/default-channels", ready: "Create a group" },
    {
      name: "create-channel-advanced",
      at: "#channels",
      ready: "How it looks and how it feels",
      act: async (page) => {
        await page.getByRole("button", { name: "Create a channel" }).last().click();
        await page.getByRole("dialog").getByLabel("Name").fill("greenhouse");
        await page.getByText("Advanced permissions").click();
        await page.getByText("How long messages are kept").scrollIntoViewIfNeeded();
      },
    },
  ];
}

/** The organization's settings. */
const organizationScreens: Screen[] = [
  { name: "organization-profile", at: "#organization/profile", ready: "Type of organization" },
  {
    name: "organization-deactivate",
    at: "#organization/profile",
    ready: "Type of organization",
    act: async (page) => {
      await page.getByRole("button", { name: "Deactivate organization" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "organization-permissions",
    at: "#organization/permissions",
    ready: "Who can invite people",
  },
  {
    name: "organization-permissions-read",
    at: "#organization/permissions",
    ready: "Who can invite people",
    who: "reader",
  },
  { name: "organization-messages", at: "#organization/messages", ready: "Time limit for editing" },
  {
    name: "organization-retention",
    at: "#organization/messages",
    ready: "Time limit for editing",
    act: async (page) => {
      await page.getByLabel("Keep messages for").selectOption("90 days");
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "organization-joining", at: "#organization/joining", ready: "hedgerow.example" },
  { name: "organization-authentication", at: "#organization/authentication", ready: "E-mail address and password" },
  { name: "organization-emoji", at: "#organization/emoji", ready: ":hedgerow:" },
  {
    name: "organization-emoji-add",
    at: "#organization/emoji",
    ready: ":hedgerow:",
    act: async (page) => {
      await page.getByRole("button", { name: "Add emoji" }).click();
      const dialog = page.getByRole("dialog");
      await dialog
        .locator("input[type=file]")
        .setInputFiles({ name: "party parsnip.png", mimeType: "image/png", buffer: await picture() });
      await dialog.getByText("People type").waitFor();
    },
  },
  { name: "organization-linkifiers", at: "#organization/linkifiers", ready: "HED-(?P<id>" },
  {
    name: "organization-linkifier-edit",
    at: "#organization/linkifiers",
    ready: "HED-(?P<id>",
    act: async (page) => {
      await page.getByRole("button", { name: /^Edit HED/ }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Text to try").fill("Fixed HED-12 in web@1ea6e40, see also xHED-7.");
      await dialog.getByText("→").first().waitFor();
    },
  },
  { name: "organization-playgrounds", at: "#organization/playgrounds", ready: "Rust playground" },
  { name: "organization-profile-fields", at: "#organization/profile-fields", ready: "With us since" },
  {
    name: "organization-profile-field-edit",
    at: "#organization/profile-fields",
    ready: "With us since",
    act: async (page) => {
      await page.getByRole("button", { name: "Edit Shift" }).click();
      await page.getByRole("dialog").getByRole("textbox", { name: "Option 3" }).waitFor();
    },
  },
  { name: "organization-defaults", at: "#organization/defaults", ready: "What new accounts start with" },
  { name: "organization-exports", at: "#organization/exports", ready: "No exports yet" },
  { name: "organization-imports", at: "#organization/imports", ready: "No imports yet" },
];
