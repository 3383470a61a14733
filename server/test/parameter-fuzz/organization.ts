/** The fuzzer's target: an organization with one object of every kind, and the ids of another organization's objects. */
import { randomBytes } from "node:crypto";
import { createClient, type Client } from "@skein/api/client.ts";
import type { Method } from "@skein/api/endpoint.ts";
import { createApiKey } from "../../src/domain/people/auth/api-keys.ts";
import { createRealm } from "../../src/domain/organization/realm/create.ts";
import type { Db } from "../../src/platform/db/connect.ts";
import { transaction } from "../../src/platform/db/transaction.ts";
import type { Known } from "./hostile.ts";

export interface Account {
  id: number;
  name: string;
  email: string;
  apiKey: string;
}

export const actorNames = ["owner", "administrator", "member", "guest", "nobody"] as const;
export type ActorName = (typeof actorNames)[number];

export interface Organization {
  host: string;
  /** The Authorization header of each account; none if unauthenticated. */
  authorizations: Record<ActorName, string | undefined>;
  known: Known;
}

const roles = { owner: 100, administrator: 200, member: 400, guest: 600, victim: 400, closed: 400 } as const;
type Name = keyof typeof roles;

interface Made {
  host: string;
  accounts: Record<Name, Account>;
  ids: Ids;
}

/** Ids by the names of the contract's parameters. */
type Ids = Record<string, number | string>;

export async function makeOrganization(db: Db, url: string): Promise<Organization> {
  const [own, foreign] = [await make(db, url), await make(db, url)];
  const { accounts, host } = own;
  const names = new Set([...Object.keys(own.ids), ...Object.keys(foreign.ids)]);
  const known: Record<string, string[]> = {};
  for (const name of names)
    // Usually existing ids, sometimes those of another organization.
    known[name] = [own.ids[name], own.ids[name], own.ids[name], foreign.ids[name]].map((id) => JSON.stringify(id));
  const people = Object.values(accounts).map(({ id }) => String(id));
  const foreigner = String(foreign.accounts.member.id);
  for (const name of ["user_id", "muted_user_id", "principal", "member", "sender_id", "bot_owner_id"])
    known[name] = [...people, foreigner];
  known["to"] = [...(known["stream_id"] ?? []), `[${accounts.member.id}]`, `[${foreigner}]`, '"general"'];
  known["operand"] = [
    ...(known["to"] ?? []),
    ...(known["message_id"] ?? []),
    '"words"',
    '"plans"',
    '"starred"',
    '"image"',
  ];
  return {
    host,
    known: { ...known, ...vocabulary },
    authorizations: {
      owner: authorizationOf(accounts.owner),
      administrator: authorizationOf(accounts.administrator),
      member: authorizationOf(accounts.member),
      guest: authorizationOf(accounts.guest),
      nobody: undefined,
    },
  };
}

const authorizationOf = ({ email, apiKey }: Account): string =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;

const inJson = (...texts: string[]): string[] => texts.map((text) => JSON.stringify(text));

/** Valid values for enumerated parameters. */
const vocabulary: Known = {
  operator: inJson(
    ..."channel channels topic dm dm-including sender is has search id near with group-dm-with streams date".split(" "),
  ),
  topic: inJson("plans", "other", ""),
  topic_name: inJson("plans"),
  content: inJson("words", "@**all** x", "/poll a\nb", "[a](/user_uploads/1/x)"),
  stream: inJson("general"),
  name: inJson("general", "new", "x"),
  flag: inJson("read", "starred", "collapsed"),
  anchor: inJson("newest", "oldest", "first_unread", "1"),
  num_before: ["0", "10"],
  num_after: ["0", "10"],
  emoji_name: inJson("smile", "+1", "crown_jewel"),
  emoji_code: inJson("1f642", "1f44d"),
  reaction_type: inJson("unicode_emoji", "realm_emoji", "zulip_extra_emoji"),
  property: inJson("color", "is_muted", "pin_to_top", "push_notifications"),
  value: inJson("#ffffff", "true"),
  status: inJson("active", "idle"),
  pattern: inJson("#(?P<id>[0-9]+)"),
  url_template: inJson("https://x.example.com/{id}"),
  full_name: inJson("Ann", "Bob"),
  scheduled_delivery_timestamp: ["4102444800"],
  command: inJson("/ping", "/dark"),
  domain: inJson("example.com"),
  subscription: inJson("general", "new channel"),
  timezone: inJson("Europe/Berlin", "UTC"),
  default_language: inJson("en", "de"),
  event_type: inJson("message", "realm", "presence"),
  fetch_event_type: inJson("message", "realm", "presence"),
};

