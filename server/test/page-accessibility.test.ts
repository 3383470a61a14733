/** Checks every server-rendered page, and a mail, with axe in a real browser: light and dark, wide and narrow. */
import { createInvitationLink, sendInvitations } from "@skein/api/invitations.ts";
import { updateSettings } from "@skein/api/settings.ts";
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { continueInBrowser } from "../src/domain/joining/identity-providers/continue-in-browser.ts";
import { creationForm } from "../src/domain/joining/setup/new-organization-views.ts";
import { setupForm, type SetupFields, type SetupProblem } from "../src/domain/joining/setup/views.ts";
import { createLoginToken, loginTokenPath } from "../src/domain/joining/sign-in/login-token.ts";
import { plainPage, type PlainPage } from "../src/http/pages/plain-page.ts";
import { transaction } from "../src/platform/db/transaction.ts";
import { withApp } from "./authenticator-app.ts";
import { launchChromium } from "./chromium.ts";
import { linkIn, mailTo } from "./mail.ts";
import { newRealm, success, type TestRealm } from "./realm.ts";
import { newAddress, password, TestBrowser, withPassword } from "./test-browser.ts";

let page: Page;
let realm: TestRealm;
beforeAll(async () => {
  const browser = await launchChromium();
  realm = await newRealm();
  const open = { name: "Harbor & Sons", invite_required: false };
  await realm.ctx.db.updateTable("realms").set(open).where("id", "=", realm.id).execute();
  const context = await browser.newContext({ extraHTTPHeaders: { "x-forwarded-host": realm.host } });
  page = await context.newPage();
});

const site = () => realm.nodes[0]?.url ?? "";

interface Shown {
  name: string;
  show: () => Promise<unknown>;
}

const opened = (name: string, path: () => string | Promise<string>): Shown => ({
  name,
  show: async () => page.goto(`${site()}${await path()}`),
});

/** The page that a form submission returns. */
const answered = (name: string, path: () => string | Promise<string>, fields: Record<string, string>): Shown => ({
  name,
  show: async () => {
    await page.goto(`${site()}${await path()}`);
    // Disable the browser's validation, so that the server rejects the form.
    await page.$eval("form", (form) => form.setAttribute("novalidate", ""));
    for (const [name_, value] of Object.entries(fields)) await page.fill(`[name="${name_}"]`, value);
    const loaded = page.waitForEvent("load");
    await page.click("button");
    await loaded;
  },
});

/** A page for a situation that this test cannot create. */
const made = (name: string, make: () => PlainPage): Shown => ({
  name,
  show: () => showHtml(plainPage(make()).body as string), // it is text
});

const setup = (name: string, fields: SetupFields, problem?: SetupProblem): Shown =>
  made(name, () => setupForm({ fields, csrfToken: "x", problem }));

async function showHtml(html: string): Promise<void> {
  // Do not keep the style policy of the previous page.
  await page.goto("about:blank");
  await page.setContent(html);
}

const mailed = async (email: string): Promise<string> => linkIn(await mailTo(email)).pathname;

async function invitationLink(): Promise<string> {
  const email = newAddress();
  success(await realm.admin.call(sendInvitations, { invitee_emails: email, stream_ids: [] }));
  return mailed(email);
}

async function resetLink(): Promise<string> {
  const { email } = await withPassword(realm, "hamlet");
  await new TestBrowser(realm).send("/accounts/password/reset/", { email });
  return mailed(email);
}

async function newAddressLink(): Promise<string> {
  const email = newAddress();
  success(await realm.admin.call(updateSettings, { email }));
  return mailed(email);
}

async function tokenLink(): Promise<string> {
  const { id } = await realm.user("hamlet");
  const { db } = realm.ctx;
  const token = await transaction(db, "sign in", (tx) => createLoginToken(tx, { id, realm_id: realm.id }));
  return `${loginTokenPath}/${token}`;
}

const multiUseLink = async (): Promise<string> =>
  new URL(success(await realm.admin.call(createInvitationLink, {})).invite_link).pathname;

