/** Accounts as SCIM users. Every person of the organization is one, whoever created the account; bots are none. */
import { roles, type Role } from "@skein/api/users.ts";
import { sql, type RawBuilder } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { isObject, requiredText, type Filter, type JsonObject } from "./filter.ts";
import type { Source } from "./find.ts";
import { roleNames, urns, type RoleName, type Schemas } from "./schemas.ts";
import type { Directory } from "./tokens.ts";

export interface PersonRow {
  id: number;
  delivery_email: string;
  full_name: string;
  role: number;
  is_active: boolean;
  date_joined: Date;
  /** What the directory has said; null for an account that it has never changed. */
  user_name: string | null;
  external_id: string | null;
  attributes: JsonObject | null;
  modified_at: Date | null;
  /** By the directory. */
  is_deleted: boolean;
  groups: { value: string; display: string }[];
}

/** SQL: accounts that the directory can see, as `u`, with what it has said about them, as `s`. */
const people = (realmId: number) => sql`
  users u left join scim_users s on s.user_id = u.id
  where u.realm_id = ${realmId} and not u.is_bot and not u.is_system_bot and (s.deleted_at is null or u.is_active)`;

const columns = sql`
  u.id, u.delivery_email, u.full_name, u.role, u.is_active, u.date_joined,
  s.user_name, s.external_id, s.attributes, s.modified_at, s.deleted_at is not null and not u.is_active as is_deleted,
  (select coalesce(jsonb_agg(jsonb_build_object('value', g.id::text, 'display', g.name) order by g.id), '[]')
    from user_group_members m join user_groups g on g.id = m.group_id
    where m.user_id = u.id and g.managed_by = 'scim' and not g.deactivated) as groups`;

export async function findPerson(db: Db, realmId: number, id: number): Promise<PersonRow | undefined> {
  const row = await loadPerson(db, realmId, id);
  return row?.is_deleted === true ? undefined : row;
}

/** Also one that the directory has deleted. */
export async function loadPerson(db: Db, realmId: number, id: number): Promise<PersonRow | undefined> {
  const { rows } = await sql<PersonRow>`
    select ${columns} from users u left join scim_users s on s.user_id = u.id
    where u.realm_id = ${realmId} and u.id = ${id} and not u.is_bot and not u.is_system_bot`.execute(db);
  return rows[0];
}

/** An id as SCIM writes it; undefined for what cannot be one. */
export const readId = (text: string): number | undefined => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined);

export function userSource(db: Db, directory: Directory, schemas: Schemas): Source {
  const realmId = directory.realm.id;
  return {
    schemas,
    narrow: (filter) => narrowPeople(realmId, filter),
    count: async () => {
      const { rows } = await sql<{ count: number }>`select count(*) from ${people(realmId)}`.execute(db);
      return rows[0]?.count ?? 0;
    },
    load: async ({ condition, afterId = 0, offset = 0, limit }) => {
      const { rows } = await sql<PersonRow>`
        select ${columns} from ${people(realmId)} and ${condition} and u.id > ${afterId}
        order by u.id limit ${limit} offset ${offset}`.execute(db);
      return rows.map((row) => ({ id: row.id, resource: toScimUser(directory, row) }));
    },
  };
}

