/** People whose messages the reader does not want to see. What they write arrives read; lists fold it away. */
import { computed, signal } from "@preact/signals";
import type { DirectConversation } from "./conversations.ts";
import { part } from "./state.ts";

const mutedIds = computed((): ReadonlySet<number> => new Set((part("muted_users").value ?? []).map(({ id }) => id)));

export const isMutedPerson = (id: number): boolean => mutedIds.value.has(id);

/** A conversation with somebody muted and nobody else. */
export const isWithMutedPerson = ({ userIds: [only, ...others] }: DirectConversation): boolean =>
  only !== undefined && others.length === 0 && isMutedPerson(only);

/** Those the reader wanted to see nonetheless, until the page is left. */
const shown = signal<ReadonlySet<number>>(new Set());

export const isHidden = ({ id, sender_id }: { id: number; sender_id: number }): boolean =>
  isMutedPerson(sender_id) && !shown.value.has(id);

export function showHidden(id: number): void {
  shown.value = new Set(shown.peek()).add(id);
}
