/** Every column of the database that refers to users has a rule, and no rule leaves anything behind. */
import { randomBytes, randomInt } from "node:crypto";
import { updateMessage } from "@skein/api/edits.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { channelOf, sendDirect, sendToChannel } from "../../../../test/actions.ts";
import { uploadAs } from "../../../../test/files.ts";
import { nodes } from "../../../../test/nodes.ts";
import { startOwnServer } from "../../../../test/own-server.ts";
import { newRealm, success, TestUser, type TestRealm } from "../../../../test/realm.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { createApiKey } from "../../people/auth/api-keys.ts";
import { mergeUsers } from "./merge.ts";
import { rules } from "./rules.ts";

/** Columns that could hold the id of a user, by their type, and do not. */
const unrelated: Record<string, string> = {
  alert_word_versions: "version",
  alert_words: "id word",
  api_keys: "client_name id kind last_used_ip name scopes",
  audit_destinations: "claim delivered_id error id sealed_secret sealed_url url",
  audit_heads: "last_id",
  audit_log: "action actor_kind credential_id credential_kind id ip request_id target_kind",
  attachments: "content_type file_name id path_id size",
  bot_storage: "key value",
  bots: "config sealed_api_key",
  browser_sessions: "id ip user_agent",
  cell: "sealed_check",
  // Rendered without anybody's names.
  channel_folders: "description id name position rendered_description",
  channels: "description first_message_id name rendered_description topics_policy",
  clients: "name",
  confirmations: "id purpose",
  conversations: "id newest_deleted_id",
  custom_emoji: "file_name id name still_file_name",
  custom_profile_fields: "field_data hint id name",
  custom_profile_values: "rendered_value",
  default_channel_groups: "description id name",
  deleted_messages: "id",
  drafts: "id topic type",
  event_log: "confirmed_lsn confirmed_lsn_sequence confirmed_sequence epoch generation system_identifier timeline",
  // A narrow may name a person, but the queue is over.
  event_queues: "epoch first_event_id options snapshot",
  external_identities: "id issuer subject",
  fetched_images: "file_key",
  finished_onboarding_steps: "step",
  identity_providers:
    "allowed_domains client_id group_map groups_claim id issuer key kind name scopes sealed_client_secret settings",
  // Ids of people in staged rows are those of the source.
  import_emoji: "data n realm_id",
  import_files: "data entry n realm_id sender_id",
  import_followers: "person_id realm_id thread_id",
  import_ids: "end_id next_id",
  import_map: "kind realm_id source source_id",
  import_messages: "at data n place_id realm_id sender_id source_id thread_at thread_id thread_name topic",
  import_order: "id message_n realm_id thread_n topic_n",
  import_people: "data n realm_id source_id",
  import_places: "conversation_id data n realm_id source_id",
  import_read_states: "person_id place_id read_until realm_id thread_id",
  import_threads: "at channel_id n name realm_id root_n source_id topic_id",
  import_topics: "channel_id n name realm_id topic_id",
  // No merge begins while an import is unfinished.
  import_unread: "conversation_id message_id realm_id user_id",
  imports: "checkpoint end_id fingerprint first_id id phase report source",
  invitation_links: "channel_ids group_ids id sealed_token site_url welcome_message_custom_text",
  invitations: "channel_ids email group_ids id site_url state welcome_message_custom_text",
  job_workers: "id",
  ldap_syncs: "claim problem",
  link_previews: "data",
  login_failures: "source username",
  maintenance: "message",
  message_edits: "channel_id id prev_channel_id prev_topic topic",
  message_search: "realm_id",
  messages: "conversation_id entered_at id origin_id realm_id topic_id topic_since topic_spelling",
  missed_messages: "message_id",
  navigation_views: "fragment id name",
  notification_progress: "settled",
  outgoing_webhooks: "base_url name sealed_base_url sealed_token",
  passkeys: "counter id name transports",
  pending_files: "file_key",
  presences: "update_id",
  provider_sessions: "id sid subject",
  push_devices: "app_id auth id kind p256dh sealed_token token",
  pushes: "message_id",
  reactions: "emoji_code emoji_name id reaction_type",
  realm_deletions: "deleting_from id name rows_deleted string_id",
  realm_domains: "domain id",
  realm_exports: "id secret size",
  realm_import_channels: "action merged_into name source_id source_name",
  realm_import_parts: "file_key",
  realm_import_people: "account email name source_id",
  realm_imports: "file_name fingerprint id inspection progress reason report size state unthreaded",
  realm_move_changes: "key realm_id table_name",
  realm_moves: "realm_id",
  realm_linkifiers: "id pattern url_template",
  realm_playgrounds: "id name pygments_language url_template",
  realms:
    "default_avatar_source default_code_block_language default_language description host icon_key icon_source id jitsi_server_url logo_key " +
    "logo_source message_edit_history_visibility_policy moderation_request_channel_id name " +
    "new_stream_announcements_stream_id night_logo_key night_logo_source only_identity_provider_id search_language second_factor_required_for " +
    "signup_announcements_stream_id string_id user_settings_defaults version welcome_message_custom_text zulip_update_announcements_stream_id",
  resumable_upload_parts: "file_key",
  resumable_uploads: "content_type file_name final_path_id id parts path_id received size",
  reminders: "id note",
  saml_requests: "person request_id",
  saved_snippets: "id title",
  scheduled_messages: "client_name id topic",
  schema_backfills: "changed_rows checkpoint first_key key_column name problem statement table_name target",
  schema_migrations: "checksum name oldest_release phase",
  scim_attributes: "path",
  scim_groups: "external_id",
  scim_tokens: "id name",
  // Ids in it are the directory's.
  scim_users: "attributes external_id user_name",
  search_progress: "message_id",
  server_generations: "generation release",
  submessages: "id msg_type",
  subscription_notices: "id",
  subscriptions: "color",
  topic_edits: "id prev_topic topic up_to_id",
  topics: "id name",
  totp_secrets: "last_step sealed_secret",
  upload_space: "bytes",
  user_groups: "description id managed_by name",
  user_merges: "first_edit_id first_id searched_edit_id searched_id",
  user_statuses: "emoji_code emoji_name reaction_type status_text",
  user_topics: "topic_spelling",
  user_upload_space: "bytes",
  users: "avatar_key avatar_source chosen_settings delivery_email full_name password_hash settings timezone version",
  web_releases: "files id",
  webhook_deliveries: "message_id",
};

