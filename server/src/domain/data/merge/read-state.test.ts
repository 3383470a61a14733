/** Random histories of sending, reading, muting and moving, and what is unread for whom before and after a merge. */
import { updateMessage } from "@skein/api/edits.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { muteUser, unmuteUser } from "@skein/api/muted-users.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { channelOf, sendDirect, sendToChannel, type TestChannel } from "../../../../test/actions.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { mergeUsers } from "./merge.ts";

const seed = Number(process.env["SEED"] ?? 1);
const histories = Number(process.env["HISTORIES"] ?? 4);
const length = 40;

/** Numbers choose among what there is at that point. */
const step = fc.record({
  kind: fc.constantFrom("send", "send", "write", "write", "read", "read", "unread", "mute", "move"),
  person: fc.nat(3),
  other: fc.nat(3),
  third: fc.nat(3),
  place: fc.nat(3),
  pick: fc.nat(20),
  isRead: fc.boolean(),
});
type Step = (typeof step extends fc.Arbitrary<infer T> ? T : never) & object;

interface Place {
  channel: TestChannel;
  people: TestUser[];
}

interface Sent {
  id: number;
  /** Where it was sent to, and where it is; undefined if it is a direct message. */
  origin?: Place;
  place?: Place;
}

/** The server answers some of these with an error, such as muting oneself; then nothing happens. */
async function play(people: TestUser[], places: Place[], steps: Step[]): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const { kind, person, other, third, place: where, pick, isRead } of steps) {
    const [user, companion, another] = [people[person], people[other], people[third]];
    const place = places[where];
    const message = sent.at(-1 - (pick % Math.max(1, sent.length)));
    if (!user || !companion || !another || !place) throw new Error("unreachable: all lists have four items");
    if (kind === "send" && place.people.includes(user))
      sent.push({ id: await sendToChannel(user, place.channel, { readBySender: isRead }), origin: place, place });
    else if (kind === "write")
      sent.push({ id: await sendDirect(user, [companion, another], { readBySender: isRead }) });
    else if ((kind === "read" || kind === "unread") && message) {
      const op = kind === "read" ? "add" : "remove";
      await user.call(updateMessageFlags, { op, flag: "read", messages: [message.id] });
    } else if (kind === "mute" && user !== companion) {
      const muted = { muted_user_id: companion.id };
      if ((await user.call(muteUser, muted)).result !== "success") await user.call(unmuteUser, muted);
    } else if (kind === "move" && message?.place) {
      const to = { stream_id: place.channel.id, send_notification_to_new_thread: false };
      const moved = await user.realm.admin.call(updateMessage, { message_id: message.id, ...to });
      if (moved.result === "success") message.place = place;
    }
  }
  return sent;
}

interface State {
  isReceived: boolean;
  isRead: boolean;
}

async function statesFor(user: TestUser, sent: Sent[]): Promise<Map<number, State>> {
  const message_ids = sent.map(({ id }) => id);
  const { messages } = success(await user.call(getMessages, { message_ids }));
  return new Map(
    messages.map(({ id, flags }) => [
      id,
      { isReceived: !flags.includes("historical"), isRead: flags.includes("read") },
    ]),
  );
}

const unreadIn = (states: Map<number, State>): number[] =>
  [...states].flatMap(([id, { isRead }]) => (isRead ? [] : id)).toSorted((a, b) => a - b);

async function begin(realm: TestRealm): Promise<{ people: [TestUser, TestUser, ...TestUser[]]; places: Place[] }> {
  const people: [TestUser, TestUser, ...TestUser[]] = [await realm.user("from"), await realm.user("into")];
  people.push(await realm.user("peer"), await realm.user("other"));
  const [from, into, peer, other] = people;
  if (!peer || !other) throw new Error("unreachable: they were just added");
  const places: Place[] = [];
  for (const [name, members] of Object.entries({
    all: [peer, other, from, into],
    "from's": [peer, from],
    "into's": [peer, other, into],
    both: [other, from, into],
  })) {
    const [first, ...rest] = members;
    if (first) places.push({ channel: await channelOf([first, ...rest], name), people: members });
  }
  return { people, places };
}

const generated = fc.sample(fc.array(step, { minLength: length, maxLength: length }), { seed, numRuns: histories });

test.each(generated.map((steps, number) => [number, steps] as const))(
  "nobody's unread messages change, and a person has read what either account has read (history %i)",
  async (_, steps) => {
    const realm = await newRealm();
    const { people, places } = await begin(realm);
    const [from, into, ...others] = people;
    const sent = await play(people, places, steps);
    const [byFrom, byInto] = [await statesFor(from, sent), await statesFor(into, sent)];
    const before = await Promise.all(others.map((user) => statesFor(user, sent)));
    // Who was sent a message that is now in a channel they are not in has not read it, but it counts as read.
    const isOut = (user: TestUser, { place }: Sent) => place !== undefined && !place.people.includes(user);
    const unread = sent.filter((message) => {
      const states = [
        isOut(from, message) ? undefined : byFrom.get(message.id),
        isOut(into, message) ? undefined : byInto.get(message.id),
      ];
      const received = states.filter((state) => state?.isReceived === true);
      return received.length > 0 && received.every((state) => state?.isRead === false);
    });

    const row = await realm.ctx.db
      .selectFrom("realms")
      .selectAll()
      .where("id", "=", realm.id)
      .executeTakeFirstOrThrow();
    await mergeUsers(realm.ctx.db, row, from.id, into.id);

    const after = await Promise.all(others.map((user) => statesFor(user, sent)));
    expect(after.map(unreadIn)).toEqual(before.map(unreadIn));
    expect(unreadIn(await statesFor(into, sent))).toEqual(unread.map(({ id }) => id));
  },
);
