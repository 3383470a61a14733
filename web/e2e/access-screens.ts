/** Keys, sessions and the audit log as they are shown in pictures: with times and addresses that stay the same. */
import type { Page } from "playwright-core";

const at = (text: string): number => Date.parse(text) / 1000;

const keys = [
  {
    id: 7,
    name: "Nightly report",
    kind: "personal",
    scopes: ["messages:read", "channels:read", "users:read"],
    created_at: at("2026-10-28T10:12:00Z"),
    expires_at: at("2027-01-26T10:12:00Z"),
    last_used_at: at("2026-11-16T03:00:00Z"),
    last_used_ip: "203.0.113.24",
    is_current: false,
  },
  {
    id: 5,
    name: "Old laptop",
    kind: "personal",
    scopes: ["files"],
    created_at: at("2026-08-01T08:00:00Z"),
    expires_at: at("2026-10-30T08:00:00Z"),
    last_used_at: at("2026-10-29T17:00:00Z"),
    last_used_ip: "2001:db8::7",
    is_current: false,
  },
  {
    id: 2,
    name: "ZulipMobile",
    kind: "device",
    scopes: ["*"],
    created_at: at("2026-06-02T19:40:00Z"),
    expires_at: null,
    last_used_at: null,
    last_used_ip: null,
    is_current: false,
  },
];

const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const safari =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/604.1";

const sessions = [
  { id: 9, ip: "203.0.113.24", user_agent: chrome, used: "2026-11-16T09:00:00Z", is_current: true },
  { id: 8, ip: "198.51.100.3", user_agent: safari, used: "2026-11-15T21:00:00Z", is_current: false },
  { id: 4, ip: null, user_agent: null, used: "2026-11-02T12:00:00Z", is_current: false },
].map(({ used, ...session }) => ({
  ...session,
  created_at: at("2026-11-01T07:30:00Z"),
  last_used_at: at(used),
  expires_at: at("2026-12-01T07:30:00Z"),
}));

const scopes = [
  "*",
  "messages:read",
  "messages:write",
  "channels:read",
  "users:read",
  "events",
  "files",
  "account",
].map((name) => ({ name, description: `What ${name} permits.` }));

const entries = (owner: number, other: number) =>
  [
    { action: "sign_in.success", target: { kind: "user", id: owner }, before: null, after: { method: "password" } },
    {
      action: "user.update_role",
      target: { kind: "user", id: other },
      before: { role: 400 },
      after: { role: 300 },
    },
    {
      action: "realm.update",
      target: { kind: "realm", id: 1 },
      before: { message_retention_days: -1, invite_required: false },
      after: { message_retention_days: 90, invite_required: true },
    },
    {
      action: "api_key.create",
      target: { kind: "api_key", id: 7 },
      before: null,
      after: { name: "Nightly report", scopes: ["messages:read"], expires_at: at("2027-01-26T10:12:00Z") },
    },
    { action: "linkifier.create", target: { kind: "linkifier", id: 3 }, before: null, after: { pattern: "HED-" } },
  ].map((entry, index) => ({
    id: 812 - index,
    at: at("2026-11-16T08:58:00Z") - index * 3700,
    actor: { kind: "user", id: owner },
    credential: { kind: "session", id: 9 },
    ip: "203.0.113.24",
    request_id: `req-${index}`,
    prev_hash: "5f".repeat(32),
    hash: "3c".repeat(32),
    ...entry,
  }));

const failed = (other: number) => ({
  id: 807,
  at: at("2026-11-15T22:04:00Z"),
  actor: { kind: "anonymous", id: null },
  credential: null,
  ip: "198.51.100.77",
  action: "sign_in.failure",
  target: { kind: "user", id: other },
  before: null,
  after: { method: "password", reason: "wrong_password" },
  request_id: "req-9",
  prev_hash: "5f".repeat(32),
  hash: "3c".repeat(32),
});

const destinations = [
  {
    id: 3,
    kind: "webhook",
    url: "https://siem.hedgerow.example/skein",
    is_enabled: true,
    created_at: at("2026-11-01T10:00:00Z"),
    delivered_id: 812,
    newest_id: 812,
    delivered_at: at("2026-11-16T08:58:02Z"),
    failed_at: null,
    error: null,
    next_try_at: null,
  },
  {
    id: 4,
    kind: "syslog",
    url: "tls://logs.hedgerow.example:6514",
    is_enabled: true,
    created_at: at("2026-11-02T10:00:00Z"),
    delivered_id: 801,
    newest_id: 812,
    delivered_at: at("2026-11-15T20:00:00Z"),
    failed_at: at("2026-11-16T08:40:00Z"),
    error: "no connection within 5 seconds",
    next_try_at: at("2026-11-16T09:10:00Z"),
  },
];

