/** Checks that events keep a client's channels up to date: old state + events = the state of a new registration. */
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event } from "@skein/api/events.ts";
import type { RegistrationOptions } from "@skein/api/state/followed-state.ts";
import { eventsUntilNow } from "./events-until.ts";
import { capabilities, type TestQueue, type TestRealm, type TestUser } from "./realm.ts";

const parts = [
  "stream",
  "subscription",
  "default_streams",
  "default_stream_groups",
  "message",
  "update_message_flags",
  "realm_user",
];

/** Returns both states for each user, with and without archived channels. They must be equal. */
export async function followedAndFresh(
  realm: TestRealm,
  users: readonly TestUser[],
  change: () => Promise<unknown>,
): Promise<{ followed: object[]; fresh: object[] }> {
  const asked: RegistrationOptions[] = [
    { include_subscribers: true },
    { include_subscribers: true, archived_channels: true },
  ];
  const watch = async (): Promise<TestQueue[]> => {
    const queues: TestQueue[] = [];
    for (const { archived_channels = false } of asked)
      for (const user of users)
        queues.push(
          await user.register(undefined, parts, {
            include_subscribers: true,
            client_capabilities: { ...capabilities, archived_channels },
          }),
        );
    return queues;
  };
  const early = await watch();
  await change();
  const late = await watch();

  const queues = [...early, ...late];
  const heard = await eventsUntilNow(realm, queues);
  const states = queues.map((queue, i) => {
    const how = asked[Math.floor((i % early.length) / users.length)] ?? {};
    const start = { ...queue.state, user_id: queue.user.id };
    const { subscriptions, unsubscribed, never_subscribed, streams, realm_default_streams, unread_msgs } = (
      heard[i] ?? []
    ).reduce((state, event) => applyEvent(state, event as Event, how), start); // events of a queue, but for the id
    const who = `${queue.user.fullName}${how.archived_channels ? ", shown archived channels" : ""}`;
    return { who, subscriptions, unsubscribed, never_subscribed, streams, realm_default_streams, unread_msgs };
  });
  return { followed: states.slice(0, early.length), fresh: states.slice(early.length) };
}
