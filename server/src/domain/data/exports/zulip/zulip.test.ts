import { createWriteStream } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { exportTypes } from "@skein/api/exports.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { beforeAll, expect, test } from "vitest";
import { channelOf, sendDirect, sendToChannel } from "../../../../../test/actions.ts";
import { exportEverything } from "../../../../../test/exported-content.ts";
import { unpackArchive } from "../../../../../test/exported.ts";
import { fullOrganization } from "../../../../../test/full-organization.ts";
import { newRealm, success, type TestRealm } from "../../../../../test/realm.ts";
import { readFile } from "node:fs/promises";
import { openTar } from "../../imports/archive/tar.ts";
import { openSource } from "../../imports/open.ts";
import { notificationBotId, type Source, type SourceMessage, type SourceText } from "../../imports/source.ts";
import { packed } from "../packed.ts";
import { everything } from "../scope.ts";
import { zulipArchive } from "./archive.ts";

/** The path of the archive. */
async function exportForZulip({ ctx, id }: TestRealm, export_type: number): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "for-zulip-")), "export.tar.gz");
  await pipeline(packed(zulipArchive(ctx, { id: null, realm_id: id, export_type })), createWriteStream(path));
  return path;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** What an export contains, in the form in which both formats can be compared. */
async function comparable(source: Source) {
  const { extras } = source;
  if (!extras) throw new Error("it has extras");
  const people = await collect(source.people());
  const shared = new Set(people.filter(({ email }) => email?.endsWith("@skein.invalid")).map(({ id }) => id));
  const known = (id: string): string => (shared.has(id) ? notificationBotId : id);
  const conversations = new Map(
    (await collect(source.directs())).map(({ id, members }) => [
      id,
      [...new Set(members.map(known))].toSorted().join(),
    ]),
  );
  const contentOf = async (content: SourceText) => {
    const pieces = content.map(async (piece) => {
      if (typeof piece === "string") return piece;
      if (piece.kind !== "file") return { ...piece, original: "" };
      const body = await source.readFile(piece.file);
      return { text: piece.text, bytes: body && (await text(body)) };
    });
    return Promise.all(pieces);
  };
  const messages = (await collect(source.messages())) as SourceMessage[]; // without stubs
  const seconds = (at: number): number => Math.floor(at / 1_000_000);
  const sorted = (ids: readonly string[] = []) => ids.map(known).toSorted();
  const membersOf = new Map((await collect(source.channels())).map(({ id, members }) => [id, members]));
  return {
    people: people
      .filter(({ id }) => !shared.has(id))
      .map(({ email, avatar, joinedAt: _, isIncomingWebhook: __, webhook: ___, ...person }) => ({
        ...person,
        email: person.kind === "bot" ? undefined : email,
        hasAvatar: avatar !== undefined,
      })),
    channels: (await collect(source.channels())).map(
      // Settings are not in the archive.
      ({ permissions: _, isWebPublic: __, retentionDays: ___, topicsPolicy: ____, folder: _____, ...channel }) => ({
        ...channel,
        createdAt: Math.floor(channel.createdAt ?? 0),
        members: sorted(channel.members),
      }),
    ),
    directs: [...new Set(conversations.values())].toSorted(),
    emoji: (await collect(source.emoji())).filter((emoji) => !emoji.isDeactivated).map(({ name }) => name),
    messages: (
      await Promise.all(
        messages.map(async (message) => ({
          id: message.id,
          at: message.at,
          channel: message.channelId,
          direct: conversations.get(message.directId ?? ""),
          topic: message.topic,
          sender: known(message.senderId),
          text: await contentOf(message.text),
          editedAt: seconds(message.editedAt ?? 0),
          edits: await Promise.all(
            (message.edits ?? []).map(async ({ at, previousText, ...edit }) => ({
              ...edit,
              at: seconds(at),
              before: previousText && (await contentOf(previousText)),
            })),
          ),
          reactions: (message.reactions ?? [])
            .flatMap(({ emojiName, people: givers }) => givers.map((giver) => `${emojiName} ${giver}`))
            .toSorted(),
          starredBy: sorted(message.starredBy),
          mentioned: sorted(message.mentioned),
          unreadBy: sorted(message.unreadBy).filter((id) => id !== known(message.senderId)),
          receivedBy: message.directId ? [] : sorted(message.receivedBy ?? membersOf.get(message.channelId ?? "")),
          submessages: message.submessages ?? [],
        })),
      )
    ).toSorted((one, other) => Number(one.id) - Number(other.id)),
    linkifiers: await collect(extras.linkifiers()),
    profileFields: (await collect(extras.profileFields())).map(({ name, type, hint, data }) => [
      name,
      type,
      hint,
      data,
    ]),
    scheduledMessages: (await collect(extras.scheduledMessages()))
      .filter((message) => !message.hasFailed)
      .map(({ id: _, hasFailed: __, directId = "", ...message }) => ({
        ...message,
        direct: conversations.get(directId),
      })),
    topicVisibility: await collect(extras.topicVisibility()),
    personal: (await collect(extras.personal())).map(({ settings, snippets, ...personal }) => ({
      ...personal,
      snippets: snippets.map(({ createdAt: _, ...snippet }) => snippet),
      twentyFour: settings["twenty_four_hour_time"],
    })),
  };
}

