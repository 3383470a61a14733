/**
 * Drafts by conversation. They are saved in the browser as the user types, and on the server when the user's setting allows
 * it, so that other devices get them. Tabs notify each other of changes.
 *
 * **Invariant:** of two versions of a draft, the one edited last wins, in memory and in the browser's store, no matter which
 * tab wrote it.
 */
import { computed, signal, type Signal } from "@preact/signals";
import type { Draft as WireDraft } from "@skein/api/drafts.ts";
import { createDrafts, deleteDraft, editDraft } from "@skein/api/routes/drafts.ts";
import { call } from "../api/call.ts";
import { Refusal } from "@skein/api/failures.ts";
import {
  conversationKey,
  directConversation,
  isConversation,
  topicConversation,
  type Conversation,
} from "./conversations.ts";
import type { Database } from "./database.ts";
import { ownId, part } from "./state.ts";
import { isRecord, readStored, removeStored, store, storedKeys } from "./storage.ts";
import { onTabMessage, postToTabs } from "./tabs.ts";

export interface Draft {
  readonly key: string;
  readonly conversation: Conversation;
  readonly text: string;
  /** In seconds, with fractions: two tabs may write within the same second. */
  readonly changedAt: number;
  /** The server's id for this draft. */
  readonly serverId?: number;
}

/** A draft with empty text was discarded or sent here; it shadows older versions. */
const local: Signal<ReadonlyMap<string, Draft>> = signal(new Map());
/** Keys of drafts changed here that are not in the browser's store yet. */
const unsaved = new Set<string>();
let database: Database | undefined;

const pause = 400;
const syncPause = 3000;
const saves = new Map<string, ReturnType<typeof setTimeout>>();
const syncs = new Map<string, ReturnType<typeof setTimeout>>();

/** How long the page waits for the browser to open its store; drafts that load schedule are merged then. */
const maxOpenTime = 1000;

/** Resolves when drafts are loaded well enough to show a composer. */
export async function startDrafts(own: Database): Promise<void> {
  database = own;
  for (const draft of takeStoredOnUnload())
    if (acceptIfNewer(draft)) {
      unsaved.add(draft.key);
      schedule(saves, draft.key, 0, () => void save(draft.key));
    }
  addEventListener("pagehide", storeOnUnload);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && saveAll());
  onTabMessage((message) => {
    if (message.type === "draft" && message.userId === ownId.peek() && isDraft(message.draft))
      acceptIfNewer(message.draft);
  });
  const kept = own
    .run((connection) => connection.getAll("drafts"))
    .then((drafts) => {
      for (const draft of drafts.filter(isDraft)) acceptIfNewer(draft);
    })
    .catch(() => undefined);
  await Promise.race([kept, new Promise((resume) => setTimeout(resume, maxOpenTime))]);
}

/** Another release may have stored a different shape. */
const isDraft = (value: unknown): value is Draft =>
  isRecord(value) &&
  typeof value["key"] === "string" &&
  typeof value["text"] === "string" &&
  typeof value["changedAt"] === "number" &&
  isConversation(value["conversation"]);

type Listener = (draft: Draft) => unknown;
const listeners = new Set<Listener>();

