/** Every way to messages, and what the plain rule says must come by it. */
import { isDeepStrictEqual } from "node:util";
import { newestAnchor } from "@skein/api/fetch-messages.ts";
import type { Narrow } from "@skein/api/narrow.ts";
import { sql } from "kysely";
import { accessReadableChannel } from "../../src/domain/channels/access.ts";
import { listSnapshots } from "../../src/domain/edits/snapshots.ts";
import { unreadMessages } from "../../src/domain/flags/state.ts";
import { fetchMessage } from "../../src/domain/messages/fetch.ts";
import { fetchListed, fetchRange, findRange } from "../../src/domain/messages/fetch-page.ts";
import { judgeMessages } from "../../src/domain/notifications/judged-messages.ts";
import { listReaders } from "../../src/domain/read-receipts/queries.ts";
import { listTopics } from "../../src/domain/topics/queries.ts";
import { accessUpload } from "../../src/domain/uploads/access.ts";
import { listAttachments } from "../../src/domain/uploads/queries.ts";
import { ApiError } from "../../src/errors.ts";
import type { User } from "../../src/http/sessions.ts";
import { Random } from "../sum/random.ts";
import type { Difference } from "./difference.ts";
import { word, type Organization } from "./organization.ts";
import { topics } from "./plan.ts";
import { canFetch, canRead, isInChannel, isKnownTo, isOpenTo, wasSent, type Message, type Person } from "./rule.ts";

const form = { apply_markdown: false, client_gravatar: true, empty_topic_name: true };
const newest = { anchor: newestAnchor, before: 1000, after: 0, isAnchorIn: false };
const chanceOfLooking = 0.15;
const chanceOfCounting = 0.25;
const narrowsTried = 1;
const chanceOfFetching = 0.3;

/** What everybody can reach, beside what they should. */
export async function compare(organization: Organization, looks: number): Promise<Difference[]> {
  const random = new Random(looks);
  const differences: Difference[] = [];
  for (const person of organization.people) {
    const user = await organization.account(person);
    if (person.isOpen !== (user !== undefined))
      differences.push({ way: "account", person: person.id, came: !person.isOpen, expected: person.isOpen });
    if (user) differences.push(...(await new Reader(organization, person, user, random).compare()));
  }
  return differences;
}

/** Undefined when it is refused. */
async function unlessRefused<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const idsOf = (messages: readonly { id: number }[]): number[] => messages.map(({ id }) => id);

class Reader {
  readonly #organization: Organization;
  readonly #person: Person;
  readonly #user: User;
  readonly #random: Random;
  /** What they may read, and what of it was sent to them. */
  readonly #readable: Message[];
  readonly #own: Message[];
  readonly #differences: Difference[] = [];

  constructor(organization: Organization, person: Person, user: User, random: Random) {
    this.#organization = organization;
    this.#person = person;
    this.#user = user;
    this.#random = random;
    this.#readable = organization.messages.filter((message) => canRead(person, message));
    this.#own = this.#readable.filter((message) => wasSent(person, message));
  }

