/** The content of the pictures: the demo's team on a Monday morning, and a server nobody has set up yet. */
import { sql } from "kysely";
import { addAlertWords } from "@skein/api/alert-words.ts";
import { createBot } from "@skein/api/bots.ts";
import { addLinkifier } from "@skein/api/linkifiers.ts";
import { addPlayground } from "@skein/api/playgrounds.ts";
import { createProfileField, updateOwnProfile, type ProfileField } from "@skein/api/profile-fields.ts";
import { addRealmDomain } from "@skein/api/realm-domains.ts";
import { createInvitationLink, sendInvitations } from "@skein/api/invitations.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { updateStatus } from "@skein/api/status.ts";
import { fillWithDemo } from "../../server/src/cli/demo/fill.ts";
import { hashPassword } from "../../server/src/domain/people/auth/passwords.ts";
import { startOwnServer } from "../../server/test/own-server.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../server/test/realm.ts";
import { password, TestBrowser } from "../../server/test/test-browser.ts";
import { uploadAs } from "./files.ts";
import { now, type Visitor } from "./pictures-camera.ts";

export interface Organization {
  /** The owner, who has been away since Friday. */
  owner: Visitor;
  /** Someone who has read everything. */
  reader: Visitor;
  stranger: Visitor;
  /** The address of a topic, of direct messages, of a channel, without the #. */
  topic: (channel: string, topic: string) => string;
  direct: (...names: string[]) => string;
  channel: (name: string, tab?: "topics" | "feed") => string;
  person: (name: string) => number;
}

export async function openDemo(): Promise<Organization> {
  // In its own database, because the colors of users without a picture depend on their ids.
  const realm = await newRealm([await startOwnServer({ SKEIN_ROLES: "api,relay,worker" })]);
  const { db } = realm.ctx;
  await fillWithDemo(realm.ctx, realm.id, { now, say: () => {} });
  const password_hash = await hashPassword(password);
  await db.updateTable("users").set({ password_hash }).where("realm_id", "=", realm.id).execute();
  // It would be dated a day after the pictures.
  await sql`
    update scheduled_messages set deliver_at = ${new Date(now.getTime() + 24 * 60 * 60 * 1000)}
    where realm_id = ${realm.id}`.execute(db);
  // So that there is a message to edit.
  await realm.admin.request("PATCH", "/realm", { message_content_edit_limit_seconds: '"unlimited"' });
  // Opening a conversation must not mark it as read before the next picture.
  success(await realm.admin.call(updateSettings, { web_mark_read_on_scroll_policy: 3, twenty_four_hour_time: true }));
  await fillOrganization(realm.admin);
  await fillSettings(realm.admin);
  await invite(realm);
  // Made just now, and at a host whose name is different each time.
  await sql`update user_topics set last_updated = ${now} where realm_id = ${realm.id}`.execute(db);
  await sql`update attachments set created_at = ${now} where realm_id = ${realm.id}`.execute(db);
  await sql`
    update users set delivery_email = split_part(delivery_email, '@', 1) || '@example.com'
    where realm_id = ${realm.id} and bot_owner_id = ${realm.admin.id}`.execute(db);
  // Last, because the calls above are signed with it.
  const ownAddress = { delivery_email: "olive@example.com" };
  await db.updateTable("users").set(ownAddress).where("id", "=", realm.admin.id).execute();
  const people = await db
    .selectFrom("users")
    .select(["id", "full_name", "delivery_email"])
    .where("realm_id", "=", realm.id)
    .execute();
  const channels = await db.selectFrom("channels").select(["id", "name"]).where("realm_id", "=", realm.id).execute();
  const idOf = (name: string): number => {
    const found = [...people.map(({ id, full_name }) => ({ id, name: full_name })), ...channels];
    const one = found.find((each) => each.name === name);
    if (!one) throw new Error(`nobody and nothing is called ${name}`);
    return one.id;
  };
  const site = realm.nodes[0]?.url ?? "";
  const signedIn = async (name: string): Promise<Visitor> => {
    const email = people.find(({ full_name }) => full_name === name)?.delivery_email ?? "";
    const browser = new TestBrowser(realm);
    await browser.signIn({ email });
    return { site, host: realm.host, cookies: browser.cookies };
  };
  return {
    owner: await signedIn("Olive Marchetti"),
    reader: await signedIn("Kofi Mensah"),
    stranger: { site, host: realm.host, cookies: new Map() },
    topic: (channel, topic) => `#narrow/channel/${idOf(channel)}/topic/${encodeHash(topic)}`,
    direct: (...names) => `#narrow/dm/${names.map(idOf).join()}`,
    channel: (name, tab = "topics") => `#${tab === "topics" ? "topics" : "narrow"}/channel/${idOf(name)}`,
    person: idOf,
  };
}