/** Calls the listener for drafts written elsewhere: in another tab, or by an earlier page whose store opened late. */
export function onDraftFromElsewhere(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Takes over drafts that were edited schedule than the ones here. */
function acceptIfNewer(draft: Draft): boolean {
  const known = local.peek().get(draft.key);
  if (known && known.changedAt >= draft.changedAt) return false;
  local.value = new Map(local.peek()).set(draft.key, draft);
  // The tab that wrote it also saves it and syncs it to the server.
  unsaved.delete(draft.key);
  for (const timers of [saves, syncs]) {
    clearTimeout(timers.get(draft.key));
    timers.delete(draft.key);
  }
  if ((known?.text ?? "") !== draft.text) for (const listener of listeners) listener(draft);
  return true;
}

/** An unloading page cannot wait, so text whose save has not ended goes to synchronous storage. */
const unloadKeyPrefix = (): string => `skein-drafts-${ownId.peek()}-`;
/** One entry per tab, so that two tabs closing at once do not overwrite each other. */
const tab = Math.random().toString(36).slice(2);

function storeOnUnload(): void {
  const left = [...unsaved].flatMap((key) => local.peek().get(key) ?? []);
  if (left.length > 0) store("local", unloadKeyPrefix() + tab, left);
}

function takeStoredOnUnload(): Draft[] {
  // Up to the previous release all tabs shared one entry.
  return [unloadKeyPrefix().slice(0, -1), ...storedKeys(unloadKeyPrefix())].flatMap((key) => {
    const drafts = readStored("local", key);
    removeStored("local", key);
    return Array.isArray(drafts) ? drafts.filter(isDraft) : [];
  });
}

/** Whether any draft here is not on the server. */
export const hasLocalDrafts = (): boolean =>
  [...local.peek().values()].some(({ text, serverId }) => text.trim() !== "" && serverId === undefined);

const isSynced = (): boolean => part("user_settings").peek()?.enable_drafts_synchronization ?? false;

const fromServer = computed((): ReadonlyMap<string, Draft> => {
  const drafts = new Map<string, Draft>();
  for (const draft of part("drafts").value ?? []) {
    const own = toDraft(draft);
    // Newest first.
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

/** Merges drafts from both sides: the newer version of each, newest first. */
export const drafts = computed((): readonly Draft[] => {
  const all = new Map(fromServer.value);
  for (const [key, draft] of local.value) {
    const synced = all.get(key);
    if (synced && synced.changedAt > draft.changedAt) continue;
    if (draft.text === "") all.delete(key);
    else all.set(key, draft);
  }
  return [...all.values()].toSorted((a, b) => b.changedAt - a.changedAt);
});

const byKey = computed(() => new Map(drafts.value.map((draft) => [draft.key, draft])));

export const draftOf = (conversation: Conversation): Draft | undefined =>
  byKey.value.get(conversationKey(conversation));

/** Empty text means no draft. */
export function keepDraft(conversation: Conversation, text: string): void {
  const key = conversationKey(conversation);
  const before = byKey.peek().get(key);
  if ((before?.text ?? "") === text) return;
  // Another tab may have saved it on the server.
  const serverId = (before ?? local.peek().get(key))?.serverId ?? fromServer.peek().get(key)?.serverId;
  const draft: Draft = {
    key,
    conversation,
    text,
    changedAt: Date.now() / 1000,
    ...(serverId === undefined ? {} : { serverId }),
  };
  local.value = new Map(local.peek()).set(key, draft);
  unsaved.add(key);
  // Not a debounce: someone who types without a pause loses at most a few words in a crash.
  if (!saves.has(key)) schedule(saves, key, pause, () => void save(key));
  if (isSynced()) schedule(syncs, key, text === "" ? 0 : syncPause, () => void sync(key));
}

/** As above, also in the composer that shows it. */
export function replaceDraft(conversation: Conversation, text: string): void {
  keepDraft(conversation, text);
  const draft = local.peek().get(conversationKey(conversation));
  if (draft) for (const listener of listeners) listener(draft);
}

function schedule(timers: typeof saves, key: string, wait: number, run: () => void): void {
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

/** Runs in one transaction: newer text from another tab is taken over, not overwritten. */
async function save(key: string): Promise<void> {
  const changed = local.peek().get(key);
  if (!changed) return;
  postToTabs({ type: "draft", userId: ownId.peek(), draft: changed });
  try {
    const newer = await database?.run(async (connection) => {
      const draft = local.peek().get(key) ?? changed;
      const transaction = connection.transaction("drafts", "readwrite");
      const kept: unknown = await transaction.store.get(key);
      const isOlder = !isDraft(kept) || kept.changedAt <= draft.changedAt;
      if (isOlder) await (draft.text === "" ? transaction.store.delete(key) : transaction.store.put(draft));
      await transaction.done;
      if (local.peek().get(key) === draft) unsaved.delete(key);
      return isOlder ? undefined : kept;
    });
    if (newer) acceptIfNewer(newer);
  } catch {
    // The draft stays in memory while the page is open; the database module has already notified the user.
  }
}

/** One request at a time per conversation: the response has the id the next change needs. */
const syncing = new Set<string>();

async function sync(key: string): Promise<void> {
  const draft = local.peek().get(key);
  if (!draft) return;
  if (syncing.has(key)) {
    schedule(syncs, key, syncPause, () => void sync(key));
    return;
  }
  syncing.add(key);
  try {
    const serverId = await put(draft);
    const now = local.peek().get(key);
    if (!now) return;
    const { serverId: _old, ...rest } = now;
    local.value = new Map(local.peek()).set(key, serverId === undefined ? rest : { ...rest, serverId });
    await save(key);
    // Discarded or sent in another tab, which may not have known about this copy.
    if (now.text === "" && serverId !== undefined) await call(deleteDraft, { draft_id: serverId });
  } catch {
    // The draft is kept here; the next change retries.
  } finally {
    syncing.delete(key);
  }
}

/** Two tabs may have saved the same draft on the server before hearing from each other. */
const idsOnServer = (conversation: Conversation): number[] =>
  (part("drafts").peek() ?? [])
    .filter((draft) => toDraft(draft)?.key === conversationKey(conversation))
    .map(({ id }) => id);

/** The server's current id for this draft. */
async function put({ conversation, text, changedAt, serverId }: Draft): Promise<number | undefined> {
  const draft = {
    ...(conversation.kind === "topic"
      ? { type: "stream" as const, to: [conversation.channelId], topic: conversation.topic }
      : { type: "private" as const, to: [...conversation.userIds], topic: "" }),
    content: text,
    timestamp: Math.floor(changedAt),
  };
  try {
    if (serverId === undefined) return text === "" ? undefined : (await call(createDrafts, { drafts: [draft] })).ids[0];
    if (text !== "") await call(editDraft, { draft_id: serverId, draft });
    else for (const id of new Set([serverId, ...idsOnServer(conversation)])) await call(deleteDraft, { draft_id: id });
    return text === "" ? undefined : serverId;
  } catch (error) {
    if (!(error instanceof Refusal) || serverId === undefined || text === "") throw error;
    // Another device discarded it in the meantime.
    return (await call(createDrafts, { drafts: [draft] })).ids[0];
  }
}
