/**
 * Performs a step on the server and in the model. A rejected step changes nothing; it is a difference if the server accepts a
 * step that it should reject, or the other way round.
 */
import { sql } from "kysely";
import { updateChannel, type ChannelChange } from "../../src/domain/administration/channels/update.ts";
import { lockChannelsForSubscriptionChange } from "../../src/domain/channels/lock.ts";
import { spelledTopic } from "../../src/domain/channels/topics/spelling.ts";
import { deleteMessage } from "../../src/domain/messages/deletion/delete-message.ts";
import { deleteTopic } from "../../src/domain/messages/deletion/delete-topic.ts";
import { updateMessage } from "../../src/domain/messages/edits/update.ts";
import { updateFlags } from "../../src/domain/messages/flags/actions.ts";
import { sendMessage } from "../../src/domain/messages/send/send.ts";
import { addSubscribers } from "../../src/domain/administration/subscriptions/add-subscribers.ts";
import { removeSubscribers } from "../../src/domain/administration/subscriptions/remove-subscribers.ts";
import { updateMembership } from "../../src/domain/administration/user-groups/members.ts";
import { deactivateUserAs, reactivateUserAs } from "../../src/domain/administration/users/activation.ts";
import { updateUser } from "../../src/domain/administration/users/update.ts";
import { ApiError } from "../../src/errors.ts";
import type { User } from "../../src/identity/account.ts";
import { transaction, type Tx } from "../../src/platform/db/transaction.ts";
import type { Difference } from "./difference.ts";
import { among, comeOrGo, maybeAmong, moveTo, word, type Organization } from "./organization.ts";
import { topics, type Kind, type Step } from "./plan.ts";
import {
  canFetch,
  canRead,
  isInChannel,
  isOpenTo,
  isSubscribed,
  type Message,
  type Person,
  type Place,
} from "./rule.ts";

const request = {
  clientName: "test",
  ip: "127.0.0.1",
  id: "test",
  origin: "",
  host: "",
  unsupported: [],
  files: [],
  onClose: () => undefined,
};

/** A step: who acts, whether they may, and its effect on the model. */
interface Attempt {
  actor: Person;
  act: (user: User) => Promise<unknown>;
  /** Undefined if the result also depends on other rules. */
  isAllowed?: boolean;
  /** Must be rejected, whatever other rules apply. */
  isForbidden?: boolean;
  /** It writes the name of a topic. */
  respells?: boolean;
  /** The server sends notices about it. */
  causesNotices?: boolean;
  apply: (at: number) => void;
}

export async function take(organization: Organization, step: Step): Promise<Difference[]> {
  const attempt = attemptOf(organization, step);
  const user = attempt && (await organization.account(attempt.actor));
  if (!attempt || !user) return [];
  const at = await nextId(organization);
  const isDone = await isAccepted(attempt.act(user));
  if (isDone) attempt.apply(at);
  if (isDone && attempt.respells) await learnSpellings(organization);
  if (attempt.causesNotices) await learnOfMessages(organization, at);
  const isWrong = isDone ? attempt.isForbidden || attempt.isAllowed === false : attempt.isAllowed === true;
  return isWrong ? [{ way: step.kind, person: user.id, came: isDone, expected: !isDone, step }] : [];
}

