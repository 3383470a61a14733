/**
 * What messages need to know of an organization while it is exported for Zulip, and its tables. Each row has the columns
 * that Zulip 12 reads of another product's export, and no others: it refuses columns that it does not know.
 */
import { defaultUserSettings } from "@skein/api/settings.ts";
import {
  isRecord,
  type JsonRecord,
  listOf,
  numberOf,
  recordOf,
  recordsOf,
  stringOf,
} from "../../imports/archive/json.ts";
import { toMicroseconds } from "../../imports/skein/rows.ts";
import { personalSettings } from "../../imports/zulip/personal-settings.ts";

export const recipientTypes = { person: 1, channel: 2, direct: 3 } as const;
/** The only client: who sent a message with which program means nothing there. */
export const clientId = 1;

/** Addresses of the bots that all organizations of a Zulip server share. */
const sharedBots: Readonly<Record<string, string>> = {
  "Notification Bot": "notification-bot@zulip.com",
  "Welcome Bot": "welcome-bot@zulip.com",
};

export const toSeconds = (time: unknown): number | null => {
  const microseconds = toMicroseconds(time);
  return microseconds === undefined ? null : microseconds / 1_000_000;
};

type Rows = Readonly<Record<string, readonly JsonRecord[]>>;
type Table = Iterable<JsonRecord>;

export class ZulipOrganization {
  readonly realmId: number;
  readonly #rows: Rows;
  readonly #recipients = new Map<string, number>();
  readonly #names = new Map<string, number>();
  readonly #nameOf = new Map<number, string>();
  /** Direct conversations, with those that a message is scheduled to before anybody has written. */
  readonly directs: readonly JsonRecord[];