/** What administrators set up. None of it changes how messages look. */
async function fillOrganization(admin: TestUser): Promise<void> {
  const linkifiers = [
    { pattern: "HED-(?P<id>[0-9]+)", url_template: "https://issues.hedgerow.example/HED-{id}" },
    {
      pattern: "(?P<repo>[a-z]+)@(?P<commit>[0-9a-f]{7,40})",
      url_template: "https://git.hedgerow.example/{repo}/{commit}",
    },
  ];
  for (const linkifier of linkifiers) success(await admin.call(addLinkifier, linkifier));
  const rust = {
    name: "Rust playground",
    pygments_language: "rust",
    url_template: "https://play.example.org/?code={code}",
  };
  success(await admin.call(addPlayground, rust));
  const shifts = {
    "0": { text: "Morning", order: "1" },
    "1": { text: "Afternoon", order: "2" },
    "2": { text: "Whenever", order: "3" },
  };
  const fields = [
    { field_type: 1, name: "Phone", hint: "With the country code", required: true },
    { field_type: 3, name: "Shift", field_data: shifts, display_in_profile_summary: true },
    { field_type: 4, name: "With us since", editable_by_user: false },
  ] as const;
  for (const field of fields) success(await admin.call(createProfileField, field));
  success(await admin.call(addRealmDomain, { domain: "hedgerow.example", allow_subdomains: true }));
}

/** What the owner's settings show: fields of every kind, alert words, uploads, bots. */
async function fillSettings(owner: TestUser): Promise<void> {
  const field = async (name: string, field_type: ProfileField["type"], more = {}): Promise<number> =>
    success(await owner.call(createProfileField, { name, field_type, ...more })).id;
  const options = { "0": { text: "Lisbon", order: "1" }, "1": { text: "Turin", order: "2" } };
  const values = [
    { id: await field("What I do", 2, { hint: "So that people know what to ask you." }), value: "Soil, mostly." },
    { id: await field("Office", 3, { field_data: options }), value: "1" },
    { id: await field("Birthday", 4), value: "1987-05-04" },
    { id: await field("Mentor", 6), value: [owner.id] },
    { id: await field("GitHub", 7, { field_data: { subtype: "github" } }), value: "olive" },
  ];
  success(await owner.call(updateOwnProfile, { data: values }));
  success(await owner.call(addAlertWords, { alert_words: ["harvest", "greenhouse", "seed order"] }));
  success(await owner.call(updateSettings, { timezone: "Europe/Rome", web_suggest_update_timezone: false }));
  success(await owner.call(updateStatus, { status_text: "In the greenhouse", emoji_name: "seedling" }));
  for (const [name, bytes] of Object.entries({ "seed-order.csv": 48_200, "planting-plan.pdf": 1_840_000 }))
    await uploadAs(owner, name, Buffer.alloc(bytes, "x"));
  const hook = { bot_type: 3, payload_url: "https://example.com/frost", interface_type: 1 };
  success(await owner.call(createBot, { full_name: "Frost bot", short_name: "frost", ...hook }));
  success(await owner.call(createBot, { full_name: "Orders bot", short_name: "orders", bot_type: 2 }));
}

/** Invitations that nobody has accepted yet. */
async function invite({ admin, ctx: { db }, id }: TestRealm): Promise<void> {
  const minutes = 10 * 24 * 60;
  for (const invitee_emails of ["wren.holloway@example.net", "teodor.lind@example.net"])
    success(await admin.call(sendInvitations, { invitee_emails, stream_ids: [], invite_expires_in_minutes: minutes }));
  success(await admin.call(createInvitationLink, { invite_as: 600, invite_expires_in_minutes: null }));
  for (const table of ["invitations", "invitation_links"] as const)
    await sql`
      update ${sql.table(table)} set invited_at = ${now},
        expires_at = case when expires_at is not null then ${now}::timestamptz + interval '10 days' end
      where realm_id = ${id}`.execute(db);
}

const encodeHash = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/[.!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", ".");

export interface EmptyServer {
  /** The page that creates its first organization. */
  setupUrl: string;
  stranger: Visitor;
  /** Creates it; afterwards there is no such page. */
  setUp: () => Promise<Visitor>;
}

export async function openEmptyServer(): Promise<EmptyServer> {
  const node = await startOwnServer();
  const host = "chat.example.com";
  const setupUrl = node.setupUrl ?? "";
  return {
    setupUrl,
    stranger: { site: node.url, host, cookies: new Map() },
    setUp: async () => {
      const browser = new TestBrowser({ host, nodes: [node] });
      await browser.send("/setup/", {
        token: new URL(setupUrl).searchParams.get("token") ?? "",
        organization: "Hedgerow",
        full_name: "Olive Marchetti",
        email: "olive@example.com",
        password,
      });
      // The welcome messages are dated when the pictures are taken.
      await node.ctx.db.updateTable("messages").set({ date_sent: now }).execute();
      return { site: node.url, host, cookies: browser.cookies };
    },
  };
}
