/** The content of the pictures: the demo's team on a Monday morning, and a server nobody has set up yet. */
import { sql } from "kysely";
import { updateSettings } from "@skein/api/settings.ts";
import { fillWithDemo } from "../../server/src/cli/demo/fill.ts";
import { hashPassword } from "../../server/src/domain/people/auth/passwords.ts";
import { startOwnServer } from "../../server/test/own-server.ts";
import { newRealm, success } from "../../server/test/realm.ts";
import { password, TestBrowser } from "../../server/test/test-browser.ts";
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
