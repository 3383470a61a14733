/** Says what an entry of the audit log is about, in words: names instead of ids and numbers. */
import "../text/chunks/audit-log.ts";
import "../text/chunks/roles.ts";
import type { Entry } from "../store/audit-log.ts";
import { findChannel } from "../store/channels.ts";
import { findGroup, groupName } from "../store/group-settings.ts";
import { findPerson, peopleById } from "../store/people.ts";
import { hasText, t, type TextKey } from "../text/t.ts";
import { fullTime } from "../text/time.ts";

/** A later release of the server may have more of them than this client has texts for. */
function textOr(key: string, fallback: string): string {
  const known = key as TextKey; // checked next
  return hasText(known) ? t(known) : fallback;
}

/** What can be changed, in the order of the filter. */
export const targetKinds = [
  "user",
  "bot",
  "user_group",
  "channel",
  "channel_folder",
  "default_channel_group",
  "realm",
  "realm_domain",
  "profile_field",
  "linkifier",
  "playground",
  "emoji",
  "invitation",
  "message",
  "export",
  "import",
  "audit_destination",
  "identity_provider",
  "scim_token",
  "api_key",
  "session",
] as const;

export const actionName = (action: string): string =>
  textOr(`audit.action.${action.replace(".", "-")}`, words(action.replace(".", ": ")));

export const targetKindName = (kind: string): string => textOr(`audit.kind.${kind}`, words(kind));

/** Actions by what they are about. */
export function groupsOf(actions: readonly string[]): [kind: string, actions: string[]][] {
  const groups = new Map<string, string[]>();
  for (const action of actions) {
    const [kind = ""] = action.split(".");
    groups.set(kind, [...(groups.get(kind) ?? []), action]);
  }
  return [...groups];
}

const words = (name: string): string => {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export function actorName({ actor }: Entry): string {
  if (actor.id !== null && (actor.kind === "user" || actor.kind === "bot")) return findPerson(actor.id).full_name;
  return textOr(`audit.actor.${actor.kind}`, words(actor.kind));
}

/** Undefined if the action says it already. */
export function targetName({ actor, target: { kind, id }, before, after }: Entry): string | undefined {
  const given = after?.["name"] ?? before?.["name"] ?? after?.["email"] ?? after?.["domain"] ?? before?.["domain"];
  if (kind === "realm" || (kind === actor.kind && id === actor.id)) return undefined;
  if (id === null) return typeof given === "string" ? given : undefined;
  return nameOfThing(kind, id) ?? (typeof given === "string" ? given : t("audit.number", { id: String(id) }));
}

function nameOfThing(kind: string, id: number): string | undefined {
  switch (kind) {
    case "user":
    case "bot":
      return peopleById.value.get(id)?.full_name;
    case "channel": {
      const channel = findChannel(id);
      return channel && `#${channel.name}`;
    }
    case "user_group": {
      const group = findGroup(id);
      return group && groupName(group);
    }
    default:
      return undefined;
  }
}

interface FieldChange {
  name: string;
  before: unknown;
  after: unknown;
}

export const changesOf = ({ before, after }: Entry): FieldChange[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map((name) => ({
    name,
    before: before?.[name] ?? null,
    after: after?.[name] ?? null,
  }));

export const fieldName = (name: string): string => textOr(`audit.field.${name}`, words(name));

const roleNumbers: readonly unknown[] = [100, 200, 300, 400, 600];

/** What the ids in a field stand for. */
function kindOfIds(name: string): string | undefined {
  if (/^(user|owner|author|sender|acting_user)_ids?$|members$|^(people|users|invited_users)$/.test(name)) return "user";
  if (/(channel|stream)(_id|_ids|s)$/.test(name)) return "channel";
  return /_group$|subgroups$|^groups$/.test(name) ? "user_group" : undefined;
}

/** The value of a field, in words. */
export function valueText(name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return t("audit.nothing");
  if (typeof value === "boolean") return t(value ? "audit.yes" : "audit.no");
  if (name === "role" && roleNumbers.includes(value)) return t(`role.one.${value as 100}`); // one of them
  if (typeof value === "number") {
    if (name.endsWith("_at") || name === "timestamp") return fullTime(value);
    const kind = kindOfIds(name);
    return (kind && nameOfThing(kind, value)) ?? String(value);
  }
  if (typeof value === "string") return value;
  if (Array.isArray(value))
    return value.length === 0 ? t("audit.nothing") : value.map((each) => valueText(name, each)).join(", ");
  return Object.entries(value)
    .map(([key, each]) => `${fieldName(key)}: ${valueText(key, each)}`)
    .join("; ");
}
