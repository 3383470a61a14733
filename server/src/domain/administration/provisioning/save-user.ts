/**
 * Makes an account what the directory says: address, name, role, profile, and whether it is active. The caller holds the
 * organization's lock for provisioning (beginChange), and everything happens in one transaction.
 *
 * Closing an account is part of that transaction, which the caller runs inside revoke(): no request of the person succeeds
 * after the response, on any node.
 */
import { isDeepStrictEqual } from "node:util";
import { textLength } from "@skein/api/endpoint.ts";
import { maxFullNameLength, minFullNameLength, type Role } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isEmail } from "../../base/email-address.ts";
import { endBrowserSessions } from "../../people/auth/browser-sessions.ts";
import { updateProfileByDirectory } from "../../people/profile-fields/values.ts";
import { isOnlyOwner, lockAccount, type LockedAccount } from "../../people/users/access.ts";
import { changeEmail } from "../../people/users/addresses.ts";
import { changeFullName } from "../../people/users/rename.ts";
import { addUser } from "../users/actions.ts";
import { deactivateUser, reactivateUser } from "../users/activation.ts";
import { updateRole } from "../users/role.ts";
import { greetNewcomer } from "../users/welcome.ts";
import { schemasOf, textAt, type AttributeMap } from "./attribute-map.ts";
import { isObject, type Json, type JsonObject } from "./filter.ts";
import { roleNames } from "./schemas.ts";
import { invalid, scimError, taken } from "./scim-error.ts";
import { listNamed, roleNumbers, type PersonRow } from "./show-users.ts";
import type { Directory } from "./tokens.ts";

/** What is known before the transaction begins. */
export interface Preparation {
  map: AttributeMap;
  /** The reason why an address is not accepted, or undefined. */
  objection: (address: string) => string | undefined;
  /** Of the password that the directory sends, unless it is the account's already. */
  passwordHash: string | undefined;
}

/** What the directory wants an account to be. */
interface Wanted {
  userName: string;
  address: string;
  /** Undefined: whatever it is. */
  fullName: string | undefined;
  role: Role | undefined;
  active: boolean | undefined;
  externalId: string | null;
  /** Everything that the chat does not know. */
  attributes: JsonObject;
}

const maxUserName = 254;

function readWanted(resource: JsonObject): Wanted {
  const { userName, externalId, active, role, roles, password: _, id: __, ...attributes } = resource;
  if (typeof userName !== "string" || userName.trim() === "") throw invalid("invalidValue", "userName is required.");
  if (textLength(userName) > maxUserName) throw invalid("invalidValue", "userName is too long.");
  const address = addressOf(attributes["emails"]) ?? userName;
  if (!isEmail(address)) throw invalid("invalidValue", "There is no e-mail address in emails, and userName is none.");
  return {
    userName,
    address,
    fullName: fullNameOf(attributes),
    role: readRole(roles, role),
    active: typeof active === "boolean" ? active : undefined,
    externalId: typeof externalId === "string" ? externalId : null,
    attributes,
  };
}

/** The primary address, else the one at work, else the first. */
function addressOf(emails: Json | undefined): string | undefined {
  const all = (Array.isArray(emails) ? emails : []).filter(isObject).filter(({ value }) => typeof value === "string");
  const chosen = all.find(({ primary }) => primary === true) ?? all.find(({ type }) => type === "work") ?? all[0];
  return typeof chosen?.["value"] === "string" ? chosen["value"] : undefined;
}

function fullNameOf({ displayName, name }: JsonObject): string | undefined {
  const parts = isObject(name) ? name : {};
  const joined = [parts["givenName"], parts["familyName"]].filter((part) => typeof part === "string").join(" ");
  return [displayName, parts["formatted"], joined].map(toFullName).find((each) => each !== undefined);
}