function narrowPeople(realmId: number, filter: Filter): RawBuilder<unknown> | undefined {
  const id = requiredText(filter, "id");
  if (id !== undefined) return sql`u.id = ${readId(id) ?? 0}`;
  const externalId = requiredText(filter, "externalId");
  if (externalId !== undefined) return sql`s.realm_id = ${realmId} and s.external_id = ${storable(externalId)}`;
  const name = requiredText(filter, "userName");
  if (name !== undefined) return sql`u.id in (${named(realmId, name)})`;
  const address = requiredText(filter, "emails", "value")?.toLowerCase();
  if (address === undefined || /["\\]/.test(address)) return undefined;
  return sql`(lower(u.delivery_email) = ${storable(address)} or strpos(lower(s.attributes ->> 'emails'), ${storable(address)}) > 0)`;
}

/** PostgreSQL has no text with a null character, so nothing is equal to it. */
const storable = (text: string): string => text.replaceAll("\0", "\u{fffd}");

/** SQL: the ids of accounts with this user name or address, regardless of case. */
const named = (realmId: number, name: string) => sql`
  select id from users where realm_id = ${realmId} and lower(delivery_email) = lower(${storable(name)})
  union all
  select user_id from scim_users where realm_id = ${realmId} and lower(user_name) = lower(${storable(name)})`;

/** Accounts whose user name or address is one of these. Bots have addresses, too. */
export async function listNamed(db: Db, realmId: number, names: readonly string[]) {
  const lower = names.map((name) => storable(name).toLowerCase());
  const { rows } = await sql<{ id: number; is_deleted: boolean }>`
    select u.id, not u.is_bot and s.deleted_at is not null and not u.is_active as is_deleted
    from users u left join scim_users s on s.user_id = u.id
    where u.realm_id = ${realmId} and u.id in (
      select id from users where realm_id = ${realmId} and lower(delivery_email) = any(${lower}::text[])
      union all
      select user_id from scim_users where realm_id = ${realmId} and lower(user_name) = any(${lower}::text[]))`.execute(
    db,
  );
  return rows;
}

export const roleNumbers: Readonly<Record<RoleName, Role>> = {
  owner: roles.owner,
  administrator: roles.administrator,
  moderator: roles.moderator,
  member: roles.member,
  guest: roles.guest,
};

/** The e-mail addresses of an account for which the directory has named none. */
const ownEmails = ({ delivery_email }: PersonRow) => [{ value: delivery_email, type: "work", primary: true }];

/** The parts of the full name, for an account for which the directory has named none. */
function ownName({ full_name }: PersonRow): { givenName: string; familyName: string } {
  const [first = full_name, ...rest] = full_name.split(" ");
  return { givenName: first, familyName: rest.join(" ") || first };
}

/** What a PATCH is applied to. */
export function toPatchable(row: PersonRow): JsonObject {
  const { attributes } = row;
  return {
    ...structuredClone(attributes ?? {}),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    id: String(row.id),
    userName: row.user_name ?? row.delivery_email,
    emails: attributes?.["emails"] ?? ownEmails(row),
    name: attributes?.["name"] ?? ownName(row),
  };
}

/** Leaves out of a patched resource what is no news: what stood there only because the directory had not named it. */
export function withoutOwnValues(row: PersonRow, patched: JsonObject): JsonObject {
  const isOwn = (name: "emails" | "name", own: unknown): boolean =>
    row.attributes?.[name] === undefined && JSON.stringify(patched[name]) === JSON.stringify(own);
  const rest = { ...patched };
  if (isOwn("emails", ownEmails(row))) delete rest["emails"];
  if (isOwn("name", ownName(row))) delete rest["name"];
  return rest;
}

export function toScimUser({ base }: Directory, row: PersonRow): JsonObject {
  const { name, ...attributes } = row.attributes ?? {};
  const extensions = [urns.enterprise, urns.skein].filter((urn) => attributes[urn] !== undefined);
  const own = ownName(row);
  const given = isObject(name) ? name : {};
  return {
    schemas: [urns.user, ...extensions],
    id: String(row.id),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    userName: row.user_name ?? row.delivery_email,
    displayName: row.full_name,
    emails: ownEmails(row),
    ...attributes,
    name: {
      ...given,
      givenName: nonEmpty(given["givenName"]) ?? own.givenName,
      familyName: nonEmpty(given["familyName"]) ?? own.familyName,
    },
    active: row.is_active,
    role: roleNames.find((each) => roleNumbers[each] === row.role) ?? "member",
    groups: row.groups,
    meta: {
      resourceType: "User",
      created: row.date_joined.toISOString(),
      lastModified: (row.modified_at ?? row.date_joined).toISOString(),
      location: `${base}/Users/${row.id}`,
    },
  };
}

const nonEmpty = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
