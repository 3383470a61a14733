/**
 * The content of an export with names instead of ids, so that exports of different organizations can be compared: a person
 * is an address, a channel its name, a message its conversation and time, a file its name and the hash of its bytes.
 */
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { archive } from "../src/domain/data/exports/archive.ts";
import { packed } from "../src/domain/data/exports/packed.ts";
import { everything } from "../src/domain/data/exports/scope.ts";
import { openTar } from "../src/domain/data/imports/archive/tar.ts";
import { Receivers } from "../src/domain/data/imports/skein/receivers.ts";
import type { TestRealm } from "./realm.ts";

/** Exports everything, as `skein realm export --everything` does; returns the path of the archive. */
export async function exportEverything({ ctx, id }: TestRealm): Promise<string> {
  const path = join(tmpdir(), `export-${randomBytes(6).toString("hex")}.tar.gz`);
  await pipeline(packed(archive(ctx, { id: null, realm_id: id, export_type: everything })), createWriteStream(path));
  return path;
}

// oxlint-disable-next-line typescript/no-explicit-any -- rows of all kinds, as the export has them
type Row = Record<string, any>;

const flagNames = ["starred", "collapsed", "mentioned", "topic_wildcard_mentioned", "has_alert_word"];

export async function contentOf(path: string, { without = [] }: { without?: string[] } = {}) {
  const opened = await openTar(path, () => undefined);
  const rows = async (kind: string): Promise<Row[]> => {
    const names = [...opened.files.keys()].filter((name) => name.startsWith(`${kind}-`));
    const lists = await Promise.all(names.map(async (name) => JSON.parse(String(await opened.read(name, 1e9)))));
    return lists.flat() as Row[];
  };
  const hashOf = async (name: string): Promise<string | undefined> =>
    opened.files.has(name)
      ? createHash("sha256")
          .update(await buffer(await opened.stream(name)))
          .digest("hex")
          .slice(0, 8)
      : undefined;
  const users = await rows("users");
  const channels = await rows("channels");
  const directs = await rows("direct_conversations");
  const messages = await rows("messages");
  const topics = await rows("topics");
  const subscriptions = await rows("subscriptions");
  const attachments = await rows("attachments");
  const emoji = await rows("emoji");
  const groups = await rows("user_groups");
  const fields = await rows("profile_fields");
  const by = (list: Row[], name: (row: Row) => string) => new Map(list.map((row) => [row["id"] as number, name(row)]));

  const person = by(users, (row) => row["delivery_email"]);
  const channel = by(channels, (row) => row["name"]);
  const place = new Map([
    ...channel,
    ...by(directs, (row) =>
      row["user_ids"]
        .map((id: number) => person.get(id))
        .toSorted()
        .join(" "),
    ),
  ]);
  const message = by(messages, (row) => `${place.get(row["conversation_id"])} ${row["date_sent"]}`);
  const topic = by(topics, (row) => `${channel.get(row["channel_id"])} > ${row["name"]}`);
  const file = new Map<string, string>();
  const hashes = new Map<number, string>();
  for (const row of attachments) {
    const hash = String(await hashOf(row["file"]));
    file.set(row["file"].replace("files/uploads/", ""), hash);
    hashes.set(row["id"], hash);
  }
  const personByName = new Map(users.map((row) => [row["full_name"], row["delivery_email"]]));
  const isKept = (address: unknown) => !without.includes(String(address));

  const text = (content: string): string =>
    content
      .replaceAll(/#\*\*([^*>]+)>([^*]+)@(\d+)\*\*/g, "[#$1 > $2 @ 💬](#narrow/x/near/$3)")
      .replaceAll(/@(_?)\*\*([^*|]+)(?:\|(\d+))?\*\*/g, (found, silent, name, id) => {
        const whom = id === undefined ? personByName.get(name) : person.get(Number(id));
        return whom === undefined ? found : `@${silent}**${whom}**`;
      })
      .replaceAll(/\/user_uploads\/([^)]+)/g, (_, at) => `/user_uploads/${file.get(at)}`)
      .replaceAll(/#narrow\/[^)]*\/near\/(\d+)/g, (_, id) => `#narrow/${message.get(Number(id))}`)
      .replaceAll(/#narrow\/channel\/(\d+)/g, (_, id) => `#narrow/channel/${channel.get(Number(id))}`);

  const reaction = (row: Row): string =>
    row["reaction_type"] === "realm_emoji"
      ? `custom ${by(emoji, (one) => one["name"]).get(Number(row["emoji_code"]))}`
      : row["emoji_code"];
  const flags = Map.groupBy(await rows("message_flags"), (row) => row["message_id"] as number);
  const reading = Map.groupBy(
    [
      ...subscriptions.map((row) => ({
        ...row,
        conversation: row["channel_id"],
        ranges: row["personal"],
        isMember: row["active"],
      })),
      ...(await rows("read_direct_messages")).map((row) => ({
        ...row,
        conversation: row["conversation_id"],
        ranges: { received: "{[0,)}", read: row["read"] },
        isMember: true,
      })),
    ] as Row[],
    (row) => row["conversation"] as number,
  );
  const receivers = new Map<number, Receivers>();
  const receiversOf = (conversation: number): Receivers => {
    const known = receivers.get(conversation);
    if (known) return known;
    const made = new Receivers(
      (reading.get(conversation) ?? []).map(({ user_id, isMember, ranges }) => ({
        personId: String(person.get(user_id)),
        isMember,
        received: ranges.received,
        read: ranges.read,
      })),
      false,
    );
    receivers.set(conversation, made);
    return made;
  };
  const members = (id: number): string[] =>
    (reading.get(id) ?? []).filter(({ isMember }) => isMember).map(({ user_id }) => String(person.get(user_id)));
  const renames = new Map(topics.map((row) => [row["id"], row["edits"] as Row[]]));

  const said = messages.map((row) => {
    const own: Row[] = row["edits"];
    const movedAt =
      own.findLast((edit) => edit["prev_topic"] !== null || edit["channel_id"] !== null)?.["edited_at"] ?? "";
    const renamed = (renames.get(row["topic_id"]) ?? []).filter(
      (edit) => edit["up_to_id"] >= row["id"] && edit["edited_at"] > movedAt,
    );
    const { receivedBy, unreadBy = [] } = receiversOf(row["conversation_id"]).of(row["id"]);
    const sender = person.get(row["sender_id"]);
    const widget = row["submessages"].map((one: Row) => [
      person.get(one["sender_id"]),
      one["msg_type"],
      one["content"],
    ]);
    const flagged = (flags.get(row["id"]) ?? [])
      .map((one) => [person.get(one["user_id"]), ...flagNames.filter((name) => one[name])].join(" "))
      .filter((words) => words.includes(" "))
      .toSorted();
    return {
      place: place.get(row["conversation_id"]),
      topic: row["topic"],
      sender,
      at: row["date_sent"],
      content: text(row["content"]),
      client: row["client"],
      edits: [...own, ...renamed]
        .map((edit) => ({
          by: person.get(edit["user_id"]),
          at: edit["edited_at"],
          before: typeof edit["prev_content"] === "string" ? text(edit["prev_content"]) : undefined,
          topics: [edit["prev_topic"] ?? undefined, edit["topic"] ?? undefined],
          channels: [channel.get(edit["prev_channel_id"]), channel.get(edit["channel_id"])],
        }))
        .toSorted((one, other) => (one.at < other.at ? -1 : 1)),
      reactions: row["reactions"].map((one: Row) => `${person.get(one["user_id"])} ${reaction(one)}`).toSorted(),
      widget,
      flagged,
      unreadBy: unreadBy.filter((one) => one !== sender && isKept(one)).toSorted(),
      receivedBy: (receivedBy ?? members(row["conversation_id"])).filter(isKept).toSorted(),
      files: row["attachments"].map((id: number) => hashes.get(id)).toSorted(),
    };
  });
  const folders = new Map(
    (await rows("channel_folders")).map(({ id, name, description }) => [id, [name, description]]),
  );
  const profile = (row: Row) =>
    row["profile"].map(({ field_id, value }: Row) => {
      const field = fields.find((one) => one["id"] === field_id);
      const named = field?.["field_type"] === 6 ? JSON.parse(value).map((id: number) => person.get(id)) : value;
      return [field?.["name"], named];
    });
  const settings = (row: Row) =>
    Object.entries({ ...row["settings"], visibility: row["email_address_visibility"] })
      .map((entry) => JSON.stringify(entry))
      .toSorted();
  const pictures = new Map<number, string | undefined>();
  for (const { id } of users) pictures.set(id, await hashOf(`files/avatars/${id}.png`));
  const emojiPictures = new Map<number, string | undefined>();
  for (const row of emoji) emojiPictures.set(row["id"], await hashOf(`files/emoji/${row["file_name"]}`));
  const own = async (kind: string, value: (row: Row) => unknown) =>
    (await rows(kind)).map((row) => JSON.stringify([person.get(row["user_id"]), value(row)])).toSorted();
  const groupName = by(groups, (row) => row["name"]);
  const group = (id: number): unknown => {
    const row = groups.find((one) => one["id"] === id);
    if (!row || row["name"] !== null) return row?.["name"];
    return {
      members: row["members"].map((one: number) => person.get(one)).toSorted(),
      groups: row["subgroups"].map((one: number) => groupName.get(one)).toSorted(),
    };
  };
  const permissions = (row: Row): unknown[] =>
    Object.entries(row)
      .filter(([name]) => name.endsWith("_group_id"))
      .map(([name, id]) => [name, group(id)]);
  const organizationPictures: [string, unknown][] = [];
  for (const name of ["icon", "logo", "night_logo"])
    organizationPictures.push([name, await hashOf(`files/organization/${name}.png`)]);
  const content = {
    organization: [
      ...Object.entries((await rows("organization"))[0] ?? {})
        .filter(([name]) => !["id", "string_id", "host", "date_created"].includes(name))
        .map(([name, value]): [string, unknown] => [
          name,
          /_(group|groups)_id$/.test(name)
            ? group(value)
            : /(stream|channel)_id$/.test(name)
              ? channel.get(value)
              : value,
        ]),
      ...organizationPictures,
    ].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    people: users
      .filter((row) => !row["is_system_bot"] && isKept(row["delivery_email"]))
      .map((row) => ({
        address: row["delivery_email"],
        name: row["full_name"],
        role: row["role"],
        isActive: row["is_active"],
        owner: person.get(row["bot_owner_id"]),
        isBot: row["is_bot"],
        botType: row["bot_type"],
        joined: new Date(row["date_joined"]).getTime(),
        timezone: row["timezone"],
        hasPicture: pictures.get(row["id"]) !== undefined,
        status: [row["status"]?.["status_text"], row["status"]?.["emoji_name"]],
        profile: profile(row),
      }))
      .toSorted((one, other) => (one.address < other.address ? -1 : 1)),
    channels: channels
      .map((row) => ({
        name: row["name"],
        description: row["description"],
        isPrivate: row["invite_only"],
        hasSharedHistory: row["history_public_to_subscribers"],
        isArchived: row["is_archived"],
        isDefault: row["is_default"],
        creator: person.get(row["creator_id"]),
        at: new Date(row["date_created"]).getTime(),
        members: members(row["id"]).filter(isKept).toSorted(),
        isWebPublic: row["is_web_public"],
        retention: row["message_retention_days"],
        topics: row["topics_policy"],
        folder: folders.get(row["folder_id"]),
        permissions: permissions(row),
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    subscriptions: subscriptions
      .filter((row) => row["active"] && isKept(person.get(row["user_id"])))
      .map(({ user_id, channel_id, personal: { received: _, read: __, ...personal } }) =>
        [person.get(user_id), channel.get(channel_id), JSON.stringify(personal)].join(" "),
      )
      .toSorted(),
    directs: directs.map((row) => String(place.get(row["id"]))).toSorted(),
    messages: said.toSorted((one, other) => (`${one.place} ${one.at}` < `${other.place} ${other.at}` ? -1 : 1)),
    emoji: emoji.map((row) => [
      row["name"],
      row["deactivated"],
      person.get(row["author_id"]),
      new Date(row["date_created"]).getTime(),
      emojiPictures.get(row["id"]) !== undefined,
    ]),
    groups: groups
      .filter((row) => row["name"] !== null && !row["is_system"])
      .map((row) => ({
        name: row["name"],
        description: row["description"],
        isActive: !row["deactivated"],
        members: row["members"].map((id: number) => person.get(id)).toSorted(),
        subgroups: row["subgroups"].map((id: number) => groupName.get(id)).toSorted(),
        creator: person.get(row["creator_id"]),
        at: new Date(row["date_created"]).getTime(),
        permissions: permissions(row),
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    linkifiers: (await rows("linkifiers")).map((row) => [row["pattern"], row["url_template"]]),
    fields: fields.map(({ id: _, position: __, ...field }) => field),
    playgrounds: (await rows("playgrounds")).map(({ id: _, ...playground }) => playground),
    domains: await rows("domains"),
    channelSets: (await rows("default_channel_groups")).map(({ name, description, channels: ids }) => [
      name,
      description,
      ids.map((id: number) => channel.get(id)).toSorted(),
    ]),
    scheduled: (await rows("scheduled_messages"))
      .map((row) =>
        JSON.stringify([
          person.get(row["sender_id"]),
          channel.get(row["channel_id"]),
          row["topic"],
          row["user_ids"]?.map((id: number) => person.get(id)).toSorted(),
          text(row["content"]),
          row["deliver_at"],
          row["failed"],
        ]),
      )
      .toSorted(),
    visibility: await own("user_topics", (row) => [topic.get(row["topic_id"]), row["topic"], row["visibility_policy"]]),
    alertWords: await own("alert_words", (row) => row["word"]),
    muted: await own("muted_users", (row) => person.get(row["muted_user_id"])),
    snippets: await own("saved_snippets", (row) => [
      row["title"],
      text(row["content"]),
      new Date(row["date_created"]).getTime(),
    ]),
    drafts: await own("drafts", (row) => [
      row["type"],
      row["recipients"].map((id: number) => (row["type"] === "stream" ? channel : person).get(id)).toSorted(),
      row["topic"],
      text(row["content"]),
      row["edited_at"],
    ]),
    files: attachments
      .map((row) =>
        JSON.stringify([
          person.get(row["owner_id"]),
          row["file_name"],
          row["size"],
          row["content_type"],
          new Date(row["created_at"]).getTime(),
          hashes.get(row["id"]),
          messages.filter((one) => one["attachments"].includes(row["id"])).length,
        ]),
      )
      .toSorted(),
    webhooks: (await rows("outgoing_webhooks")).map((row) =>
      JSON.stringify([person.get(row["bot_id"]), row["name"], row["url"], row["interface"]]),
    ),
    settings: users
      .filter((row) => !row["is_bot"] && isKept(row["delivery_email"]))
      .map((row) => [row["delivery_email"], ...settings(row)].join(" "))
      .toSorted(),
  };
  await opened.close();
  return content;
}