async function isAccepted(acting: Promise<unknown>): Promise<boolean> {
  try {
    await acting;
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function attemptOf(organization: Organization, step: Step): Attempt | undefined {
  const { ctx, people, places, messages } = organization;
  const [owner, ...others] = people;
  if (!owner) throw new Error("there is an owner");
  const within = (change: (tx: Tx, user: User) => Promise<unknown>) => (user: User) =>
    transaction(ctx.db, "take a step", (tx) => change(tx, user));
  const changeChannel = (place: Place, change: Partial<ChannelChange>) =>
    within((tx, user) => updateChannel(tx, ctx, user, place.id, { privacy: {}, permissions: {}, ...change }));

  switch (step.kind) {
    case "come or go": {
      const [person, place] = [among(people, step.person), among(places, step.channel)];
      if (place.isArchived) return undefined;
      const act = within((tx) => turnSubscription(tx, organization, person, place));
      return { actor: owner, act, isAllowed: true, apply: (at) => comeOrGo(person, place, at) };
    }
    case "send":
      return attemptToSend(organization, step);
    case "edit": {
      const message = maybeAmong(messages, step.message);
      const sender = people.find(({ id }) => id === message?.senderId);
      if (!message || !sender) return undefined;
      return {
        actor: sender,
        act: (user) => updateMessage(ctx, user, { ...asEdit(message), content: `${word} again` }, request),
        isForbidden: !canRead(sender, message),
        apply: () => message.files.clear(),
      };
    }
    case "move":
      return attemptToMove(organization, step);
    case "delete": {
      const [person, message] = [among(people, step.person), maybeAmong(messages, step.message)];
      if (!message) return undefined;
      return {
        actor: person,
        act: within((tx, user) => deleteMessage(tx, user, message.id)),
        isForbidden: !isChangeableBy(person, message),
        apply: () => forget(organization, [message]),
      };
    }
    case "delete topic": {
      const [person, place, topic] = [
        among(people, step.person),
        among(places, step.channel),
        among(topics, step.topic),
      ];
      const gone = messages.filter(
        (message) => message.place === place && message.topic === topic && canRead(person, message),
      );
      return {
        actor: person,
        act: (user) => deleteTopic(ctx, { user, request }, place.id, topic),
        isForbidden: person.role > 200 || place.isArchived || !isOpenTo(person, place),
        apply: () => forget(organization, gone),
      };
    }
    case "star": {
      const [person, message] = [among(people, step.person), maybeAmong(messages, step.message)];
      if (!message) return undefined;
      return {
        actor: person,
        act: (user) => updateFlags(ctx, user, { op: "add", flag: "starred" }, [message.id]),
        isAllowed: canRead(person, message),
        apply: () => {
          organization.starred.set(person, (organization.starred.get(person) ?? new Set()).add(message));
        },
      };
    }
    case "role": {
      const person = among(others, step.person);
      const act = within((tx, user) => updateUser(tx, user, person.id, { role: step.role }));
      return { actor: owner, act, apply: () => void (person.role = step.role) };
    }
    case "close or open account": {
      const person = among(others, step.person);
      const act = within((tx, user) =>
        person.isOpen ? deactivateUserAs(tx, user, person.id) : reactivateUserAs(tx, ctx.secretBox, user, person.id),
      );
      return { actor: owner, act, isAllowed: true, apply: () => void (person.isOpen = !person.isOpen) };
    }
    case "group": {
      const [person, place] = [among(people, step.person), among(places, step.channel)];
      const isIn = place.holders.has(person);
      return {
        actor: owner,
        act: within((tx, user) => turnMembership(tx, user, place, { [isIn ? "delete" : "add"]: [person.id] })),
        isAllowed: person.isOpen,
        apply: () => void (isIn ? place.holders.delete(person) : place.holders.add(person)),
      };
    }
    case "privacy": {
      const place = among(places, step.channel);
      return {
        actor: owner,
        act: changeChannel(place, { privacy: privacyOf(step.privacy) }),
        isForbidden: !isOpenTo(owner, place),
        causesNotices: true,
        apply: () => void (place.kind = step.privacy),
      };
    }
    case "archive or reopen": {
      const place = among(places, step.channel);
      const is_archived = !place.isArchived;
      return {
        actor: owner,
        act: changeChannel(place, { is_archived }),
        causesNotices: true,
        apply: () => void (place.isArchived = is_archived),
      };
    }
  }
}

const isChangeableBy = (person: Person, message: Message): boolean =>
  canRead(person, message) && !(isInChannel(message) && message.place.isArchived);

/** Common parameters of all calls that change a message. */
const asEdit = ({ id }: Message) =>
  ({
    message_id: id,
    propagate_mode: "change_one",
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: false,
  }) as const;

function attemptToSend(organization: Organization, step: Extract<Step, { kind: "send" }>): Attempt {
  const { ctx, people, places, files, messages } = organization;
  const [person, place, topic] = [among(people, step.person), among(places, step.channel), among(topics, step.topic)];
  const written = spellingOf(organization, person, topic);
  const file = maybeAmong(files, step.file);
  const isCarried = file && canFetch(person, file, messages);
  const content = file ? `${word} [it](/user_uploads/${file.path})` : word;
  let id = 0;
  return {
    actor: person,
    act: async (user) => {
      const params = { type: "channel", to: place.id, topic: written, content, read_by_sender: true } as const;
      ({ id } = await sendMessage(ctx, user, params, request));
    },
    isAllowed:
      !place.isArchived && isOpenTo(person, place) && (place.kind !== "protected" || isSubscribed(person, place)),
    respells: true,
    apply: () =>
      void organization.messages.push({
        id,
        senderId: person.id,
        place,
        topic,
        spellings: [spelledIn(place, written)],
        origin: undefined,
        entered: id,
        hasWord: true,
        files: new Set(isCarried ? [file] : []),
      }),
  };
}

function attemptToMove(organization: Organization, step: Extract<Step, { kind: "move" }>): Attempt | undefined {
  const { ctx, people, places } = organization;
  const inChannels = organization.messages.filter(isInChannel);
  const [person, place, topic] = [among(people, step.person), among(places, step.channel), among(topics, step.topic)];
  const named = maybeAmong(inChannels, step.message);
  if (!named) return undefined;
  const isMeant = {
    change_one: (message: Message) => message === named,
    change_later: (message: Message) => message.id >= named.id,
    change_all: () => true,
  }[step.mode];
  const moved = inChannels.filter(
    (message) =>
      message.place === named.place && message.topic === named.topic && isMeant(message) && canRead(person, message),
  );
  const written = spellingOf(organization, person, topic);
  const isKept = written === named.spellings.at(-1);
  const params = { ...asEdit(named), propagate_mode: step.mode, stream_id: place.id, topic: written };
  return {
    actor: person,
    act: (user) => updateMessage(ctx, user, params, request),
    isForbidden: !isChangeableBy(person, named) || !isOpenTo(person, place) || place.isArchived,
    respells: true,
    apply: (at) => {
      for (const message of moved) {
        moveTo(message, place, at);
        message.topic = topic;
        // A name that is the same for the message the mover chose is not a new name for the others.
        if (!isKept || place.kind !== "protected") message.spellings.push(spelledIn(place, written));
      }
    },
  };
}

async function turnSubscription(tx: Tx, { realm }: Organization, person: Person, place: Place): Promise<void> {
  const boundary = await lockChannelsForSubscriptionChange(tx, [place.id]);
  const channel = await tx.selectFrom("channels").selectAll().where("id", "=", place.id).executeTakeFirstOrThrow();
  const change = isSubscribed(person, place) ? removeSubscribers : addSubscribers;
  await change(tx, realm.id, boundary, [channel], [person.id]);
}

async function turnMembership(
  tx: Tx,
  user: User,
  place: Place,
  change: { add?: number[]; delete?: number[] },
): Promise<void> {
  const { id } = await tx
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", user.realm_id)
    .where("name", "=", `holders of ${place.name}`)
    .executeTakeFirstOrThrow();
  const nobody = { add: [], delete: [], add_subgroups: [], delete_subgroups: [] };
  await updateMembership(tx, user, id, { ...nobody, ...change });
}

const privacyOf = (kind: Kind) => ({
  is_private: kind === "private" || kind === "protected",
  is_web_public: kind === "web-public",
  history_public_to_subscribers: kind !== "protected",
});

function forget(organization: Organization, gone: Message[]): void {
  organization.messages = organization.messages.filter((message) => !gone.includes(message));
  for (const stars of organization.starred.values()) for (const message of gone) stars.delete(message);
}

async function nextId({ ctx }: Organization): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval('messages_id_seq') as id`.execute(ctx.db);
  return rows[0]?.id ?? 0;
}

/** Everyone writes a topic's name in a way of their own. */
function spellingOf({ people }: Organization, person: Person, topic: string): string {
  const at = people.indexOf(person) % topic.length;
  return topic.slice(0, at) + topic.slice(at).charAt(0).toUpperCase() + topic.slice(at + 1);
}

/** Where history is shared, a topic has one spelling: whose it is depends on how the topic came to be. */
const unknown = "?";

const spelledIn = (place: Place, written: string): string => (place.kind === "protected" ? written : unknown);

async function learnSpellings({ ctx, messages }: Organization): Promise<void> {
  const asked = messages.filter(({ spellings }) => spellings.at(-1) === unknown);
  const { rows } = await sql<{ id: number; name: string }>`
    select m.id, ${sql.raw(spelledTopic)} as name from messages m join topics t on t.id = m.topic_id
    where m.id = any(${asked.map(({ id }) => id)}::bigint[])`.execute(ctx.db);
  const shown = new Map(rows.map(({ id, name }) => [id, name]));
  for (const { id, spellings } of asked) spellings.splice(-1, 1, shown.get(id) ?? "");
}

async function learnOfMessages(organization: Organization, after: number): Promise<void> {
  const { ctx, realm, places, messages } = organization;
  const { rows } = await sql<{ id: number; sender_id: number; conversation_id: number; topic: string }>`
    select m.id, m.sender_id, m.conversation_id, t.name as topic
    from messages m join topics t on t.id = m.topic_id
    where m.realm_id = ${realm.id} and m.id > ${after} order by m.id`.execute(ctx.db);
  for (const { id, sender_id: senderId, conversation_id, topic } of rows) {
    const place = places.find((channel) => channel.id === conversation_id);
    if (!place || messages.some((known) => known.id === id)) continue;
    const fresh = { origin: undefined, entered: id, hasWord: false, files: new Set<never>() };
    messages.push({ id, senderId, place, topic, spellings: [topic], ...fresh });
  }
}
