/** Every way to reach messages, compared with the rule. */
import { isDeepStrictEqual } from "node:util";
import { newestAnchor } from "@skein/api/fetch-messages.ts";
import type { Narrow } from "@skein/api/narrow.ts";
import { sql } from "kysely";
import { accessReadableChannel } from "../../src/domain/channels/access.ts";
import { listSnapshots } from "../../src/domain/messages/edits/snapshots.ts";
import { unreadMessages } from "../../src/domain/messages/flags/state.ts";
import { fetchMessage } from "../../src/domain/messages/fetch/fetch.ts";
import { fetchListed, fetchRange, findRange } from "../../src/domain/messages/fetch/fetch-page.ts";
import { judgeMessages } from "../../src/domain/notifications/judged-messages.ts";
import { listReaders } from "../../src/domain/messages/read-receipts/queries.ts";
import { listTopics } from "../../src/domain/channels/topics/queries.ts";
import { accessUpload } from "../../src/domain/messages/uploads/access.ts";
import { listAttachments } from "../../src/domain/messages/uploads/queries.ts";
import { accessUserById } from "../../src/domain/people/users/access.ts";
import { unknownUserName } from "../../src/domain/people/users/queries.ts";
import { ApiError } from "../../src/errors.ts";
import type { User } from "../../src/identity/account.ts";
import { Random } from "../sum/random.ts";
import type { Difference } from "./difference.ts";
import { word, type Organization } from "./organization.ts";
import { topics } from "./plan.ts";
import {
  canFetch,
  canRead,
  canSee,
  isInChannel,
  isKnownTo,
  isOpenTo,
  wasSent,
  type Message,
  type Person,
} from "./rule.ts";

const form = { apply_markdown: false, client_gravatar: true, empty_topic_name: true };
const newest = { anchor: newestAnchor, before: 1000, after: 0, isAnchorIn: false };
const lookProbability = 0.15;
const countProbability = 0.25;
const narrowsTried = 1;
const fetchProbability = 0.3;

/** Compares what every user can reach with what the rule allows. */
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

/** Undefined if the request is rejected. */
async function unlessRefused<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const spelling = ({ spellings }: Message): string => spellings.at(-1) ?? "";

/** Without repetitions. */
const changesOf = (names: string[]): string[] => names.filter((name, n) => name !== names[n - 1]);

const idsOf = (messages: readonly { id: number }[]): number[] => messages.map(({ id }) => id);