  async compare(): Promise<Difference[]> {
    await this.#byId();
    const narrows = this.#random.shuffled(this.#narrows()).slice(0, narrowsTried);
    for (const [narrow, expected] of narrows)
      this.#hold(`narrow ${JSON.stringify(narrow)}`, await this.#found(narrow), expected && idsOf(expected));
    for (const message of this.#organization.messages)
      if (this.#random.chance(chanceOfLooking)) await this.#alone(message);
    if (this.#random.chance(chanceOfCounting)) await this.#topics();
    if (this.#random.chance(chanceOfCounting)) await this.#unread();
    if (this.#random.chance(chanceOfCounting)) await this.#notifications();
    await this.#files();
    return this.#differences;
  }

  #hold(way: string, came: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(came, expected)) this.#differences.push({ way, person: this.#person.id, came, expected });
  }

  async #byId(): Promise<void> {
    const { ctx, messages } = this.#organization;
    const listed = await fetchListed(ctx, this.#user, [], idsOf(messages), form);
    this.#hold("by id", idsOf(listed), idsOf(this.#readable));
    const sent = listed.filter(({ flags }) => !flags.includes("historical"));
    this.#hold("not historical", idsOf(sent), idsOf(this.#own));
  }

  async #found(narrow: Narrow): Promise<number[] | undefined> {
    const { ctx } = this.#organization;
    // What finds messages to flag them finds them the same way, and does not gather what is in them.
    if (!this.#random.chance(chanceOfFetching))
      return (await unlessRefused(findRange(ctx, this.#user, narrow, newest)))?.ids;
    const page = await unlessRefused(fetchRange(ctx, this.#user, narrow, newest, form));
    return page && idsOf(page.messages);
  }

  /** With what should be found; undefined where the narrow is to be refused. */
  #narrows(): [Narrow, Message[] | undefined][] {
    const { people, places, messages, starred } = this.#organization;
    const [readable, own] = [this.#readable, this.#own];
    const among = <T>(list: readonly T[]): T | undefined => this.#random.oneOf(list);
    const [place, sender, message, topic] = [among(places), among(people), among(messages), among(topics) ?? ""];
    const isKnown = place && isKnownTo(this.#person, place);
    const inPlace = readable.filter((one) => one.place === place);
    const inKinds = (...kinds: string[]) =>
      readable.filter((one) => isInChannel(one) && kinds.includes(one.place.kind));
    const channel: [string, string] = ["channel", place?.name ?? ""];
    const narrows: [Narrow, Message[] | undefined][] = [
      [[], own],
      [[["search", word]], own.filter(({ hasWord }) => hasWord)],
      [[["channels", "public"]], inKinds("public", "web-public")],
      [[["channels", "web-public"]], inKinds("web-public")],
      [[channel], isKnown ? inPlace : undefined],
      [[channel, ["search", word]], isKnown ? inPlace.filter(({ hasWord }) => hasWord) : undefined],
      [[channel, ["topic", topic]], isKnown ? inPlace.filter((one) => one.topic === topic) : undefined],
      [[["topic", topic]], own.filter((one) => isInChannel(one) && one.topic === topic)],
      [[{ operator: "sender", operand: sender?.id ?? 0 }], own.filter((one) => one.senderId === sender?.id)],
      [[["is", "dm"]], own.filter((one) => !isInChannel(one))],
      [[["is", "starred"]], readable.filter((one) => starred.get(this.#person)?.has(one))],
    ];
    if (!message) return narrows;
    const around = readable.filter((one) => isTogether(one, message));
    return [
      ...narrows,
      [[{ operator: "id", operand: message.id }], own.filter((one) => one === message)],
      [[{ operator: "with", operand: message.id }], readable.includes(message) ? around : undefined],
    ];
  }

  async #alone(message: Message): Promise<void> {
    const { ctx } = this.#organization;
    const { id } = message;
    const isReadable = this.#readable.includes(message);
    const fetched = await unlessRefused(fetchMessage(ctx, this.#user, id, form));
    this.#hold("message", fetched?.message.id, isReadable ? id : undefined);
    const history = await unlessRefused(listSnapshots(ctx.db, this.#user, id, form));
    this.#hold("history", history !== undefined, isReadable);
    const readers = await unlessRefused(listReaders(ctx.db, this.#user, id));
    this.#hold("read receipts", readers !== undefined, isReadable);
  }

  async #topics(): Promise<void> {
    const { ctx, places } = this.#organization;
    const place = this.#random.oneOf(places);
    if (!place) return;
    const channel = await unlessRefused(accessReadableChannel(ctx.db, this.#user, { id: place.id }));
    const came = channel && (await listTopics(ctx.db, this.#user, channel));
    const inPlace = this.#readable.filter((message) => message.place === place);
    const newestOf = Map.groupBy(inPlace.toReversed(), ({ topic }) => topic);
    const expected = [...newestOf].map(([name, [first]]) => ({ name, max_id: first?.id }));
    this.#hold(`topics of ${place.id}`, came, isOpenTo(this.#person, place) ? expected : undefined);
  }

  async #files(): Promise<void> {
    const { ctx, realm, files, messages } = this.#organization;
    for (const file of files) {
      const came = await unlessRefused(accessUpload(ctx.db, this.#user, file.path));
      this.#hold(`file ${file.path}`, came !== undefined, canFetch(this.#person, file, messages));
    }
    const own = files.filter(({ owner }) => owner === this.#person);
    if (own.length === 0) return;
    const listed = await listAttachments(ctx.db, realm.id, sql`a.owner_id = ${this.#user.id}`);
    const expected = own.map((file) => idsOf(this.#readable.filter((message) => message.files.has(file))));
    this.#hold(
      "own files",
      listed.map(({ object }) => idsOf(object.messages)),
      expected,
    );
  }

  async #unread(): Promise<void> {
    const { streams, pms, huddles } = await unreadMessages(this.#organization.ctx.db, this.#user, form);
    const unread = [...streams, ...pms, ...huddles].flatMap(({ unread_message_ids }) => unread_message_ids);
    this.#hold("unread, though not to be read", this.#notOwn(unread), []);
  }

  /** They have those of channels switched on, so what is unread is to be told. */
  async #notifications(): Promise<void> {
    const { ctx, messages } = this.#organization;
    const judged = await judgeMessages(ctx.db, this.#user.id, idsOf(messages));
    const told = judged.filter(({ due }) => due.web);
    this.#hold("notified of, though not to be read", this.#notOwn(idsOf(told)), []);
  }

  #notOwn = (ids: number[]): number[] => ids.filter((id) => !this.#own.some((message) => message.id === id));
}

/** In the same topic, or written to the same people. */
function isTogether(one: Message, other: Message): boolean {
  const [here, there] = [one.place, other.place];
  if (!Array.isArray(here) || !Array.isArray(there)) return here === there && one.topic === other.topic;
  return here.length === there.length && here.every((party) => there.includes(party));
}
