/** The people and bots of a Zulip export. */
import { type JsonRecord, numberOf, recordOf, stringOf } from "../archive/json.ts";
import { personName } from "../names/stored-name.ts";
import { notificationBotId, type SourceFile, type SourceId, type SourcePerson } from "../source.ts";
import { codeToName } from "../../../../markdown/emoji.ts";
import { cleanText } from "../text/marks.ts";
import type { RealmTables } from "./tables.ts";

/** A field whose value is a list of people. */
const typePeople = 6;

export class ZulipPeople {
  readonly #byId = new Map<SourceId, SourcePerson>();
  readonly #byName = new Map<string, SourceId | undefined>();

  constructor(tables: RealmTables, avatars: ReadonlyMap<SourceId, SourceFile>) {
    const byEmail = new Map<string, SourcePerson>();
    for (const row of [...tables.rows("zerver_userprofile"), ...tables.rows("zerver_userprofile_mirrordummy")]) {
      const person = toPerson(row, avatars);
      const email = person.email?.toLowerCase();
      const same = email === undefined ? undefined : byEmail.get(email);
      if (email !== undefined && same === undefined) byEmail.set(email, person);
      this.#byId.set(person.id, same ?? person);
      this.#byName.set(person.name, this.#byName.has(person.name) ? undefined : person.id);
    }
    this.#addStatus(tables);
    this.#addProfiles(tables);
    // Bots that all organizations share: the Notification Bot, the Welcome Bot and the e-mail gateway.
    for (const row of tables.rows("zerver_userprofile_crossrealm")) this.#shared.add(String(row["id"]));
  }

  readonly #shared = new Set<SourceId>();

  get listed(): Iterable<SourcePerson> {
    return new Set(this.#byId.values());
  }

  /** The id of the merged person. */
  idOf(number: unknown): SourceId | undefined {
    const id = String(number);
    return this.#shared.has(id) ? notificationBotId : this.#byId.get(id)?.id;
  }

  byName(name: string): SourceId | undefined {
    return this.#byName.get(name);
  }

  #addStatus(tables: RealmTables): void {
    for (const row of tables.rows("zerver_userstatus")) {
      const person = this.#byId.get(String(row["user_profile"]));
      const text = cleanText(stringOf(row["status_text"])).trim();
      const emojiName =
        row["reaction_type"] === "unicode_emoji"
          ? codeToName.get(stringOf(row["emoji_code"]))
          : stringOf(row["emoji_name"]);
      if (person !== undefined && (text !== "" || emojiName))
        person.status = { text, ...(emojiName ? { emojiName } : {}) };
    }
  }

  #addProfiles(tables: RealmTables): void {
    const fields = new Map(tables.rows("zerver_customprofilefield").map((field) => [field["id"], field]));
    for (const row of tables.rows("zerver_customprofilefieldvalue")) {
      const person = this.#byId.get(String(row["user_profile"]));
      const field = fields.get(row["field"]);
      if (person === undefined || field === undefined) continue;
      const value = cleanText(stringOf(row["value"]));
      const people = numberOf(field["field_type"]) === typePeople ? this.#peopleIn(value) : undefined;
      const added = { field: stringOf(field["name"]), value, ...(people === undefined ? {} : { people }) };
      person.profile = [...(person.profile ?? []), added];
    }
  }

  #peopleIn(value: string): SourceId[] {
    const numbers = /^\[([\d, ]*)\]$/.exec(value)?.[1] ?? "";
    return numbers
      .split(",")
      .map((number) => this.#byId.get(number.trim())?.id)
      .filter((id) => id !== undefined);
  }
}

const roles: ReadonlySet<number> = new Set([100, 200, 300, 400, 600]);

function toPerson(row: JsonRecord, avatars: ReadonlyMap<SourceId, SourceFile>): SourcePerson {
  const id = String(row["id"]);
  const role = numberOf(row["role"]) ?? 400;
  const isBot = row["is_bot"] === true;
  const email = stringOf(row["delivery_email"]).trim();
  const timeZone = stringOf(row["timezone"]);
  const avatar = avatars.get(id);
  const owner = numberOf(row["bot_owner"]);
  return {
    id,
    kind: isBot ? "bot" : "person",
    name: personName([stringOf(row["full_name"])], `User ${id}`),
    role: (roles.has(role) ? role : 400) as SourcePerson["role"], // one of them
    isActive: row["is_active"] === true && row["is_mirror_dummy"] !== true,
    isListed: true,
    ...(isBot || !/^[^\s@]+@[^\s@]+$/.test(email) ? {} : { email }),
    ...(timeZone === "" ? {} : { timeZone }),
    ...(avatar === undefined ? {} : { avatar }),
    ...(owner === undefined ? {} : { ownerId: String(owner) }),
  };
}

export const settingsOf = (row: JsonRecord, names: readonly string[]): Record<string, string | number | boolean> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = recordOf(row)[name];
      return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [[name, value]]
        : [];
    }),
  );
