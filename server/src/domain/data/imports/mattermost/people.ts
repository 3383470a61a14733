/** The people and bots of a Mattermost export. */
import type { Archive } from "../archive/archive.ts";
import { isRecord, type JsonRecord, numberOf, recordOf, stringOf } from "../archive/json.ts";
import { fileName, personName } from "../names/stored-name.ts";
import type { SourceFile, SourceId, SourcePerson } from "../source.ts";
import { ourEmojiName } from "../text/emoji.ts";
import { cleanText } from "../text/marks.ts";

export class MattermostPeople {
  readonly #byName = new Map<string, SourcePerson>();
  readonly #byEmail = new Map<string, SourcePerson>();
  readonly #archive: Archive;
  readonly #filesRoot: string;
  /** Whose pictures the export names, but does not contain. */
  readonly withoutPicture: SourceId[] = [];

  constructor(archive: Archive, filesRoot: string) {
    this.#archive = archive;
    this.#filesRoot = filesRoot;
  }

  get listed(): Iterable<SourcePerson> {
    return new Set(this.#byName.values());
  }

  find(username: string): SourcePerson | undefined {
    return this.#byName.get(username.toLowerCase());
  }

  addUser(user: JsonRecord): void {
    const id = stringOf(user["username"]).toLowerCase();
    if (id === "" || this.#byName.has(id)) return;
    const email = cleanText(stringOf(user["email"])).trim();
    const roles = stringOf(user["roles"]).split(" ");
    const status = statusOf(user["custom_status"]);
    const position = cleanText(stringOf(user["position"])).trim();
    const full = `${stringOf(user["first_name"])} ${stringOf(user["last_name"])}`;
    const person: SourcePerson = {
      id,
      kind: "person",
      name: personName([full, stringOf(user["nickname"]), stringOf(user["username"])], id),
      role: roles.includes("system_admin") ? 100 : roles.includes("system_guest") ? 600 : 400,
      isActive: (numberOf(user["delete_at"]) ?? 0) === 0,
      isListed: true,
      ...(/^[^\s@]+@[^\s@]+$/.test(email) ? { email } : {}),
      ...this.#avatarOf(id, user),
      ...(status === undefined ? {} : { status }),
      ...(position === "" ? {} : { profile: [{ field: "Position", value: position }] }),
    };
    const key = email.toLowerCase();
    const same = person.email === undefined ? undefined : this.#byEmail.get(key);
    this.#byName.set(id, same ?? person);
    if (person.email !== undefined && same === undefined) this.#byEmail.set(key, person);
  }

  addBot(bot: JsonRecord): void {
    const id = stringOf(bot["username"]).toLowerCase();
    if (id === "" || this.#byName.has(id)) return;
    const ownerId = this.find(stringOf(bot["owner"]))?.id;
    this.#byName.set(id, {
      id,
      kind: "bot",
      name: personName([stringOf(bot["display_name"]), stringOf(bot["username"])], id),
      role: 400,
      isActive: (numberOf(bot["delete_at"]) ?? 0) === 0,
      isListed: true,
      ...(ownerId === undefined ? {} : { ownerId }),
      ...this.#avatarOf(id, bot),
    });
  }

  #avatarOf(id: SourceId, given: JsonRecord): { avatar?: SourceFile } {
    const path = stringOf(given["profile_image"]);
    if (path === "") return {};
    const entry = this.#filesRoot + path;
    const file = this.#archive.files.get(entry);
    if (file === undefined) {
      this.withoutPicture.push(id);
      return {};
    }
    return { avatar: { entry, name: fileName([path], "avatar"), size: file.size } };
  }
}

/** Written as JSON in a text by some versions. */
function statusOf(given: unknown): SourcePerson["status"] {
  const status = typeof given === "string" ? parseRecord(given) : recordOf(given);
  const text = cleanText(stringOf(status["text"])).trim();
  const emojiName = ourEmojiName(stringOf(status["emoji"]));
  const expires = Date.parse(stringOf(status["expires_at"]));
  const isOver = expires > 0 && expires <= Date.now(); // the year 1 means never
  if ((text === "" && emojiName === undefined) || isOver) return undefined;
  return { text, ...(emojiName === undefined ? {} : { emojiName }) };
}

function parseRecord(text: string): JsonRecord {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Somebody who wrote, but is not in the list. */
export const unknownPerson = (username: string): SourcePerson => ({
  id: username.toLowerCase(),
  kind: "person",
  name: personName([username], `Unknown Mattermost user ${username}`),
  role: 400,
  isActive: false,
  isListed: false,
});