interface Column {
  table: string;
  column: string;
  isReference: boolean;
}

/** References to users, and columns without a reference whose type can hold an id. Their name as `table.column`. */
async function columnsOf(db: Db): Promise<Map<string, Column>> {
  const { rows } = await sql<Column>`
    select c.relname as table, a.attname as column, k.confrelid is not null as "isReference"
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and a.attnum = any(k.conkey)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and (k.confrelid = 'users'::regclass or (k.confrelid is null and a.atttypid = any(
        '{bigint,bigint[],numeric,json,jsonb,text,text[],varchar,xml}'::regtype[]::oid[])))
    order by 1, 2`.execute(db);
  return new Map(rows.map((row) => [`${row.table}.${row.column}`, row]));
}

test("every column that refers to users has a rule", async () => {
  const [{ ctx }] = await nodes();

  const columns = await columnsOf(ctx.db);

  const listed = Object.entries(unrelated).flatMap(([table, names]) =>
    names.split(" ").map((name) => `${table}.${name}`),
  );
  expect([...Object.keys(rules), ...listed].toSorted()).toEqual([...columns.keys()].toSorted());
  const references = [...columns].flatMap(([name, { isReference }]) => (isReference ? name : []));
  expect(references.filter((name) => rules[name] === undefined)).toEqual([]);
});