type Content = Awaited<ReturnType<typeof comparable>>;
let [ours, theirs]: Content[] = [];
let path = "";

beforeAll(async () => {
  const { realm } = await fullOrganization();
  path = await exportForZulip(realm, everything);
  const read = async (from: string): Promise<Content> => {
    const skipped: string[] = [];
    const source = await openSource(from, { noteSkipped: (reason) => skipped.push(reason) });
    const content = await comparable(source);
    await source.close();
    expect(skipped).toEqual([]);
    return content;
  };
  ours = await read(await exportEverything(realm));
  theirs = await read(path);
});

test.for([
  "people",
  "channels",
  "directs",
  "emoji",
  "messages",
  "linkifiers",
  "profileFields",
  "scheduledMessages",
  "topicVisibility",
  "personal",
] as const)("%s are the same in both formats", (kind) => {
  expect(ours?.[kind].length).toBeGreaterThan(0);
  expect(theirs?.[kind]).toEqual(ours?.[kind]);
});

/** What Zulip's importer reads from each row without asking whether it is there. */
const columns: Record<string, string[]> = {
  zerver_realm: [
    "id",
    "name",
    "string_id",
    "date_created",
    "deactivated",
    "moderation_request_channel",
    "new_stream_announcements_stream",
    "signup_announcements_stream",
    "zulip_update_announcements_stream",
  ],
  zerver_client: ["id", "name"],
  zerver_userprofile: [
    "id",
    "realm",
    "email",
    "delivery_email",
    "role",
    "is_bot",
    "bot_owner",
    "date_joined",
    "last_login",
    "last_reminder",
    "default_sending_stream",
    "default_events_register_stream",
    "last_active_message_id",
    "user_permissions",
    "groups",
  ],
  zerver_userprofile_mirrordummy: [],
  zerver_userprofile_crossrealm: ["id", "email", "recipient_id"],
  zerver_stream: ["id", "realm", "name", "description", "date_created", "creator", "folder", "stream_post_policy"],
  zerver_defaultstream: ["id", "realm", "stream"],
  zerver_huddle: ["id", "group_size"],
  zerver_recipient: ["id", "type", "type_id"],
  zerver_subscription: ["id", "recipient", "user_profile", "active", "color"],
  zerver_reaction: ["id", "message", "user_profile", "emoji_name", "emoji_code", "reaction_type"],
  zerver_realmemoji: ["id", "realm", "author", "name", "file_name"],
  zerver_realmfilter: ["id", "realm", "pattern", "url_template"],
  zerver_realmplayground: [],
  zerver_realmdomain: [],
  zerver_realmauthenticationmethod: ["id", "realm", "name"],
  zerver_customprofilefield: ["id", "realm", "name", "field_type", "order"],
  zerver_customprofilefieldvalue: ["id", "user_profile", "field", "value"],
  zerver_userpresence: [],
  zerver_useractivity: [],
  zerver_useractivityinterval: [],
  zerver_usertopic: ["id", "user_profile", "stream", "recipient", "topic_name", "last_updated", "visibility_policy"],
  zerver_alertword: ["id", "realm", "user_profile", "word"],
  zerver_muteduser: ["id", "user_profile", "muted_user", "date_muted"],
  zerver_savedsnippet: ["id", "realm", "user_profile", "title", "content", "date_created"],
  zerver_userstatus: ["id", "user_profile", "client", "timestamp", "status_text"],
  zerver_scheduledmessage: [
    "id",
    "realm",
    "sender",
    "recipient",
    "stream",
    "sending_client",
    "delivered_message",
    "scheduled_timestamp",
    "request_timestamp",
    "has_attachment",
    "content",
    "rendered_content",
  ],
};
type Tables = Record<string, Record<string, unknown>[]>;