const openId = {
  id: 2,
  kind: "oidc",
  key: "hedgerow",
  name: "Hedgerow ID",
  issuer: "https://id.hedgerow.example",
  client_id: "skein",
  has_client_secret: true,
  scopes: ["groups"],
  allowed_domains: ["hedgerow.example"],
  creates_accounts: true,
  groups_claim: "groups",
  group_map: {},
  is_enabled: true,
  is_only: false,
  redirect_uri: "https://chat.hedgerow.example/complete/oidc/hedgerow/",
  backchannel_logout_uri: "https://chat.hedgerow.example/complete/oidc/hedgerow/backchannel-logout",
  saml: null,
  ldap: null,
  created_at: at("2026-11-03T10:00:00Z"),
};

const saml = {
  ...openId,
  id: 3,
  kind: "saml",
  key: "orchard",
  name: "Orchard",
  issuer: "https://sso.orchard.example/saml",
  client_id: "",
  has_client_secret: false,
  scopes: [],
  allowed_domains: ["orchard.example"],
  redirect_uri: "https://chat.hedgerow.example/complete/saml/",
  backchannel_logout_uri: "",
  saml: {
    sso_url: "https://sso.orchard.example/saml/sso",
    certificates: [
      { certificate: "…", fingerprint: "3F:".repeat(31) + "3F", expires_at: at("2026-10-30T10:00:00Z") },
      { certificate: "…", fingerprint: "A7:".repeat(31) + "A7", expires_at: at("2028-10-30T10:00:00Z") },
    ],
    requires_signed_response: true,
    email_attribute: "mail",
    name_attribute: "",
    subject_attribute: "",
    entity_id: "https://chat.hedgerow.example",
    metadata_url: "https://chat.hedgerow.example/saml/metadata.xml",
  },
};

const ldap = {
  ...openId,
  id: 4,
  kind: "ldap",
  key: "nursery",
  name: "Nursery",
  issuer: "ldap:",
  client_id: "",
  has_client_secret: false,
  scopes: [],
  allowed_domains: ["nursery.example"],
  groups_claim: "memberOf",
  redirect_uri: "",
  backchannel_logout_uri: "",
  ldap: {
    url: "ldaps://directory.nursery.example",
    start_tls: false,
    ca_certificate: "",
    bind_dn: "cn=skein,dc=nursery,dc=example",
    has_bind_password: true,
    user_base: "ou=people,dc=nursery,dc=example",
    user_filter: "(|(uid={login})(mail={login}))",
    email_attribute: "",
    name_attribute: "",
    id_attribute: "",
    group_base: "",
    group_filter: "(member={dn})",
    nested_groups: true,
    sync: {
      is_enabled: true,
      interval_minutes: 60,
      deactivates_missing: true,
      max_deactivations: 5,
      max_deactivation_percent: 10,
      last_result: {
        finished_at: at("2026-11-16T08:40:00Z"),
        problem: null,
        people: 214,
        changes: 3,
        deactivations: 1,
      },
    },
  },
};

const plan = (owner: number, other: number) => ({
  people: 214,
  accounts: 96,
  change_count: 3,
  deactivations: 1,
  changes: [
    { user_id: owner, kind: "rename", before: "Olive Marchetti", after: "Olive Conti", user_group_id: null },
    { user_id: other, kind: "join_group", before: null, after: null, user_group_id: 1 },
    { user_id: other, kind: "deactivate", before: null, after: null, user_group_id: null },
  ],
  problem: null,
});

const tokens = [
  {
    id: 6,
    name: "Okta, from November",
    created_at: at("2026-11-15T10:00:00Z"),
    last_used_at: at("2026-11-16T08:00:00Z"),
  },
  { id: 5, name: "Okta, before", created_at: at("2026-05-03T10:00:00Z"), last_used_at: null },
];

interface Shown {
  at: string;
  ready: string;
  owner: number;
  other: number;
}

/** Shows the page again, with these answers. */
export async function showAccess(page: Page, { at: address, ready, owner, other }: Shown): Promise<void> {
  const success = { result: "success", msg: "" };
  await page.unrouteAll();
  const answer = (pattern: RegExp, json: object) =>
    page.route(pattern, (route) => route.fulfill({ json: { ...success, ...json } }));
  await answer(/\/json\/users\/(me|\d+)\/api_keys$/, { api_keys: keys, available_scopes: scopes });
  await answer(/\/json\/users\/me\/sessions$/, { sessions });
  await answer(/\/json\/users\/\d+\/sessions$/, {
    sessions: sessions.map((session) => ({ ...session, is_current: false })),
  });
  await answer(/\/json\/audit_log\?/, { entries: [...entries(owner, other), failed(other)], has_more: false });
  await answer(/\/json\/audit_log\/destinations$/, { destinations });
  await answer(/\/json\/realm\/identity_providers$/, { identity_providers: [openId, saml, ldap] });
  await answer(/\/json\/realm\/identity_providers\/2\/test$/, { problem: null, algorithms: ["RS256"] });
  await answer(/\/json\/realm\/identity_providers\/4\/sync$/, { plan: plan(owner, other) });
  await answer(/\/json\/scim\/tokens$/, { tokens });
  // They are fetched when they are shown.
  await page.evaluate(() => (location.hash = "#settings/keyboard"));
  await page.locator("#main").getByText("Page down").first().waitFor();
  await page.evaluate((hash) => (location.hash = hash), address);
  await page.locator("#main").getByText(ready).first().waitFor();
}
