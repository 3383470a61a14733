/**
 * What one has begun to write, by conversation. Kept in the browser as one writes, and on the server when the reader's
 * setting says so, so that other devices have it.
 */
import { computed, signal, type Signal } from "@preact/signals";
import type { Draft as WireDraft } from "@skein/api/drafts.ts";
import { createDrafts, deleteDraft, editDraft } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { Refusal } from "../api/failures.ts";
import { conversationKey, directConversation, topicConversation, type Conversation } from "./conversations.ts";
import type { Database } from "./database.ts";
import { ownId, part } from "./state.ts";

export interface Draft {
  readonly key: string;
  readonly conversation: Conversation;
  readonly text: string;
  /** In seconds. */
  readonly changedAt: number;
  /** Under which the server keeps it. */
  readonly serverId?: number;
}

const local: Signal<ReadonlyMap<string, Draft>> = signal(new Map());
let database: Database | undefined;

const pause = 400;
const syncPause = 3000;
const saves = new Map<string, ReturnType<typeof setTimeout>>();
const syncs = new Map<string, ReturnType<typeof setTimeout>>();

export async function startDrafts(opened: Database | undefined): Promise<void> {
  database = opened;
  const kept = (await database?.getAll("drafts")) ?? [];
  local.value = new Map([...kept, ...takeLastMoment()].map((draft) => [draft.key, draft]));
  addEventListener("pagehide", keepLastMoment);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && saveAll());
}

/** A page that goes waits for nothing: what was typed since the last pause is put where that takes no time. */
const lastMoment = (): string => `skein-drafts-${ownId.peek()}`;

function keepLastMoment(): void {
  const unsaved = [...saves.keys()].flatMap((key) => local.peek().get(key) ?? []);
  if (unsaved.length > 0) localStorage.setItem(lastMoment(), JSON.stringify(unsaved));
}

function takeLastMoment(): Draft[] {
  const text = localStorage.getItem(lastMoment());
  if (text === null) return [];
  localStorage.removeItem(lastMoment());
  const drafts = JSON.parse(text) as Draft[]; // written above
  for (const { key } of drafts) later(saves, key, 0, () => void save(key));
  return drafts;
}

const isSynced = (): boolean => part("user_settings").peek()?.enable_drafts_synchronization ?? false;

const fromServer = computed((): ReadonlyMap<string, Draft> => {
  const drafts = new Map<string, Draft>();
  for (const draft of part("drafts").value ?? []) {
    const own = toDraft(draft);
    // The newest stands first.
    if (own && !drafts.has(own.key)) drafts.set(own.key, own);
  }
  return drafts;
});

function toDraft({ id, type, to, topic, content, timestamp }: WireDraft): Draft | undefined {
  const channelId = to[0];
  if (type === "" || (type === "stream" && channelId === undefined)) return undefined;
  const conversation: Conversation =
    type === "stream" ? topicConversation(channelId ?? 0, topic) : directConversation(to, ownId.value);
  return { key: conversationKey(conversation), conversation, text: content, changedAt: timestamp, serverId: id };
}

/** The newer of what is here and what is there; the newest first. */
export const drafts = computed((): readonly Draft[] => {
  const all = new Map(fromServer.value);
  for (const [key, draft] of local.value) {
    const there = all.get(key);
    if (draft.text === "") all.delete(key);
    else if (!there || there.changedAt <= draft.changedAt) all.set(key, draft);
  }
  return [...all.values()].toSorted((a, b) => b.changedAt - a.changedAt);
});

const byKey = computed(() => new Map(drafts.value.map((draft) => [draft.key, draft])));

export const draftOf = (conversation: Conversation): Draft | undefined =>
  byKey.value.get(conversationKey(conversation));

/** Empty text is no draft. */
export function keepDraft(conversation: Conversation, text: string): void {
  const key = conversationKey(conversation);
  const before = local.peek().get(key) ?? byKey.peek().get(key);
  if ((before?.text ?? "") === text) return;
  const { serverId } = before ?? fromServer.peek().get(key) ?? {};
  const draft: Draft = {
    key,
    conversation,
    text,
    changedAt: Math.floor(Date.now() / 1000),
    ...(serverId === undefined ? {} : { serverId }),
  };
  local.value = new Map(local.peek()).set(key, draft);
  // Not put off by the next key: whoever writes without a pause loses no more than a few words to a crash.
  if (!saves.has(key)) later(saves, key, pause, () => void save(key));
  if (isSynced()) later(syncs, key, text === "" ? 0 : syncPause, () => void sync(key));
}

function later(timers: typeof saves, key: string, wait: number, run: () => void): void {
  clearTimeout(timers.get(key));
  timers.set(
    key,
    setTimeout(() => {
      timers.delete(key);
      run();
    }, wait),
  );
}

function saveAll(): void {
  for (const [key, timer] of saves) {
    clearTimeout(timer);
    void save(key);
  }
  saves.clear();
}

async function save(key: string): Promise<void> {
  const draft = local.peek().get(key);
  if (!draft) return;
  if (draft.text === "") await database?.delete("drafts", key);
  else await database?.put("drafts", draft);
}

/** One at a time for each conversation: the answer says under which id the next change goes. */
const syncing = new Set<string>();

async function sync(key: string): Promise<void> {
  const draft = local.peek().get(key);
  if (!draft) return;
  if (syncing.has(key)) {
    later(syncs, key, syncPause, () => void sync(key));
    return;
  }
  syncing.add(key);
  try {
    const serverId = await put(draft);
    const now = local.peek().get(key);
    if (!now) return;
    const { serverId: _old, ...rest } = now;
    if (now.text === "" && serverId === undefined) forget(key);
    else local.value = new Map(local.peek()).set(key, serverId === undefined ? rest : { ...rest, serverId });
    await save(key);
  } catch {
    // It is kept here; the next change tries again.
  } finally {
    syncing.delete(key);
  }
}

function forget(key: string): void {
  const next = new Map(local.peek());
  next.delete(key);
  local.value = next;
}

/** Under which id the server keeps it now. */
async function put({ conversation, text, changedAt, serverId }: Draft): Promise<number | undefined> {
  const draft = {
    ...(conversation.kind === "topic"
      ? { type: "stream" as const, to: [conversation.channelId], topic: conversation.topic }
      : { type: "private" as const, to: [...conversation.userIds], topic: "" }),
    content: text,
    timestamp: changedAt,
  };
  try {
    if (serverId === undefined) return text === "" ? undefined : (await call(createDrafts, { drafts: [draft] })).ids[0];
    if (text !== "") await call(editDraft, { draft_id: serverId, draft });
    else await call(deleteDraft, { draft_id: serverId });
    return text === "" ? undefined : serverId;
  } catch (error) {
    if (!(error instanceof Refusal) || serverId === undefined || text === "") throw error;
    // Another device threw it away meanwhile.
    return (await call(createDrafts, { drafts: [draft] })).ids[0];
  }
}