test("it has the form that Zulip imports from other products", async () => {
  const archive = await openTar(path, () => undefined);
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(String(await archive.read(`zulip-export/${name}`, 1e8)));
  const realm = (await read("realm.json")) as Tables;
  const messages = (await read("messages-000001.json")) as Tables;

  expect(await read("migration_status.json")).toEqual({ migrations_by_app: {}, zulip_version: "12.0" });
  // With groups it would be taken for a server of Zulip's.
  expect(realm).toMatchObject({ import_source: "skein", sort_by_date: true });
  expect(Object.keys(realm).filter((name) => name.includes("usergroup"))).toEqual([]);
  for (const [table, names] of Object.entries(columns)) {
    expect(realm[table], table).toBeInstanceOf(Array);
    expect(names.length > 0 && realm[table]?.length === 0, table).toBe(false);
    for (const row of realm[table] ?? []) expect(Object.keys(row), table).toEqual(expect.arrayContaining(names));
  }
  const people = new Set(
    [...(realm["zerver_userprofile"] ?? []), ...(realm["zerver_userprofile_crossrealm"] ?? [])].map(({ id }) => id),
  );
  const recipients = new Set((realm["zerver_recipient"] ?? []).map(({ id }) => id));
  const sent = new Set((messages["zerver_message"] ?? []).map(({ id }) => id));
  for (const row of realm["zerver_subscription"] ?? []) {
    expect(people).toContain(row["user_profile"]);
    expect(recipients).toContain(row["recipient"]);
  }
  for (const row of messages["zerver_message"] ?? []) {
    expect(people).toContain(row["sender"]);
    expect(recipients).toContain(row["recipient"]);
    expect(row).toMatchObject({ rendered_content: null, realm: expect.any(Number), date_sent: expect.any(Number) });
    expect(row["edit_history"] === null || typeof row["edit_history"] === "string").toBe(true);
    expect(row["is_channel_message"] !== (row["subject"] === "\u0007")).toBe(true);
    // Ids of people and messages are others there.
    expect(row["content"]).not.toMatch(/@_?\*\*[^*]*\|\d+\*\*/);
  }
  for (const row of messages["zerver_usermessage"] ?? []) {
    expect(Object.keys(row).toSorted()).toEqual(["flags_mask", "id", "message", "user_profile"]);
    expect(people).toContain(row["user_profile"]);
    expect(sent).toContain(row["message"]);
  }
  for (const folder of ["uploads", "avatars", "emoji"]) {
    const records = (await read(`${folder}/records.json`)) as Record<string, unknown>[];
    expect(records.length, folder).toBeGreaterThan(0);
    for (const record of records) {
      expect(archive.files.has(`zulip-export/${folder}/${String(record["path"])}`)).toBe(true);
      expect(record).toMatchObject({
        s3_path: expect.any(String),
        realm_id: expect.any(Number),
        size: expect.any(Number),
      });
    }
  }
  const { zerver_attachment: files = [] } = (await read("attachment.json")) as Tables;
  for (const row of files) {
    expect(archive.files.has(`zulip-export/uploads/${String(row["path_id"])}`)).toBe(true);
    expect(row).toMatchObject({ messages: expect.any(Array), scheduled_messages: [], create_time: expect.any(Number) });
  }
  await archive.close();
});

test("it contains nothing private of people who did not agree", async () => {
  const realm = await newRealm();
  const [hamlet, horatio, ghost] = [await realm.user("hamlet"), await realm.user("horatio"), await realm.user("ghost")];
  success(await hamlet.call(updateSettings, { allow_private_data_export: true }));
  success(await ghost.call(updateSettings, { email_address_visibility: 4 }));
  const closed = await channelOf([horatio, ghost], "UNSEEN channel", { isPrivate: true });
  await sendToChannel(horatio, closed, { content: "UNSEEN words" });
  await sendDirect(horatio, [ghost], { content: "UNSEEN direct message" });
  await sendDirect(horatio, [hamlet], { content: "to him" });

  const unpacked = await unpackArchive(await readFile(await exportForZulip(realm, exportTypes.withConsent)));

  const content = await unpacked.everything();
  expect(content).toContain("to him");
  expect(content).not.toContain("UNSEEN");
  expect(content).not.toContain(ghost.email);
});
