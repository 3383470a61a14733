/**
 * The groups every organization has. Nobody is stored as a member: whoever ranks at or below `max_rank` is in the
 * group (a person's rank is the role, or 390 for a full member), so each group holds all the narrower ones.
 */
export const systemGroups = {
  "role:nobody": { max_rank: 0, description: "Nobody at all" },
  "role:owners": { max_rank: 100, description: "The organization's owners" },
  "role:administrators": { max_rank: 200, description: "Administrators, and with them owners" },
  "role:moderators": { max_rank: 300, description: "Moderators and everybody above them" },
  "role:fullmembers": { max_rank: 390, description: "Members past the waiting period and everybody above them" },
  "role:members": { max_rank: 400, description: "Everybody but guests" },
  "role:everyone": { max_rank: 600, description: "Everybody with an account here, guests too" },
  "role:internet": { max_rank: 1000, description: "Everybody, with an account or without" },
} as const;

export type SystemGroupName = keyof typeof systemGroups;

// Object.keys knows only strings; these are the keys of the table above, from narrow to wide.
export const systemGroupNames = Object.keys(systemGroups) as SystemGroupName[];

/** The rank of members past the waiting period. */
export const fullMemberRank = systemGroups["role:fullmembers"].max_rank;

/**
 * The system groups, by their `max_rank`, that somebody is shown in as a member of their own: the one of their role,
 * whose number is that of the role, and beside it that of full members. They are in the wider ones as well, which are
 * shown to hold the narrower ones.
 */
export function groupsShownIn({ role, rank }: { role: number; rank: number }): number[] {
  return rank === fullMemberRank ? [role, fullMemberRank] : [role];
}