class Reader {
  readonly #organization: Organization;
  readonly #person: Person;
  readonly #user: User;
  readonly #random: Random;
  /** Messages they may read, and those of them that they received. */
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
    await this.#people();
    const narrows = this.#random.shuffled(this.#narrows()).slice(0, narrowsTried);
    for (const [narrow, expected] of narrows)
      this.#hold(`narrow ${JSON.stringify(narrow)}`, await this.#found(narrow), expected && idsOf(expected));
    for (const message of this.#organization.messages)
      if (this.#random.chance(lookProbability)) await this.#alone(message);
    if (this.#random.chance(countProbability)) await this.#topics();
    if (this.#random.chance(countProbability)) await this.#unread();
    if (this.#random.chance(countProbability)) await this.#notifications();
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
    const names = listed.map(({ subject }) => subject);
    this.#hold("topics by id", names, this.#readable.map(spelling));
    const sent = listed.filter(({ flags }) => !flags.includes("historical"));
    this.#hold("not historical", idsOf(sent), idsOf(this.#own));
    const strangers = listed.filter(({ sender_full_name }) => sender_full_name === unknownUserName);
    this.#hold("senders who are not shown", idsOf(strangers), idsOf(this.#readable.filter(this.#isOfUnseen)));
  }

  #sees = (id: number): boolean => {
    const other = this.#organization.people.find((person) => person.id === id);
    return other === undefined || canSee(this.#person, other, this.#organization); // a bot of the server
  };

  #isOfUnseen = ({ senderId }: Message): boolean => !this.#sees(senderId);

  async #people(): Promise<void> {
    const { ctx, people } = this.#organization;
    const other = this.#random.oneOf(people);
    if (!other) return;
    const came = await unlessRefused(accessUserById(ctx.db, this.#user, other.id));
    this.#hold(`person ${other.id}`, came?.id, this.#sees(other.id) ? other.id : undefined);
  }

  async #found(narrow: Narrow): Promise<number[] | undefined> {
    const { ctx } = this.#organization;
    // Flagging by narrow uses the same search, without loading the messages.
    if (!this.#random.chance(fetchProbability))
      return (await unlessRefused(findRange(ctx, this.#user, narrow, newest)))?.ids;
    const page = await unlessRefused(fetchRange(ctx, this.#user, narrow, newest, form));
    return page && idsOf(page.messages);
  }

  /** Narrows with their expected results; undefined if the narrow must be rejected. */
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
      [
        [{ operator: "sender", operand: sender?.id ?? 0 }],
        sender && this.#sees(sender.id) ? own.filter((one) => one.senderId === sender.id) : undefined,
      ],
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
    this.#hold("topic", fetched?.message.subject, isReadable ? spelling(message) : undefined);
    const history = await unlessRefused(listSnapshots(ctx.db, this.#user, id, form));
    this.#hold("history", history !== undefined, isReadable);
    if (history)
      this.#hold("earlier topics", changesOf(history.map(({ topic }) => topic)), changesOf(message.spellings));
    const readers = await unlessRefused(listReaders(ctx.db, this.#user, id));
    this.#hold("read receipts", readers !== undefined, isReadable);
    this.#hold("readers, though unseen", readers?.filter((reader) => !this.#sees(reader)) ?? [], []);
  }

  async #topics(): Promise<void> {
    const { ctx, places } = this.#organization;
    const place = this.#random.oneOf(places);
    if (!place) return;
    const channel = await unlessRefused(accessReadableChannel(ctx.db, this.#user, { id: place.id }));
    const came = channel && (await listTopics(ctx.db, this.#user, channel));
    const inPlace = this.#readable.filter((message) => message.place === place);
    const newestOf = Map.groupBy(inPlace.toReversed(), ({ topic }) => topic);
    // Where history is shared, the topic's own name counts.
    const isShared = place.kind !== "protected";
    const expected = [...newestOf].map(([topic, [first]]) => ({
      name: isShared || !first ? topic : spelling(first),
      max_id: first?.id,
    }));
    const listed = came?.map(({ name, max_id }) => ({ name: isShared ? name.toLowerCase() : name, max_id }));
    this.#hold(`topics of ${place.id}`, listed, isOpenTo(this.#person, place) ? expected : undefined);
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
    for (const { topic, unread_message_ids } of streams) {
      const last = this.#readable.find(({ id }) => id === unread_message_ids.at(-1));
      if (last && isInChannel(last) && last.place.kind === "protected")
        this.#hold("unread topic", topic, spelling(last));
    }
  }

  /** Channel notifications are on, so all unread messages must be notified. */
  async #notifications(): Promise<void> {
    const { ctx, messages } = this.#organization;
    const judged = await judgeMessages(ctx.db, this.#user.id, idsOf(messages));
    const told = judged.filter(({ due }) => due.web);
    this.#hold("notified of, though not to be read", this.#notOwn(idsOf(told)), []);
    for (const { id, topic } of told) {
      const message = this.#own.find((own) => own.id === id);
      if (message) this.#hold("topic in a notification", topic, spelling(message));
    }
  }

  #notOwn = (ids: number[]): number[] => ids.filter((id) => !this.#own.some((message) => message.id === id));
}

/** In the same topic or direct conversation. */
function isTogether(one: Message, other: Message): boolean {
  const [here, there] = [one.place, other.place];
  if (!Array.isArray(here) || !Array.isArray(there)) return here === there && one.topic === other.topic;
  return here.length === there.length && here.every((party) => there.includes(party));
}