/** The columns in which the id occurs. */
async function columnsWith(db: Db, id: number): Promise<string[]> {
  const found: string[] = [];
  for (const [name, { table, column }] of await columnsOf(db)) {
    const { rows } = await sql`
      select from ${sql.table(table)} where ${sql.ref(column)}::text ~ ${`(^|[^0-9])${id}([^0-9]|$)`} limit 1`.execute(
      db,
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** An account whose id occurs nowhere by chance. */
async function rareUser(realm: TestRealm, name: string): Promise<TestUser> {
  const id = 7_000_000_000_000 + randomInt(1_000_000_000_000);
  const email = `${name}-${randomBytes(3).toString("hex")}@${realm.host}`;
  const apiKey = await transaction(realm.ctx.db, "make a test user", async (tx) => {
    await tx
      .insertInto("users")
      .values({ id, realm_id: realm.id, delivery_email: email, full_name: name, bot_owner_id: null })
      .execute();
    return createApiKey(tx, { id, realm_id: realm.id }, "test");
  });
  return new TestUser(realm, id, email, name, apiKey);
}

/** Gives the account something in every column that has a rule. */
async function fillEveryColumn(realm: TestRealm, from: TestUser, peer: TestUser): Promise<void> {
  const { db } = realm.ctx;
  const [r, f, p] = [realm.id, from.id, peer.id];
  const mention = `@**${from.fullName}|${f}**`;
  const channel = await channelOf([from, peer], "court");
  const id = await sendToChannel(from, channel, { content: `${mention} [note](${await uploadAs(from)})` });
  success(await from.call(updateMessage, { message_id: id, content: `again, ${mention}` }));
  const gone = await sendToChannel(peer, channel, { content: `gone, ${mention}` });
  await sendDirect(peer, [from]);
  await from.register();
  const insert = (table: string, row: object) =>
    sql`insert into ${sql.table(table)} select * from jsonb_populate_record(null::${sql.table(table)},
      ${JSON.stringify({ realm_id: r, ...row })}::jsonb) on conflict do nothing`.execute(db);
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const now = new Date().toISOString();
  const key = () => `\\x${randomBytes(16).toString("hex")}`;
  const unique = () => randomInt(2 ** 40);
  const name = randomBytes(6).toString("hex");
  await insert("alert_words", { id: unique(), user_id: f, word: "poison" });
  await insert("bot_storage", { user_id: f, key: "k", value: "v" });
  const session = {
    user_id: f,
    token_hash: key(),
    created_at: now,
    last_used_at: now,
    expires_at: soon,
    confirmed_at: now,
  };
  await insert("browser_sessions", { id: unique(), ...session });
  await insert("scim_users", { user_id: f, user_name: name, attributes: {}, modified_at: now });
  const provider_id = unique();
  const provider = { key: name, kind: "oidc", name, issuer: "https://id.example.com", client_id: "skein" };
  const settings = { sealed_client_secret: "", scopes: [], allowed_domains: [], groups_claim: "", group_map: {} };
  const switches = { creates_accounts: true, is_enabled: true, created_at: now, settings: {} };
  await insert("identity_providers", { id: provider_id, ...provider, ...settings, ...switches });
  const identity = { provider_id, issuer: provider.issuer, subject: name, created_at: now, last_used_at: now };
  await insert("external_identities", { id: unique(), user_id: f, ...identity });
  await insert("confirmations", {
    id: unique(),
    purpose: "login token",
    token_hash: key(),
    data: { user_id: f },
    created_at: now,
  });
  await insert("custom_emoji", {
    id: unique(),
    name,
    author_id: f,
    file_name: name,
    deactivated: false,
    date_created: now,
  });
  const field = { id: unique(), name: "friends", hint: "", field_type: 6, field_data: "", position: 1 };
  const shown = { display_in_profile_summary: false, required: false, editable_by_user: true };
  await insert("custom_profile_fields", { ...field, ...shown, use_for_user_matching: false });
  await insert("custom_profile_values", { user_id: f, field_id: field.id, value: `[${p}]` });
  await insert("custom_profile_values", { user_id: p, field_id: field.id, value: `[${f}]` });
  await sql`with gone as (delete from messages where id = ${gone} returning *)
    insert into deleted_messages (id, realm_id, message) select id, realm_id, to_jsonb(gone) || jsonb_build_object(
      'flags', jsonb_build_array(jsonb_build_object('user_id', ${f}::bigint)), 'reactions', '[]'::jsonb, 'edits', '[]'::jsonb,
      'submessages', '[]'::jsonb, 'attachments', '[]'::jsonb) from gone`.execute(db);
  const draft = { user_id: f, type: "private", recipients: [f, p], topic: "", content: mention, edited_at: now };
  await insert("drafts", { id: unique(), ...draft });
  await insert("finished_onboarding_steps", { user_id: f, step: "intro" });
  const offer = { role: 400, channel_ids: [], group_ids: [], default_channels: true, site_url: "x", invited_at: now };
  const link = { token_hash: key(), sealed_token: "x", revoked: false };
  await insert("invitation_links", { id: unique(), invited_by_id: f, ...offer, ...link });
  const invitation = { email: "x@example.com", notify_referrer: false, state: "pending" };
  await insert("invitations", { id: unique(), invited_by_id: f, ...offer, ...invitation });
  await insert("missed_message_batches", { user_id: f, id: crypto.randomUUID(), due_at: soon });
  await insert("missed_messages", { user_id: f, message_id: id });
  await insert("muted_users", { user_id: f, muted_user_id: p, muted_at: now, silenced: "{[0,)}" });
  await insert("muted_users", { user_id: p, muted_user_id: f, muted_at: now, silenced: "{[0,)}" });
  await insert("navigation_views", { id: unique(), user_id: f, fragment: "inbox", is_pinned: true });
  await insert("notification_revisits", { user_id: f, message_id: id });
  await insert("presences", { user_id: f, last_connected_at: now, update_id: 1 });
  const device = {
    id: unique(),
    user_id: f,
    kind: "fcm",
    token: "t",
    token_hash: key(),
    registered_by: key(),
    created_at: now,
  };
  await insert("push_devices", device);
  const push = { device_id: device.id, message_id: id, user_id: f, created_at: now, due_at: soon, is_handed: true };
  await insert("pushes", { ...push, is_tried: false, is_sent: false, is_over: false });
  const reaction = { reaction_type: "unicode_emoji", emoji_code: "1f419", emoji_name: "octopus" };
  const passkey = { credential_id: key(), public_key: key(), counter: 0, is_backed_up: false, name: "Laptop" };
  await insert("passkeys", { id: unique(), user_id: f, transports: [], created_at: now, ...passkey });
  await insert("recovery_codes", { user_id: f, code_hash: key() });
  await insert("totp_secrets", { user_id: f, sealed_secret: "", created_at: now, last_step: 0 });
  await insert("reactions", { id: unique(), user_id: f, message_id: id, ...reaction });
  await insert("realm_exports", {
    id: unique(),
    acting_user_id: f,
    export_type: 1,
    requested_at: now,
    failed_at: now,
    secret: name,
  });
  const importing = { file_name: "a", size: 1, state: "finished", unthreaded: "month", plan_revision: 0 };
  await insert("realm_imports", { id: unique(), acting_user_id: f, ...importing, created_at: now, changed_at: now });
  await insert("import_map", { source: "slack", kind: "person", source_id: "U1", id: f });
  const upload = { file_name: "a", content_type: "text/plain", size: 1, received: 0, parts: [], expires_at: soon };
  await insert("resumable_uploads", { id: name, owner_id: f, ...upload });
  const folder = { name: `folder ${name}`, description: "", rendered_description: "", is_archived: false, position: 1 };
  await insert("channel_folders", { ...folder, id: unique(), creator_id: f, date_created: now });
  await insert("saved_snippets", { id: unique(), user_id: f, title: "t", content: mention, date_created: now });
  const html = `<p><span class="user-mention" data-user-id="${f}">@${from.fullName}</span></p>`;
  const scheduled = { client_name: "test", read_by_sender: true, deliver_at: soon, failed: false };
  const later = { content: mention, rendered_content: html, ...scheduled };
  await insert("reminders", {
    id: unique(),
    user_id: f,
    message_id: id,
    note: "",
    content: mention,
    rendered_content: html,
    deliver_at: soon,
    failed: false,
  });
  await insert("scheduled_messages", { id: unique(), sender_id: f, user_ids: [p], ...later });
  await insert("scheduled_messages", { id: unique(), sender_id: p, user_ids: [f], ...later });
  await insert("submessages", {
    id: unique(),
    message_id: id,
    sender_id: f,
    msg_type: "widget",
    content: `{"type":"vote","key":"${f},1","vote":1}`,
  });
  await insert("subscription_notices", {
    id: unique(),
    actor_id: f,
    people: [{ user_id: f, channel_ids: [channel.id] }],
  });
  const { topic_id } = await db
    .selectFrom("messages")
    .select("topic_id")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const edit = { edited_at: now, prev_topic: "a", topic: "b", up_to_id: id, is_resolution: false };
  await insert("topic_edits", { id: unique(), topic_id, user_id: f, ...edit });
  await sql`insert into user_topics (user_id, topic_id, realm_id, visibility_policy) values (${f}, ${topic_id}, ${r}, 1)
    on conflict do nothing`.execute(db);
  await insert("user_groups", { id: unique(), description: "", is_system: false, creator_id: f, deactivated: false });
  await sql`insert into user_group_members (group_id, user_id, realm_id)
    select max(id), ${f}, ${r} from user_groups where creator_id = ${f}`.execute(db);
  await insert("user_statuses", { user_id: f, status_text: "here", emoji_name: "", emoji_code: "", reaction_type: "" });
  await sql`insert into users (realm_id, delivery_email, full_name, is_bot, bot_type, bot_owner_id)
    values (${r}, ${`bot-${name}@${realm.host}`}, 'bot', true, 1, ${f})`.execute(db);
}

test("after a merge the account's id occurs nowhere but in its own row and the merge's", async () => {
  // Without workers, which would take some of the rows.
  const realm = await newRealm([await startOwnServer()]);
  const [from, into, peer] = [
    await rareUser(realm, "Gertrud"),
    await realm.user("Gertrude"),
    await realm.user("Claudius"),
  ];
  await fillEveryColumn(realm, from, peer);
  const { db } = realm.ctx;
  const before = await columnsWith(db, from.id);
  const bots = ["bots.user_id", "incoming_deliveries.bot_id"];
  const expected = Object.keys(rules).filter(
    (name) => !/^(user_merges|audit_log)\./.test(name) && !bots.includes(name),
  );
  expect(before).toEqual(expect.arrayContaining(expected));

  const row = await db.selectFrom("realms").selectAll().where("id", "=", realm.id).executeTakeFirstOrThrow();
  await mergeUsers(db, row, from.id, into.id);

  const left = (await columnsWith(db, from.id)).filter((name) => !name.startsWith("audit_log."));
  expect(left).toEqual(["user_merges.from_id", "users.id"]);
});
