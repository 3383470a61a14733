/** The people and bots of our own export. */
import { botTypes } from "@skein/api/bots.ts";
import { type JsonRecord, listOf as itemsOf, numberOf, recordOf, recordsOf, stringOf } from "../archive/json.ts";
import type { SourceFile, SourceId, SourcePerson } from "../source.ts";
import { codeToName } from "../../../../markdown/emoji.ts";
import { type ExportFiles, listOf, toSeconds } from "./rows.ts";

/** A field whose value is a list of people. */
const typePeople = 6;
const roles: ReadonlySet<number> = new Set([100, 200, 300, 400, 600]);

export class SkeinPeople {
  readonly #byId = new Map<SourceId, SourcePerson>();
  /** By name in lower case; undefined if several people have it. */
  readonly #byName = new Map<string, SourceId | undefined>();
  readonly rows: readonly JsonRecord[];

  private constructor(
    rows: readonly JsonRecord[],
    fields: ReadonlyMap<unknown, JsonRecord>,
    webhooks: readonly JsonRecord[],
    files: ExportFiles,
  ) {
    this.rows = rows;
    for (const row of rows) this.#byId.set(String(row["id"]), toPerson(row, files));
    for (const row of rows) {
      const person = this.#byId.get(String(row["id"]));
      if (!person) continue;
      const name = person.name.toLowerCase();
      this.#byName.set(name, this.#byName.has(name) ? undefined : person.id);
      const profile = this.#profileOf(row, fields);
      if (profile.length > 0) person.profile = profile;
    }
    for (const row of webhooks) {
      const [bot, kind] = [this.#byId.get(String(row["bot_id"])), numberOf(row["interface"])];
      const [name, url] = [stringOf(row["name"]), stringOf(row["url"])];
      if (bot && kind !== undefined && url !== "") bot.webhook = { name, url, interface: kind };
    }
  }

  static async read(files: ExportFiles): Promise<SkeinPeople> {
    const fields = new Map((await listOf(files, "profile_fields")).map((field) => [field["id"], field]));
    return new SkeinPeople(await listOf(files, "users"), fields, await listOf(files, "outgoing_webhooks"), files);
  }

  get listed(): Iterable<SourcePerson> {
    return this.#byId.values();
  }

  idOf(number: unknown): SourceId | undefined {
    return this.#byId.get(String(number))?.id;
  }

  idsOf(numbers: unknown): SourceId[] {
    return itemsOf(numbers)
      .map((number) => this.idOf(number))
      .filter((id) => id !== undefined);
  }

  byName(name: string): SourceId | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  #profileOf(row: JsonRecord, fields: ReadonlyMap<unknown, JsonRecord>): NonNullable<SourcePerson["profile"]> {
    return recordsOf(row["profile"]).flatMap(({ field_id, value }) => {
      const field = fields.get(field_id);
      if (field === undefined || typeof value !== "string") return [];
      const people = numberOf(field["field_type"]) === typePeople ? this.#peopleIn(value) : undefined;
      return [{ field: stringOf(field["name"]), value, ...(people === undefined ? {} : { people }) }];
    });
  }

  #peopleIn(value: string): SourceId[] {
    const numbers = /^\[([\d, ]*)\]$/.exec(value)?.[1] ?? "";
    return this.idsOf(numbers.split(",").map((number) => number.trim()));
  }
}

function toPerson(row: JsonRecord, { archive, root }: ExportFiles): SourcePerson {
  const id = String(row["id"]);
  const role = numberOf(row["role"]) ?? 400;
  const email = stringOf(row["delivery_email"]);
  const timeZone = stringOf(row["timezone"]);
  const entry = `${root}files/avatars/${id}.png`;
  const size = archive.files.get(entry)?.size;
  const avatar: SourceFile | undefined = size === undefined ? undefined : { entry, name: `${id}.png`, size };
  const owner = numberOf(row["bot_owner_id"]);
  const status = toStatus(recordOf(row["status"]));
  const joinedAt = toSeconds(row["date_joined"]);
  return {
    id,
    kind: row["is_bot"] === true ? "bot" : "person",
    name: stringOf(row["full_name"]),
    role: (roles.has(role) ? role : 400) as SourcePerson["role"], // one of them
    isActive: row["is_active"] === true,
    isListed: true,
    ...(email === "" ? {} : { email }),
    ...(timeZone === "" ? {} : { timeZone }),
    ...(avatar === undefined ? {} : { avatar }),
    ...(status === undefined ? {} : { status }),
    ...(owner === undefined ? {} : { ownerId: String(owner) }),
    ...(numberOf(row["bot_type"]) === botTypes.incomingWebhook ? { isIncomingWebhook: true } : {}),
    ...(joinedAt === undefined ? {} : { joinedAt }),
  };
}

function toStatus(row: JsonRecord): SourcePerson["status"] {
  const text = stringOf(row["status_text"]);
  const name = stringOf(row["emoji_name"]);
  const emojiName =
    row["reaction_type"] === "realm_emoji" ? name : (codeToName.get(stringOf(row["emoji_code"])) ?? name);
  return text === "" && emojiName === "" ? undefined : { text, ...(emojiName === "" ? {} : { emojiName }) };
}
