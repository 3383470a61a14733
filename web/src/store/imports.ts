/** Imports of other chats' history. Fetched when shown, then kept current by events and by each new registration. */
import { computed, effect, signal } from "@preact/signals";
import type { PlannedChannel, PlannedPerson, RealmImport } from "@skein/api/imports.ts";
import { createImport, getImportPlan, getImports, inspectImport, updateImportPlan } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { uploadParts } from "../api/upload-parts.ts";
import { onEvent } from "./events.ts";
import { generation } from "./sync.ts";

export interface Imports {
  /** Newest first. */
  list: readonly RealmImport[];
  maxBytes: number;
  daysKept: number;
}

export const imports = signal<Imports | undefined>(undefined);

export async function fetchImports(): Promise<void> {
  const changed = new Map<number, RealmImport>();
  const stop = onEvent((event) => {
    if (event.type === "realm_import") changed.set(event.import.id, event.import);
  });
  try {
    const { imports: list, max_bytes, days_kept } = await call(getImports, {});
    // Events that arrive during the fetch are newer than its response.
    imports.value = { list, maxBytes: max_bytes, daysKept: days_kept };
    for (const one of changed.values()) put(one);
  } finally {
    stop();
  }
}

function put(changed: RealmImport): void {
  const before = imports.peek();
  if (!before) return;
  const list = [changed, ...before.list.filter(({ id }) => id !== changed.id)].toSorted((a, b) => b.id - a.id);
  imports.value = { ...before, list };
}

/** Follows events until it is stopped. The end of an import ends the queue, so a new one may have missed it. */
export function followImports(onFailure: (error: unknown) => void): () => void {
  const stopEvents = onEvent((event) => {
    if (event.type === "realm_import") put(event.import);
  });
  let known = generation.peek();
  const stopGenerations = effect(() => {
    if (generation.value === known) return;
    known = generation.value;
    fetchImports().catch(onFailure);
  });
  return () => {
    stopEvents();
    stopGenerations();
  };
}

export const isUnderWay = ({ state }: RealmImport): boolean =>
  ["uploading", "inspecting", "ready", "running", "failed"].includes(state);

/** An upload of this window. It goes on while other pages are shown. */
export interface Uploading {
  importId: number;
  sent: number;
  error?: unknown;
}

export const uploading = signal<Uploading | undefined>(undefined);
let stopper: AbortController | undefined;

/** Announces the file, uploads it, and has it inspected. */
export async function startUpload(file: File): Promise<void> {
  const { id, upload_url } = await call(createImport, { file_name: file.name, size: file.size });
  void continueUpload(id, upload_url, file);
}

export async function continueUpload(importId: number, url: string, file: File): Promise<void> {
  stopper?.abort();
  stopper = new AbortController();
  const { signal: stopped } = stopper;
  uploading.value = { importId, sent: 0 };
  try {
    await uploadParts(url, file, stopped, (sent) => {
      uploading.value = { importId, sent };
    });
    await call(inspectImport, { import_id: importId });
    uploading.value = undefined;
  } catch (error) {
    if (!stopped.aborted) uploading.value = { importId, sent: uploading.peek()?.sent ?? 0, error };
  }
}

export function stopUpload(): void {
  stopper?.abort();
  uploading.value = undefined;
}

export interface ImportPlan {
  importId: number;
  revision: number;
  people: readonly PlannedPerson[];
  channels: readonly PlannedChannel[];
}

export const importPlan = signal<ImportPlan | undefined>(undefined);
export const plannedPeople = computed(() => importPlan.value?.people ?? []);
export const plannedChannels = computed(() => importPlan.value?.channels ?? []);

/** All pages of the plan. */
export async function fetchPlan(importId: number): Promise<void> {
  if (importPlan.peek()?.importId !== importId) importPlan.value = undefined;
  const [people, channels]: [PlannedPerson[], PlannedChannel[]] = [[], []];
  for (let after = 0, isLast = false, revision = 0; !isLast; after += pageSize) {
    const page = await call(getImportPlan, { import_id: importId, after });
    people.push(...page.people);
    channels.push(...page.channels);
    revision = page.plan_revision;
    isLast = page.is_last;
    if (isLast) importPlan.value = { importId, revision, people, channels };
  }
}

const pageSize = 1000;

export type PersonChange = Pick<PlannedPerson, "id" | "account"> & { email?: string };
export type ChannelChange = Pick<PlannedChannel, "id" | "action"> & { name?: string; into?: string };
type Unthreaded = RealmImport["unthreaded"];

/** Saves changes in as many requests as they need, and shows them. */
export async function changePlan(
  importId: number,
  { people = [], channels = [] }: { people?: readonly PersonChange[]; channels?: readonly ChannelChange[] },
): Promise<void> {
  let revision = importPlan.peek()?.revision ?? 0;
  for (let from = 0; from < Math.max(people.length, channels.length); from += pageSize) {
    const [some, others] = [people.slice(from, from + pageSize), channels.slice(from, from + pageSize)];
    const saved = await call(updateImportPlan, {
      import_id: importId,
      ...(some.length === 0 ? {} : { people: some }),
      ...(others.length === 0 ? {} : { channels: others }),
    });
    revision = saved.plan_revision;
  }
  const byPerson = new Map(people.map((change) => [change.id, change]));
  const byChannel = new Map(channels.map((change) => [change.id, change]));
  const plan = importPlan.peek();
  if (plan?.importId !== importId) return;
  importPlan.value = {
    importId,
    revision,
    people: plan.people.map((one) => withChange(one, byPerson.get(one.id))),
    channels: plan.channels.map((one) =>
      withChange(one, byChannel.has(one.id) ? { into: null, ...byChannel.get(one.id) } : undefined),
    ),
  };
}

const withChange = <T extends object>(item: T, change: Partial<T> | undefined): T =>
  change ? { ...item, ...change } : item;

export const changeUnthreaded = (importId: number, unthreaded: Unthreaded): Promise<unknown> =>
  call(updateImportPlan, { import_id: importId, unthreaded });
