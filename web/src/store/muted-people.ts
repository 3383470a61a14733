/** People the reader has muted. Their messages arrive as read, and lists collapse them. */
import { computed, signal } from "@preact/signals";
import type { DirectConversation } from "./conversations.ts";
import { part } from "./state.ts";

const mutedIds = computed((): ReadonlySet<number> => new Set((part("muted_users").value ?? []).map(({ id }) => id)));

export const isMutedPerson = (id: number): boolean => mutedIds.value.has(id);

/** A conversation with a muted person and nobody else. */
export const isWithMutedPerson = ({ userIds: [only, ...others] }: DirectConversation): boolean =>
  only !== undefined && others.length === 0 && isMutedPerson(only);

/** Messages the reader chose to show anyway, until the page is left. */
const shown = signal<ReadonlySet<number>>(new Set());

export const isHidden = ({ id, sender_id }: { id: number; sender_id: number }): boolean =>
  isMutedPerson(sender_id) && !shown.value.has(id);

export function showHidden(id: number): void {
  shown.value = new Set(shown.peek()).add(id);
}
