/** People as the chips of a field. */
import type { Person } from "../store/people.ts";
import type { Chip } from "../ui/chips.tsx";
import { peopleMatcher } from "../store/people-matcher.ts";

const most = 8;

export const toChip = ({ user_id, full_name, delivery_email, avatar_url }: Person): Chip => ({
  key: String(user_id),
  label: full_name,
  detail: delivery_email ?? undefined,
  avatar: avatar_url ?? `/avatar/${user_id}`,
});

export const suggestPeople = (query: string): Chip[] =>
  peopleMatcher.value.find(query, most, ({ is_bot }) => Number(!is_bot)).map(toChip);

export const idsOf = (chips: readonly Chip[]): number[] => chips.map(({ key }) => Number(key));