  /** `rows`: all kinds of our export that are small enough for the memory. */
  constructor(rows: Rows) {
    this.#rows = rows;
    this.realmId = numberOf(this.#of("organization")[0]?.["id"]) ?? 0;
    this.directs = withScheduled(this.#of("direct_conversations"), this.#of("scheduled_messages"));
    let last = 0;
    const add = (type: number, list: readonly JsonRecord[]) => {
      for (const row of list) this.#recipients.set(`${type} ${String(row["id"])}`, ++last);
    };
    add(recipientTypes.person, this.#of("users"));
    add(recipientTypes.channel, this.#of("channels"));
    add(recipientTypes.direct, this.directs);
    for (const row of this.#of("users")) {
      const name = stringOf(row["full_name"]);
      this.#nameOf.set(numberOf(row["id"]) ?? 0, name);
      this.#names.set(name.toLowerCase(), (this.#names.get(name.toLowerCase()) ?? 0) + 1);
    }
  }

  #of(kind: string): readonly JsonRecord[] {
    return this.#rows[kind] ?? [];
  }

  recipientOf(type: number, id: unknown): number {
    return this.#recipients.get(`${type} ${String(id)}`) ?? 0;
  }

  /** People get other ids there, so mentions name them without ids, if a name means one person. */
  text(content: string): string {
    return content.replaceAll(/@(_?)\*\*[^*|\n]*\|(\d+)\*\*/g, (found, silent: string, id: string) => {
      const name = this.#nameOf.get(Number(id));
      if (name === undefined || this.#names.get(name.toLowerCase()) !== 1) return found;
      return `@${silent}**${name}**`;
    });
  }

  /** Everything except subscriptions, reactions and submessages. */
  *tables(): Generator<[name: string, rows: Table]> {
    const realm = this.realmId;
    yield ["zerver_realm", [this.#realm()]];
    yield ["zerver_client", [{ id: clientId, name: "ZulipDataImport" }]];
    const people = this.#of("users").filter((row) => row["is_system_bot"] !== true);
    yield ["zerver_userprofile", people.filter(hasAddress).map((row) => this.#person(row))];
    yield ["zerver_userprofile_mirrordummy", people.filter((row) => !hasAddress(row)).map((row) => this.#person(row))];
    yield ["zerver_userprofile_crossrealm", this.#shared()];
    yield ["zerver_stream", this.#of("channels").map((row) => this.#channel(row))];
    yield [
      "zerver_defaultstream",
      numbered(
        this.#of("channels").filter((row) => row["is_default"] === true),
        (row) => ({ realm, stream: row["id"] }),
      ),
    ];
    yield [
      "zerver_huddle",
      this.directs.map((row) => ({ id: row["id"], huddle_hash: "", group_size: listOf(row["user_ids"]).length })),
    ];
    yield ["zerver_recipient", this.#recipientRows()];
    yield [
      "zerver_realmemoji",
      this.#of("emoji").map((row) => ({
        id: row["id"],
        realm,
        name: row["name"],
        author: row["author_id"],
        file_name: row["file_name"],
        deactivated: row["deactivated"] === true,
      })),
    ];
    yield [
      "zerver_realmfilter",
      numbered(this.#of("linkifiers"), (row, order) => ({
        realm,
        pattern: row["pattern"],
        url_template: row["url_template"],
        order,
      })),
    ];
    yield [
      "zerver_realmplayground",
      this.#of("playgrounds").map((row) => ({
        id: row["id"],
        realm,
        name: row["name"],
        pygments_language: row["pygments_language"],
        url_template: row["url_template"],
      })),
    ];
    yield [
      "zerver_realmdomain",
      numbered(this.#of("domains"), (row) => ({
        realm,
        domain: row["domain"],
        allow_subdomains: row["allow_subdomains"],
      })),
    ];
    yield ["zerver_realmauthenticationmethod", [{ id: 1, realm, name: "Email" }]];
    yield ["zerver_customprofilefield", this.#of("profile_fields").map((row) => this.#field(row))];
    yield ["zerver_customprofilefieldvalue", numbered(this.#values(), (row) => row)];
    for (const name of ["zerver_userpresence", "zerver_useractivity", "zerver_useractivityinterval"]) yield [name, []];
    yield* this.#personal();
  }

  #realm(): JsonRecord {
    const row = recordOf(this.#of("organization")[0]);
    return {
      id: this.realmId,
      name: row["name"],
      string_id: row["string_id"],
      description: row["description"],
      date_created: toSeconds(row["date_created"]),
      deactivated: false,
      org_type: row["org_type"],
      invite_required: row["invite_required"],
      emails_restricted_to_domains: row["emails_restricted_to_domains"],
      default_language: row["default_language"],
      moderation_request_channel: null,
      new_stream_announcements_stream: this.#knownChannel(row["new_stream_announcements_stream_id"]),
      signup_announcements_stream: this.#knownChannel(row["signup_announcements_stream_id"]),
      zulip_update_announcements_stream: this.#knownChannel(row["zulip_update_announcements_stream_id"]),
    };
  }

  #knownChannel(id: unknown): unknown {
    return this.#recipients.has(`${recipientTypes.channel} ${String(id)}`) ? id : null;
  }

  #person(row: JsonRecord): JsonRecord {
    const address = hasAddress(row) ? row["delivery_email"] : `user${String(row["id"])}@skein.invalid`;
    const isBot = row["is_bot"] === true;
    // The export has those that are not at their default, and Zulip may have other defaults.
    const settings: JsonRecord = isRecord(row["settings"]) ? { ...defaultUserSettings, ...row["settings"] } : {};
    return {
      id: row["id"],
      realm: this.realmId,
      delivery_email: address,
      email: address,
      full_name: row["full_name"],
      role: row["role"],
      is_active: row["is_active"] === true && hasAddress(row),
      is_mirror_dummy: !hasAddress(row),
      is_bot: isBot,
      // An outgoing webhook would need an address and a token.
      bot_type: isBot ? (row["bot_type"] === 2 ? 2 : 1) : null,
      bot_owner: row["bot_owner_id"],
      date_joined: toSeconds(row["date_joined"]),
      last_login: null,
      last_reminder: null,
      timezone: row["timezone"],
      avatar_source: row["avatar_source"] === "U" ? "U" : "G",
      avatar_version: 1,
      email_address_visibility: row["email_address_visibility"],
      ...Object.fromEntries(personalSettings.filter((name) => name in settings).map((name) => [name, settings[name]])),
      default_sending_stream: null,
      default_events_register_stream: null,
      last_active_message_id: null,
      user_permissions: [],
      groups: [],
    };
  }

  *#shared(): Generator<JsonRecord> {
    for (const row of this.#of("users"))
      if (row["is_system_bot"] === true)
        yield {
          id: row["id"],
          email: sharedBots[stringOf(row["full_name"])] ?? sharedBots["Notification Bot"],
          recipient_id: this.recipientOf(recipientTypes.person, row["id"]),
        };
  }

  #channel(row: JsonRecord): JsonRecord {
    return {
      id: row["id"],
      realm: this.realmId,
      name: row["name"],
      description: stringOf(row["description"]).replaceAll("\n", " "),
      date_created: toSeconds(row["date_created"]),
      creator: row["creator_id"],
      invite_only: row["invite_only"],
      is_web_public: row["is_web_public"],
      history_public_to_subscribers: row["history_public_to_subscribers"],
      deactivated: row["is_archived"],
      message_retention_days: row["message_retention_days"],
      folder: null,
      stream_post_policy: 1,
    };
  }

  /** Those of the shared bots exist there. */
  *#recipientRows(): Generator<JsonRecord> {
    const shared = new Set(
      this.#of("users")
        .filter((row) => row["is_system_bot"] === true)
        .map((row) => String(row["id"])),
    );
    for (const [key, id] of this.#recipients) {
      const [type = "", typeId = ""] = key.split(" ");
      if (Number(type) === recipientTypes.person && shared.has(typeId)) continue;
      yield { id, type: Number(type), type_id: Number(typeId) };
    }
  }

  #field(row: JsonRecord): JsonRecord {
    const { id, name, hint, field_type, field_data, display_in_profile_summary, required, editable_by_user } = row;
    const order = row["position"];
    return {
      id,
      realm: this.realmId,
      name,
      hint,
      field_type,
      field_data,
      order,
      display_in_profile_summary,
      required,
      editable_by_user,
    };
  }

  #values(): JsonRecord[] {
    return this.#of("users").flatMap((row) =>
      recordsOf(row["profile"]).map(({ field_id, value }) => ({
        user_profile: row["id"],
        field: field_id,
        value,
        rendered_value: null,
      })),
    );
  }

  *#personal(): Generator<[string, Table]> {
    const realm = this.realmId;
    yield [
      "zerver_userstatus",
      numbered(
        this.#of("users").filter((row) => row["status"] !== null && row["is_system_bot"] !== true),
        (row) => {
          const { status_text, emoji_name, emoji_code, reaction_type } = recordOf(row["status"]);
          const type = reaction_type === "" ? "unicode_emoji" : reaction_type;
          return {
            user_profile: row["id"],
            timestamp: toSeconds(row["date_joined"]),
            client: clientId,
            status_text,
            emoji_name,
            emoji_code,
            reaction_type: type,
          };
        },
      ),
    ];
    yield [
      "zerver_alertword",
      numbered(this.#of("alert_words"), (row) => ({ realm, user_profile: row["user_id"], word: row["word"] })),
    ];
    yield [
      "zerver_muteduser",
      numbered(this.#of("muted_users"), (row) => ({
        user_profile: row["user_id"],
        muted_user: row["muted_user_id"],
        date_muted: toSeconds(row["muted_at"]),
      })),
    ];
    yield [
      "zerver_savedsnippet",
      numbered(this.#of("saved_snippets"), (row) => ({
        realm,
        user_profile: row["user_id"],
        title: row["title"],
        content: row["content"],
        date_created: toSeconds(row["date_created"]),
      })),
    ];
    yield ["zerver_usertopic", numbered(this.#userTopics(), (row) => row)];
    yield ["zerver_scheduledmessage", numbered(this.#scheduled(), (row) => row)];
  }

  /** `topics` has the topics that somebody chose something for. */
  #userTopics(): JsonRecord[] {
    const topics = new Map(this.#of("topics").map((row) => [row["id"], row]));
    return this.#of("user_topics").flatMap((row) => {
      const topic = topics.get(row["topic_id"]);
      if (topic === undefined) return [];
      const recipient = this.recipientOf(recipientTypes.channel, topic["channel_id"]);
      return [
        {
          user_profile: row["user_id"],
          stream: topic["channel_id"],
          recipient,
          topic_name: row["topic"],
          last_updated: toSeconds(row["last_updated"]),
          visibility_policy: row["visibility_policy"],
        },
      ];
    });
  }

  #scheduled(): JsonRecord[] {
    return this.#of("scheduled_messages").flatMap((row) => {
      const recipient = this.#recipientOfScheduled(row);
      if (recipient === undefined || row["failed"] === true) return [];
      const isInChannel = row["channel_id"] !== null;
      return [
        {
          realm: this.realmId,
          sender: row["sender_id"],
          recipient,
          stream: row["channel_id"],
          subject: isInChannel ? row["topic"] : directTopic,
          content: this.text(stringOf(row["content"])),
          rendered_content: null,
          sending_client: clientId,
          scheduled_timestamp: toSeconds(row["deliver_at"]),
          request_timestamp: toSeconds(row["deliver_at"]),
          delivered: false,
          delivered_message: null,
          delivery_type: 1,
          has_attachment: stringOf(row["content"]).includes("/user_uploads/"),
        },
      ];
    });
  }

  #recipientOfScheduled(row: JsonRecord): number | undefined {
    if (row["channel_id"] !== null) return this.recipientOf(recipientTypes.channel, row["channel_id"]) || undefined;
    const wanted = partiesOf(row);
    const found = this.directs.find((one) => keyOf(listOf(one["user_ids"])) === keyOf(wanted));
    return found && this.recipientOf(recipientTypes.direct, found["id"]);
  }
}

