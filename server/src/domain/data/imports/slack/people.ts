/** The people and bots of a Slack export. */
import { type JsonRecord, numberOf, recordOf, stringOf } from "../archive/json.ts";
import { personName } from "../names/stored-name.ts";
import type { SourceFile, SourceId, SourcePerson } from "../source.ts";
import { ourEmojiName } from "../text/emoji.ts";
import { cleanText } from "../text/marks.ts";

const slackbot = "USLACKBOT";

/** Knows everybody in the list, and who is found later, in messages. */
export class SlackPeople {
  readonly #byId = new Map<string, SourcePerson>();
  readonly #byEmail = new Map<string, SourcePerson>();
  readonly #byBotId = new Map<string, SourcePerson>();
  readonly #avatars: ReadonlyMap<string, SourceFile>;
  readonly #now: number;

  constructor(avatars: ReadonlyMap<string, SourceFile>, now: number) {
    this.#avatars = avatars;
    this.#now = now;
  }

  /** Everybody in the list, each once. */
  get listed(): Iterable<SourcePerson> {
    return new Set(this.#byId.values());
  }

  find(id: string): SourcePerson | undefined {
    return this.#byId.get(id);
  }

  findBot(botId: string): SourcePerson | undefined {
    return this.#byBotId.get(botId);
  }

  addListed(user: JsonRecord): void {
    const id = stringOf(user["id"]);
    if (id === "" || this.#byId.has(id)) return;
    const person = this.#toPerson(id, user);
    const same = person.email === undefined ? undefined : this.#byEmail.get(person.email.toLowerCase());
    const kept = same === undefined ? person : merge(same, person);
    this.#byId.set(id, kept);
    if (person.email !== undefined) this.#byEmail.set(person.email.toLowerCase(), kept);
    const botId = stringOf(recordOf(user["profile"])["bot_id"]);
    if (botId !== "") this.#byBotId.set(botId, kept);
  }

  #toPerson(id: string, user: JsonRecord): SourcePerson {
    const profile = recordOf(user["profile"]);
    const isBot = user["is_bot"] === true || id === slackbot;
    const email = cleanText(stringOf(profile["email"])).trim();
    const avatar = this.#avatars.get(id);
    const status = this.#status(profile);
    const fields = profileFields(profile);
    return {
      id,
      kind: isBot ? "bot" : "person",
      name: personName(
        [profile["real_name"], user["real_name"], profile["display_name"], user["name"]].map(stringOf),
        id,
      ),
      role: roleOf(user),
      isActive: user["deleted"] !== true,
      isListed: true,
      ...(isBot || !isAddress(email) ? {} : { email }),
      ...(typeof user["tz"] === "string" && user["tz"] !== "" ? { timeZone: user["tz"] } : {}),
      ...(avatar === undefined ? {} : { avatar }),
      ...(status === undefined ? {} : { status }),
      ...(fields.length === 0 ? {} : { profile: fields }),
    };
  }

  #status(profile: JsonRecord): SourcePerson["status"] {
    const text = cleanText(stringOf(profile["status_text"])).trim();
    const emojiName = ourEmojiName(stringOf(profile["status_emoji"]).replaceAll(/^:|:$/g, ""));
    const expiration = numberOf(profile["status_expiration"]) ?? 0;
    if ((text === "" && emojiName === undefined) || (expiration !== 0 && expiration <= this.#now)) return undefined;
    return { text, ...(emojiName === undefined ? {} : { emojiName }) };
  }
}

const isAddress = (email: string): boolean => /^[^\s@]+@[^\s@]+$/.test(email);

function roleOf(user: JsonRecord): SourcePerson["role"] {
  if (user["is_primary_owner"] === true || user["is_owner"] === true) return 100;
  if (user["is_admin"] === true) return 200;
  return user["is_restricted"] === true || user["is_ultra_restricted"] === true ? 600 : 400;
}

function profileFields(profile: JsonRecord): { field: string; value: string }[] {
  const fields = [
    { field: "Title", value: profile["title"] },
    { field: "Phone", value: profile["phone"] },
  ];
  return fields
    .map(({ field, value }) => ({ field, value: cleanText(stringOf(value)).trim() }))
    .filter(({ value }) => value !== "");
}

/** An active account counts more than one that is not. The first keeps its id. */
function merge(first: SourcePerson, second: SourcePerson): SourcePerson {
  const [kept, other] = first.isActive || !second.isActive ? [first, second] : [second, first];
  const role = kept.isActive === other.isActive && other.role < kept.role ? other.role : kept.role;
  return Object.assign(first, { ...other, ...kept, role, id: first.id });
}

/** Somebody of another workspace, or nobody knows who. */
export function unknownPerson(id: SourceId, profile: JsonRecord): SourcePerson {
  const names = [profile["real_name"], profile["display_name"], profile["name"]].map(stringOf);
  const isBot = id === slackbot;
  return {
    id,
    kind: isBot ? "bot" : "person",
    name: isBot ? "Slackbot" : personName(names, `Unknown Slack user ${id}`),
    role: 400,
    isActive: isBot,
    isListed: false,
  };
}

export const unknownBot = (id: SourceId, name: string): SourcePerson => ({
  id,
  kind: "bot",
  name: personName([name], `Deleted Slack bot ${id}`),
  role: 400,
  isActive: false,
  isListed: false,
});