const creation = {
  csrfToken: "x",
  token: "t",
  email: "mira@example.com",
  parentHost: "chat.example.com",
  formTarget: "https://*.chat.example.com",
  fields: { organization: "Harbor & Sons", subdomain: "www", full_name: "Mira Mole" },
  problem: { field: "subdomain", text: "This subdomain is reserved." },
} as const;
const newcomer = { full_name: "Nell Newcomer", password: "Basalt-7f3a-tide" };

const pages: Shown[] = [
  opened("signing in", () => "/login/"),
  answered("a wrong password", () => "/login/", { username: "mira@example.com", password: "guess" }),
  opened("signing in for an app", () => `/login/?mobile_flow_otp=${"a".repeat(64)}`),
  {
    name: "a code that is wrong",
    show: async () => {
      const hamlet = await withPassword(realm, "hamlet");
      await withApp(hamlet);
      await page.goto(`${site()}/login/`);
      await page.fill('[name="username"]', hamlet.email);
      await page.fill('[name="password"]', password);
      await page.click("button");
      await page.getByLabel("Code").fill("ABCD-EFGH-JKLM-NPQR");
      await page.click("button");
      await page.getByText("This code is wrong").waitFor();
    },
  },
  opened("requesting a password reset", () => "/accounts/password/reset/"),
  answered("after the request", () => "/accounts/password/reset/", { email: "mira@example.com" }),
  opened("choosing a new password", resetLink),
  answered("a new password that is too weak", resetLink, { password: "123456" }),
  answered("after setting a password", resetLink, { password: "Quartz-91bd-dune" }),
  opened("an invalid link", () => "/accounts/password/reset/nonsense/"),
  opened("finding accounts", () => "/accounts/find/"),
  opened("open registration", () => "/register/"),
  answered("an address that may not join", () => "/register/", { email: "x@mailinator.com" }),
  opened("accepting an invitation", invitationLink),
  answered("an invalid name", invitationLink, { ...newcomer, full_name: "*" }),
  answered("after joining", invitationLink, newcomer),
  opened("an invitation link", multiUseLink),
  opened("an invalid invitation", () => "/join/nonsense/"),
  opened("confirming a new address", newAddressLink),
  opened("an invalid confirmation", () => "/accounts/confirm_new_email/nonsense"),
  {
    name: "the code to copy to an app",
    show: async () => {
      const { email } = await withPassword(realm, "hamlet");
      await page.goto(`${site()}/login/?desktop_flow_otp=${"a".repeat(64)}`);
      await page.fill('[name="username"]', email);
      await page.fill('[name="password"]', password);
      await page.click("button");
      // Shown by the page's own script, which its policy allows.
      await page.getByRole("button", { name: "Copy" }).waitFor();
    },
  },
  opened("signing in with a token", tokenLink),
  made("an app that waits for the browser", () => continueInBrowser("x")),
  opened("creation of organizations disabled", () => "/new/"),
  opened("an operation in the API reference", () => "/api/docs/get-messages"),
  made("creating an organization", () => creationForm(creation)),
  setup("creating the first organization", { token: "t", organization: "", full_name: "", email: "" }),
  setup(
    "creating the first organization with a wrong token",
    { token: "t", organization: "Harbor", full_name: "Mira Mole", email: "mira@example.com" },
    { field: "token", text: "This is not the token that the server printed." },
  ),
  {
    name: "a mail",
    show: async () => {
      const email = newAddress();
      success(await realm.admin.call(sendInvitations, { invitee_emails: email, stream_ids: [] }));
      await showHtml((await mailTo(email)).html);
    },
  },
];

const widths = [1280, 390];
/** Violations in dark mode that did not occur in light mode. */
const aboutColors = { runOnly: ["color-contrast", "link-in-text-block"] };

async function objections(options: RunOptions = {}): Promise<string[]> {
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`);
}

test.for(pages.map((shown) => [shown.name, shown] as const))("%s", async ([, { show }]) => {
  await page.context().clearCookies();
  await show();
  await page.evaluate(axe.source);

  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: "light" });
    expect(await objections(), `light, ${width} px`).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await objections(aboutColors), `dark, ${width} px`).toEqual([]);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(overflow, `${width} px`).toBeLessThanOrEqual(0);
  }
});