const partiesOf = (scheduled: JsonRecord): unknown[] => [...listOf(scheduled["user_ids"]), scheduled["sender_id"]];

function withScheduled(directs: readonly JsonRecord[], scheduled: readonly JsonRecord[]): readonly JsonRecord[] {
  const known = new Set(directs.map((row) => keyOf(listOf(row["user_ids"]))));
  const added: JsonRecord[] = [];
  let last = directs.reduce((most, row) => Math.max(most, numberOf(row["id"]) ?? 0), 0);
  for (const row of scheduled) {
    const key = keyOf(partiesOf(row));
    if (row["channel_id"] !== null || known.has(key)) continue;
    known.add(key);
    added.push({ id: ++last, user_ids: key.split(",").map(Number) });
  }
  return [...directs, ...added];
}

/** The topic of direct messages. */
export const directTopic = "\u0007";

const keyOf = (ids: readonly unknown[]): string => [...new Set(ids.map(Number))].toSorted((a, b) => a - b).join(",");

const hasAddress = (row: JsonRecord): boolean => typeof row["delivery_email"] === "string";

const numbered = (
  rows: readonly JsonRecord[],
  convert: (row: JsonRecord, number: number) => JsonRecord,
): JsonRecord[] => rows.map((row, index) => ({ id: index + 1, ...convert(row, index + 1) }));
