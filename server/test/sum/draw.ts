/** Random choices among an organization's objects. If there is nothing to choose from, returns something that does not exist. */
import type { GroupSettingUpdate, GroupSettingValue } from "@skein/api/group-setting.ts";
import type { TestUser } from "../realm.ts";
import type { Contents } from "./contents.ts";
import type { Random } from "./random.ts";

const words = ["amber", "Birch", "cedar", "Dune", "ember", "Fern", "grove", "Heath"] as const;
const markdown = ["plain", "*some* **marks**", "https://example.com/a", ":tada: #**amber**", ""] as const;

const nothing = { id: 0, name: "nowhere" };

export class Draw {
  readonly random: Random;
  readonly has: Contents;
  readonly actor: TestUser;
  /** Accounts without a follower, so that they may be deactivated. */
  readonly spare: Contents["people"];

  constructor(random: Random, has: Contents, actor: TestUser, followers: ReadonlySet<number>) {
    this.random = random;
    this.has = has;
    this.actor = actor;
    this.spare = has.people.filter(({ id }) => !followers.has(id));
  }

  yes = (): boolean => this.random.chance(0.5);
  /** A value, or nothing in half of the cases: for optional parameters. */
  maybe = <K extends string, V>(name: K, value: () => V): { [N in K]?: V } =>
    // A computed key alone loses its name in the type.
    (this.yes() ? { [name]: value() } : {}) as { [N in K]?: V };

  /** Few names, so that they collide. */
  word = (): string => this.random.oneOf(words);
  text = (): string => this.random.oneOf(markdown);
  name = (): string => (this.random.chance(0.3) ? this.word() : `${this.word()} ${this.random.below(1000)}`);

  person = () => this.random.oneOf(this.has.people) ?? { id: 0, email: "nobody@example.com" };
  people = (most = 3): number[] => this.random.some(this.has.people, most).map(({ id }) => id);
  bot = () => this.random.oneOf(this.has.people.filter((person) => person.is_bot)) ?? nothing;
  /** Usually one that is not archived. */
  channel = () => this.random.oneOf(this.#channels()) ?? nothing;
  channels = (most = 3) => this.random.some(this.#channels(), most);
  #channels = () =>
    this.random.chance(0.1) ? this.has.channels : this.has.channels.filter((channel) => !channel.is_archived);
  group = () => this.random.oneOf(this.has.groups) ?? nothing;
  /** Usually a custom group, since system groups cannot be changed. */
  ownGroup = () => this.random.oneOf(this.has.groups.filter((group) => !group.is_system)) ?? this.group();
  groups = (most = 2): number[] => this.random.some(this.has.groups, most).map(({ id }) => id);
  message = (): number => this.random.oneOf(this.has.messages)?.id ?? 0;
  /** Usually an existing topic. */
  topic = (): { channel: number; name: string } =>
    (this.random.chance(0.7) ? this.random.oneOf(this.has.topics) : undefined) ?? {
      channel: this.channel().id,
      name: this.random.chance(0.2) ? "" : this.word(),
    };

  /** One that the caller owns. */
  own = (things: readonly { id: number; user_id: number }[]): number =>
    this.random.oneOf(things.filter((thing) => thing.user_id === this.actor.id))?.id ?? 0;

  groupValue = (): GroupSettingValue =>
    this.random.chance(0.7) ? this.group().id : { direct_members: this.people(), direct_subgroups: this.groups() };
  groupChange = (): GroupSettingUpdate => ({ new: this.groupValue() });
}
