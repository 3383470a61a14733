/**
 * What an API key may be used for. Every endpoint declares the scope it needs, and every type of event has one, too. A
 * scope never adds to what the account's role permits.
 */

/** For everybody. */
const scopesOfMembers = {
  "*": "Everything the account may do, now and in later releases.",
  "messages:read": "Read messages, their history, drafts and scheduled messages.",
  "messages:write": "Send, edit and delete messages, react to them, and mark them as read.",
  "channels:read": "Read channels, topics and subscriptions.",
  "channels:manage": "Create and change channels, and subscribe and unsubscribe people.",
  "users:read": "Read people, groups, their status and presence.",
  events: "Register event queues and read them; the events themselves need the scopes of their types.",
  files: "Upload, list, download and delete files.",
  account: "Change the account's own settings, keys, sessions, devices and bots.",
} as const;

/** For administrators only. */
const scopesOfAdministrators = {
  "users:manage": "Invite, create, change and deactivate people, and change groups.",
  admin: "Change everything else about the organization.",
} as const;

const descriptions = { ...scopesOfMembers, ...scopesOfAdministrators };
/** A scope that a key can have; `*` stands for all others. */
export type GrantableScope = keyof typeof descriptions;
/** A scope that an endpoint can need. */
export type Scope = Exclude<GrantableScope, "*">;

export const grantableScopes: ReadonlySet<string> = new Set(Object.keys(descriptions));
export const administratorScopes: ReadonlySet<string> = new Set(Object.keys(scopesOfAdministrators));

export const describeScopes = (isAdministrator: boolean): { name: string; description: string }[] =>
  Object.entries(isAdministrator ? descriptions : scopesOfMembers).map(([name, description]) => ({
    name,
    description,
  }));
