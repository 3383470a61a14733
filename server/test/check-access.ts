/** Asks the server, as everybody, for what a random export made of them. */
import { getMessages } from "@skein/api/fetch-messages.ts";
import { getMessage } from "@skein/api/messages.ts";
import { getTopics } from "@skein/api/topics.ts";
import { expect } from "vitest";
import { importedIds, signIn } from "./imports.ts";
import { couldRead, everybody, topicsOf, wordOf, type RandomExport } from "./random-export.ts";
import { success, type TestRealm, type TestUser } from "./realm.ts";

export const active = everybody.filter((id) => id !== "gone");

/** Of each message that somebody can read: its text, with everything else that it shows. */
async function readBy(user: TestUser, ids: ReadonlyMap<string, number>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [sourceId, message_id] of ids) {
    const answer = await user.call(getMessage, { message_id, apply_markdown: true });
    if (answer.result === "success") found.set(sourceId, JSON.stringify((answer as { message: unknown }).message));
    else expect(answer).toMatchObject({ msg: "Invalid message(s)" });
  }
  return found;
}

/**
 * Everybody reads what they could read in the source, and nothing else. Returns how many people were asked. Where history
 * comes after messages that were sent here, everything counts as read.
 */
export async function checkAccess(realm: TestRealm, given: RandomExport, { isAllRead = false } = {}): Promise<number> {
  let asked = 0;
  const ids = await importedIds(realm);
  const sourceIds = new Map([...ids].map(([sourceId, id]) => [id, sourceId]));
  for (const person of active) {
    const user = await signIn(realm, `${person}@lantern.example`);
    const due = given.messages.filter((message) => couldRead(given, person, message));
    const names = (found: readonly number[]) => found.map((id) => sourceIds.get(id) ?? "").toSorted();
    const namesWhere = (isSo: (message: RandomExport["messages"][number]) => boolean) =>
      due
        .filter(isSo)
        .map(({ id }) => id)
        .toSorted();

    const seen = await readBy(user, ids);
    expect([...seen.keys()].toSorted()).toEqual(namesWhere(() => true));

    const hidden = given.messages.filter((message) => !due.includes(message));
    const shown = [...seen.values()].join("\n");
    expect(hidden.filter(({ id }) => shown.includes(wordOf(id)))).toEqual([]);
    const knownChannels = new Set(due.map(({ channelId }) => channelId));
    const unknownTopics = given.channels.filter(({ id }) => !knownChannels.has(id)).flatMap(({ id }) => topicsOf(id));
    expect(unknownTopics.filter((topic) => shown.includes(topic) || shown.includes(topic.replace(" ", ".20")))).toEqual(
      [],
    );

    const all = { anchor: "oldest", num_before: 0, num_after: 1000 } as const;
    const search = async (narrow: { operator: string; operand: string }[]) =>
      names(success(await user.call(getMessages, { ...all, narrow })).messages.map(({ id }) => id));
    expect(await search([{ operator: "is", operand: "mentioned" }])).toEqual(
      namesWhere(({ mentioned }) => mentioned?.includes(person) ?? false),
    );
    const { state } = await user.register(
      ["message"],
      ["message", "update_message_flags", "starred_messages", "subscription"],
    );
    const { unread_msgs: unread } = state;
    const groups = [...(unread?.streams ?? []), ...(unread?.pms ?? []), ...(unread?.huddles ?? [])];
    const isMember = (channelId: string | undefined) =>
      channelId === undefined || given.channels.some(({ id, members }) => id === channelId && members.includes(person));
    expect(names(groups.flatMap(({ unread_message_ids }) => unread_message_ids))).toEqual(
      isAllRead
        ? []
        : namesWhere(({ unreadBy, channelId }) => isMember(channelId) && (unreadBy?.includes(person) ?? false)),
    );
    for (const { stream_id, name } of state.subscriptions ?? []) {
      const { topics } = success(await user.call(getTopics, { stream_id }));
      const dueTopics = new Set(due.filter(({ channelId }) => channelId === name).map(({ topic = "" }) => topic));
      expect(topics.map((topic) => topic.name).toSorted()).toEqual([...dueTopics].toSorted());
    }
    asked++;
  }
  return asked;
}
