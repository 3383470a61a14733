/** Imports of other chats' history. Fetched when shown, then kept current by events and by each new registration. */
import { computed, effect, signal } from "@preact/signals";
import type { PlannedChannel, PlannedPerson, RealmImport, RefusedChange } from "@skein/api/imports.ts";
import { createImport, getImportPlan, getImports, inspectImport, updateImportPlan } from "@skein/api/routes/imports.ts";
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

let lastRequest: Promise<unknown> = Promise.resolve();

/** Requests about the plan are made one at a time: a change of ours is known before its event asks for a fetch. */
function inTurn<T>(request: () => Promise<T>): Promise<T> {
  const response = lastRequest.then(request);
  lastRequest = response.catch(() => undefined);
  return response;
}

/** All pages of the plan, unless this window has this revision by then. */
export const fetchPlan = (importId: number, wanted: number): Promise<void> =>
  inTurn(async () => {
    const known = importPlan.peek();
    if (known?.importId === importId && known.revision >= wanted) return;
    if (known?.importId !== importId) importPlan.value = undefined;
    const people: PlannedPerson[] = [];
    const channels: PlannedChannel[] = [];
    // Of the first page: what changes meanwhile is fetched again.
    let revision: number | undefined;
    for (let after = 0, isLast = false; !isLast; after += pageSize) {
      const page = await call(getImportPlan, { import_id: importId, after });
      people.push(...page.people);
      channels.push(...page.channels);
      revision ??= page.plan_revision;
      isLast = page.is_last;
    }
    importPlan.value = { importId, revision: revision ?? 0, people, channels };
  });

const pageSize = 1000;

export type PersonChange = Pick<PlannedPerson, "id" | "account"> & { email?: string };
export type ChannelChange = Pick<PlannedChannel, "id" | "action"> & { name?: string; into?: string };
type Unthreaded = RealmImport["unthreaded"];

interface PlanChange {
  people?: readonly PersonChange[];
  channels?: readonly ChannelChange[];
}

/** Saves changes in as many requests as they need, and shows them. Returns those that the server refuses. */
export const changePlan = (
  importId: number,
  { people = [], channels = [] }: PlanChange,
): Promise<readonly RefusedChange[]> =>
  inTurn(async () => {
    const refused: RefusedChange[] = [];
    for (let from = 0; from < Math.max(people.length, channels.length); from += pageSize) {
      const [some, others] = [people.slice(from, from + pageSize), channels.slice(from, from + pageSize)];
      const saved = await call(updateImportPlan, {
        import_id: importId,
        ...(some.length === 0 ? {} : { people: some }),
        ...(others.length === 0 ? {} : { channels: others }),
      });
      const notPeople = new Set(saved.refused_people.map(({ id }) => id));
      const notChannels = new Set(saved.refused_channels.map(({ id }) => id));
      applyToPlan(importId, saved.plan_revision, {
        people: some.filter(({ id }) => !notPeople.has(id)),
        channels: others.filter(({ id }) => !notChannels.has(id)),
      });
      refused.push(...saved.refused_people, ...saved.refused_channels);
    }
    return refused;
  });

function applyToPlan(importId: number, revision: number, { people = [], channels = [] }: PlanChange): void {
  const plan = importPlan.peek();
  if (plan?.importId !== importId) return;
  const byPerson = new Map(people.map((change) => [change.id, change]));
  const byChannel = new Map(channels.map((change) => [change.id, { into: null, ...change }]));
  importPlan.value = {
    importId,
    // If another window changed it in between, it is fetched again.
    revision: revision === plan.revision + 1 ? revision : plan.revision,
    people: byPerson.size === 0 ? plan.people : plan.people.map((one) => withChange(one, byPerson.get(one.id))),
    channels: byChannel.size === 0 ? plan.channels : plan.channels.map((one) => withChange(one, byChannel.get(one.id))),
  };
}

const withChange = <T extends object>(item: T, change: Partial<T> | undefined): T =>
  change ? { ...item, ...change } : item;

export const changeUnthreaded = (importId: number, unthreaded: Unthreaded): Promise<void> =>
  inTurn(async () => {
    const { plan_revision } = await call(updateImportPlan, { import_id: importId, unthreaded });
    applyToPlan(importId, plan_revision, {});
  });
