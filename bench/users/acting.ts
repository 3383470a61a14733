/** What actions have at hand: requests whose times are counted, the ledger, the organization, and what was sent lately. */
import type { Random } from "../../faults/random.ts";
import { apiRequest } from "../request.ts";
import type { ActiveUser, Crowd } from "./crowd.ts";
import type { Ledger } from "./ledger.ts";
import type { Answer } from "./line.ts";
import type { ActionName } from "./model.ts";
import type { Conversation, Organization, Topic } from "./organization.ts";

export interface Sent {
  user: ActiveUser;
  conversation: Conversation;
  topic: Topic;
  id: number;
}

export interface Acting {
  readonly organization: Organization;
  readonly ledger: Ledger;
  readonly crowd: Crowd;
  /** Messages that can still be edited, oldest first. */
  readonly sentLately: Sent[];
  /** Sends without a response, or with a server error: the message may exist. */
  lostSends: number;
  /** Makes a request that was due at that time; its time counts from there. */
  ask: (name: string, request: Buffer, due: number) => Promise<Answer>;
  /** Does something at that time. */
  later: (at: number, act: (due: number) => Promise<void>) => void;
}

export interface Occasion {
  user: ActiveUser;
  random: Random;
  due: number;
}

export type Action = (acting: Acting, occasion: Occasion) => Promise<void>;
export type Actions = Readonly<Record<ActionName, Action>>;

const around = { num_before: 60, num_after: 150 };
const pageLength = 100;
const mostMarked = 20;

export const channelsOf = ({ lists }: ActiveUser): Conversation[] => [...lists.public, ...lists.private];

export type Term = { operator: string; operand: unknown };

/** Everybody else in a direct conversation, or the user alone. */
export function othersIn(acting: Acting, user: ActiveUser, { members }: Conversation): number[] {
  const ids = members.flatMap((member) =>
    member === user.index ? [] : (acting.organization.accounts[member]?.id ?? []),
  );
  return ids.length > 0 ? ids : [user.account.id];
}

export function narrowTo(acting: Acting, user: ActiveUser, conversation: Conversation, topic: Topic): Term[] {
  if (conversation.id === 0) return [{ operator: "dm", operand: othersIn(acting, user, conversation) }];
  return [
    { operator: "channel", operand: conversation.id },
    { operator: "topic", operand: topic.name },
  ];
}

export function page(user: ActiveUser, narrow: Term[], anchor: string | number, range: "around" | "before"): Buffer {
  const lengths = range === "around" ? around : { num_before: pageLength, num_after: 0 };
  const fields = { anchor, ...lengths, narrow: JSON.stringify(narrow), client_gravatar: false, apply_markdown: true };
  return apiRequest(user.account, "GET", "/messages", { ...fields, allow_empty_topic_name: true });
}

/** The page around the first unread message; what is shown of this run's messages is marked as read. */
export async function openConversation(
  acting: Acting,
  { user, due }: Occasion,
  name: string,
  conversation: Conversation,
  topic: Topic,
): Promise<void> {
  const narrow = narrowTo(acting, user, conversation, topic);
  const { at, status } = await acting.ask(name, page(user, narrow, "first_unread", "around"), due);
  if (status !== 200) return;
  const marked = user.marked.get(topic) ?? 0;
  const unread = topic.recent.filter((id) => id > marked).slice(-mostMarked);
  const newest = unread.at(-1);
  if (newest === undefined) return;
  user.marked.set(topic, newest);
  const fields = { op: "add", flag: "read", messages: JSON.stringify(unread) };
  await acting.ask("mark as read", apiRequest(user.account, "POST", "/messages/flags", fields), at);
}

/** Mostly the topic that was written in last. */
export function pickTopic(conversation: Conversation, random: Random): Topic {
  const isRecent = random.next() < 0.7;
  const recent = conversation.recentTopics.at(-1);
  return isRecent && recent ? recent : random.pick(conversation.topics);
}