/** Throws with the request if it fails. */
async function done(client: Client, method: Method, path: string, form: Record<string, unknown> = {}) {
  const texts = Object.entries(form).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const answer = (await client.request(method, path, Object.fromEntries(texts))) as Record<string, unknown>; // an object always
  if (answer["result"] !== "success") throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

async function make(db: Db, url: string): Promise<Made> {
  const name = `f${randomBytes(6).toString("hex")}`;
  const host = `${name}.example.com`;
  const accounts = await makeAccounts(db, name, host);
  const { email, apiKey } = accounts.owner;
  const hosted: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("x-forwarded-host", host);
    return fetch(input, { ...init, headers });
  };
  const owner = createClient({ site: url, email, apiKey, fetch: hosted });
  return { host, accounts, ids: await makeThings(owner, accounts) };
}

async function makeAccounts(db: Db, name: string, host: string): Promise<Record<Name, Account>> {
  return transaction(db, "make the fuzzer's organization", async (tx) => {
    const realm = await createRealm(tx, { string_id: name, name, host });
    const made: Partial<Record<Name, Account>> = {};
    for (const [who, role] of Object.entries(roles) as [Name, number][]) {
      const email = `${who}@${host}`;
      const { id } = await tx
        .insertInto("users")
        .values({
          realm_id: realm.id,
          delivery_email: email,
          full_name: who,
          role,
          is_active: who !== "closed",
          can_create_users: role < 300,
          can_change_user_emails: role < 300,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      made[who] = { id, name: who, email, apiKey: await createApiKey(tx, { id, realm_id: realm.id }, "fuzz") };
    }
    return made as Record<Name, Account>; // all of them were made just now
  });
}

/** Created by the owner, so that some objects belong to another user for everybody else. */
async function makeThings(owner: Client, accounts: Record<Name, Account>): Promise<Ids> {
  const everybody = [accounts.owner, accounts.administrator, accounts.member, accounts.guest, accounts.victim];
  const id = async (method: Method, path: string, form: Record<string, unknown>, field = "id") =>
    (await done(owner, method, path, form))[field] as number;
  await done(owner, "POST", "/users/me/subscriptions", {
    subscriptions: [{ name: "general" }],
    principals: everybody.map((account) => account.id),
  });
  await done(owner, "POST", "/users/me/subscriptions", { subscriptions: [{ name: "secret" }], invite_only: true });
  const channel = await id("GET", "/get_stream_id", { stream: "general" }, "stream_id");
  const message = { type: "stream", to: channel, topic: "plans", content: "words" };
  const messageId = await id("POST", "/messages", message);
  const drafts = { drafts: [{ type: "stream", to: [channel], topic: "plans", content: "d" }] };
  const [draft] = (await done(owner, "POST", "/drafts", drafts))["ids"] as [number];
  await done(owner, "POST", "/invites", { invitee_emails: "new@example.org", stream_ids: [], invite_as: 400 });
  const { invites } = (await done(owner, "GET", "/invites")) as { invites: { id: number }[] };
  const group = { name: "team", description: "", members: [accounts.member.id] };
  const userGroup = await id("POST", "/user_groups/create", group, "group_id");
  return {
    stream_id: channel,
    message_id: messageId,
    msg_id: messageId,
    message: messageId,
    user_group_id: userGroup,
    group_id: userGroup,
    subgroup: userGroup,
    draft_id: draft,
    invite_id: invites[0]?.id ?? 1,
    scheduled_message_id: await id(
      "POST",
      "/scheduled_messages",
      { ...message, scheduled_delivery_timestamp: 4_102_444_800 },
      "scheduled_message_id",
    ),
    reminder_id: await id(
      "POST",
      "/reminders",
      { message_id: messageId, scheduled_delivery_timestamp: 4_102_444_800 },
      "reminder_id",
    ),
    saved_snippet_id: await id("POST", "/saved_snippets", { title: "t", content: "c" }, "saved_snippet_id"),
    bot_id: await id("POST", "/bots", { full_name: "Helper", short_name: "helper", bot_type: 1 }, "user_id"),
    filter_id: await id("POST", "/realm/filters", {
      pattern: "X(?P<id>[0-9]+)",
      url_template: "https://x.example/{id}",
    }),
    playground_id: await id("POST", "/realm/playgrounds", {
      name: "p",
      pygments_language: "Python",
      url_template: "https://x.example/{code}",
    }),
    field_id: await id("POST", "/realm/profile_fields", { name: "Phone", field_type: 1 }),
    queue_id: (await done(owner, "POST", "/register"))["queue_id"] as string,
    email: accounts.victim.email,
    username: accounts.victim.email,
    user_id_or_email: accounts.victim.id,
  };
}