/** Without the characters that the chat does not allow in names; undefined if nothing is left. */
function toFullName(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const allowed = text.replaceAll(/[*`\\>"@]|\p{C}/gu, "").replaceAll(/\s+/g, " ");
  const name = Array.from(allowed.trim().replace(/(\|\d+)+$/, ""))
    .slice(0, maxFullNameLength)
    .join("")
    .trim();
  return textLength(name) < minFullNameLength ? undefined : name;
}

const fallbackName = (address: string): string =>
  toFullName(address.split("@")[0]) ?? toFullName(address.replace("@", " ")) ?? "Somebody";

/** `roles` wins, because Microsoft Entra knows no other; an empty list says nothing. */
function readRole(roles: Json | undefined, role: Json | undefined): Role | undefined {
  const listed = (Array.isArray(roles) ? roles : []).filter(isObject).filter(({ value }) => typeof value === "string");
  const chosen = listed.find(({ primary }) => primary === true) ?? listed.at(-1);
  const inList = chosen?.["value"];
  const given = typeof inList === "string" ? roleInside(inList) : role;
  if (given === undefined) return undefined;
  const name = roleNames.find((each) => typeof given === "string" && each === given.toLowerCase());
  if (!name) throw invalid("invalidValue", `The role is none of ${roleNames.join(", ")}.`);
  return roleNumbers[name];
}

/** Microsoft Entra sends JSON as text. */
function roleInside(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    const value = isObject(parsed) ? parsed["value"] : undefined;
    return typeof value === "string" ? value : text;
  } catch {
    return text;
  }
}

const inUse = () => taken("Another account has this user name or e-mail address.");

/** The account that the directory deleted earlier and now creates again, if there is one. Throws if the name is taken. */
export async function findDeleted(tx: Tx, { realm }: Directory, resource: JsonObject): Promise<number | undefined> {
  const { userName, address } = readWanted(resource);
  const [first, ...others] = await listNamed(tx, realm.id, [userName, address]);
  if (!first) return undefined;
  if (!first.is_deleted || others.length > 0) throw inUse();
  return first.id;
}

export async function createPerson(
  tx: Tx,
  ctx: TxContext,
  directory: Directory,
  resource: JsonObject,
  preparation: Preparation,
): Promise<number> {
  const { realm } = directory;
  const wanted = readWanted(resource);
  refuseAddress(preparation, wanted.address);
  const user = await uniquely(
    addUser(tx, realm, {
      email: wanted.address,
      full_name: wanted.fullName ?? fallbackName(wanted.address),
      password_hash: preparation.passwordHash ?? null,
      ...(wanted.role === undefined ? {} : { role: wanted.role }),
    }),
  );
  await fillInProfile(tx, directory, preparation, user.id, {}, wanted.attributes);
  await store(tx, directory, user.id, wanted);
  if (wanted.active === false) await deactivateUser(tx, realm, user.id);
  else await greetNewcomer(tx, ctx, realm, user);
  return user.id;
}

function refuseAddress({ objection }: Preparation, address: string): void {
  const reason = objection(address);
  if (reason !== undefined) throw invalid("invalidValue", reason);
}

/** Somebody else may take an address between our check and our change. */
async function uniquely<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof ApiError && error.message === "Email is already in use." ? inUse() : error;
  }
}

/**
 * Brings an account in line with the resource. `row` is the account as it was when the change began; `isWhole` if the
 * directory has sent all of the resource.
 */
export async function updatePerson(
  tx: Tx,
  directory: Directory,
  row: PersonRow,
  resource: JsonObject,
  preparation: Preparation & { isWhole: boolean },
): Promise<void> {
  const { realm } = directory;
  const wanted = readWanted(resource);
  const account = await lockAccount(tx, realm, row.id);
  const others = await listNamed(tx, realm.id, [wanted.userName, wanted.address]);
  if (others.some(({ id }) => id !== row.id)) throw inUse();
  const role = wanted.role ?? account.role;
  const active = wanted.active ?? account.is_active;
  if ((role !== account.role || !active) && (await isOnlyOwner(tx, account))) throw onlyOwner();

  // An account that is reopened is open before it changes, and one that is closed changes before it is closed, so that
  // everybody receives the events.
  if (active && !account.is_active) await reactivateUser(tx, realm, row.id);
  const isNew = await applyChanges(tx, directory, account, wanted, preparation);
  await fillInProfile(tx, directory, preparation, row.id, row.attributes ?? {}, wanted.attributes);
  if (!active && account.is_active) await deactivateUser(tx, realm, row.id);

  // An account's address is its user name until the directory gives it another.
  const isUnnamed = !preparation.isWhole && row.user_name === null;
  const isOwn = isUnnamed && wanted.userName === row.delivery_email && wanted.address === row.delivery_email;
  const userName = isOwn ? null : wanted.userName;
  const isSame =
    !row.is_deleted &&
    userName === row.user_name &&
    wanted.externalId === row.external_id &&
    isDeepStrictEqual(plain(wanted.attributes), row.attributes ?? {});
  if (!isSame || isNew || active !== account.is_active) await store(tx, directory, row.id, { ...wanted, userName });
}

/** Without fields that are undefined, as JSON stores it. */
const plain = (value: JsonObject): unknown => JSON.parse(JSON.stringify(value));

const onlyOwner = () => scimError(403, "The only owner of the organization cannot be deactivated or lose the role.");

/** Returns whether anything has changed. */
async function applyChanges(
  tx: Tx,
  { realm }: Directory,
  account: LockedAccount,
  { address, fullName, role }: Wanted,
  preparation: Preparation,
): Promise<boolean> {
  const { id } = account;
  const hasNewAddress = address !== account.delivery_email;
  if (hasNewAddress) {
    refuseAddress(preparation, address);
    await uniquely(changeEmail(tx, realm, account, address));
  }
  if (fullName !== undefined) await changeFullName(tx, realm, account, fullName);
  if (role !== undefined) await updateRole(tx, realm, id, role);
  const { passwordHash } = preparation;
  if (passwordHash !== undefined) {
    await tx.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", id).execute();
    await endBrowserSessions(tx, account);
  }
  const hasNewName = fullName !== undefined && fullName !== account.full_name;
  const hasNewRole = role !== undefined && role !== account.role;
  return hasNewAddress || hasNewName || hasNewRole || passwordHash !== undefined;
}

/** A field changes only if its attribute has a value, or had one: nobody loses what they filled in themselves. */
async function fillInProfile(
  tx: Tx,
  { realm }: Directory,
  { map }: Preparation,
  id: number,
  before: JsonObject,
  after: JsonObject,
): Promise<void> {
  const schemas = schemasOf(map);
  const values = [...map].flatMap(([path, field]) => {
    const value = textAt(after, path, schemas) ?? null;
    return value === null && textAt(before, path, schemas) === undefined ? [] : [{ id: field, value }];
  });
  if (values.length > 0) await updateProfileByDirectory(tx, { id, realm_id: realm.id, is_bot: false }, values);
}

async function store(
  tx: Tx,
  { realm }: Directory,
  id: number,
  { userName, externalId, attributes }: Pick<Wanted, "externalId" | "attributes"> & { userName: string | null },
): Promise<void> {
  await sql`
    insert into scim_users (user_id, realm_id, user_name, external_id, attributes, modified_at)
    values (${id}, ${realm.id}, ${userName}, ${externalId}, ${JSON.stringify(attributes)}::jsonb, clock_timestamp())
    on conflict (user_id) do update set user_name = excluded.user_name, external_id = excluded.external_id,
      attributes = excluded.attributes, modified_at = excluded.modified_at, deleted_at = null`.execute(tx);
}

/** Closes the account, takes it out of the directory's groups, and hides it from the directory. Its history stays. */
export async function deletePerson(tx: Tx, { realm }: Directory, id: number): Promise<void> {
  const account = await lockAccount(tx, realm, id);
  if (await isOnlyOwner(tx, account)) throw onlyOwner();
  if (account.is_active) await deactivateUser(tx, realm, id);
  await sql`
    delete from user_group_members m using user_groups g
    where m.user_id = ${id} and g.id = m.group_id and g.managed_by = 'scim'`.execute(tx);
  await sql`
    insert into scim_users (user_id, realm_id, attributes, modified_at, deleted_at)
    values (${id}, ${realm.id}, '{}', clock_timestamp(), clock_timestamp())
    on conflict (user_id) do update set modified_at = excluded.modified_at, deleted_at = excluded.deleted_at`.execute(
    tx,
  );
}
