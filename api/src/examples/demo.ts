/** Accounts, channels and groups of the demo organization that examples refer to. */
export const people = {
  owner: 3,
  mei: 4,
  kofi: 5,
  priya: 8,
  aisha: 10,
  maya: 26,
  arjun: 27,
  omar: 31,
  lucia: 32,
  buildBot: 34,
};
export const channels = { announcements: 1, general: 2, design: 3, engineering: 4, infrastructure: 5, random: 9 };
export const groups = { backend: 11, frontend: 14, mobile: 17, support: 23, onCall: 26 };
/** Files beside the commands; scripts/example-files.ts creates them. */
export const files = { picture: "picture.png", document: "notes.txt" };
