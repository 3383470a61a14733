/**
 * The groups every organization has. Their members are not stored: a user whose rank is at most `max_rank` is in the
 * group (the rank is the role, or 390 for a full member), so each group includes all narrower ones.
 */
export const systemGroups = {
  "role:nobody": { max_rank: 0, description: "Nobody" },
  "role:owners": { max_rank: 100, description: "Owners" },
  "role:administrators": { max_rank: 200, description: "Administrators and owners" },
  "role:moderators": { max_rank: 300, description: "Moderators, administrators and owners" },
  "role:fullmembers": { max_rank: 390, description: "Everyone except guests and members still in the waiting period" },
  "role:members": { max_rank: 400, description: "Everyone except guests" },
  "role:everyone": { max_rank: 600, description: "Everyone with an account, including guests" },
  "role:internet": { max_rank: 1000, description: "Everyone on the internet" },
} as const;

export type SystemGroupName = keyof typeof systemGroups;

// Object.keys knows only strings; these are the keys of the table above, from narrow to wide.
export const systemGroupNames = Object.keys(systemGroups) as SystemGroupName[];

/** The rank of members past the waiting period. */
export const fullMemberRank = systemGroups["role:fullmembers"].max_rank;

/**
 * The system groups, by `max_rank`, that list a user as a direct member: the group of the user's role (its `max_rank` is
 * the role's number) and, for full members, that group too. Wider groups include the user through their subgroups.
 */
export function directSystemGroups({ role, rank }: { role: number; rank: number }): number[] {
  return rank === fullMemberRank ? [role, fullMemberRank] : [role];
}
