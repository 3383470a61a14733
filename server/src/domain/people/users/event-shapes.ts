/**
 * Events about users that depend on the reader: not everyone sees the same address and picture, and some guests see an
 * unknown user instead. The log stores such an event with the account's data, and the functions that shape responses
 * shape it for each queue.
 */
import { roles, type ProfileData } from "@skein/api/users.ts";
import { toEveryone, type Audience } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { EventShape, Queue } from "../../../events/queue.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { avatarUrl, isAvatarComputable, type Pictured } from "./avatar.ts";
import { apiEmail, canSeeAddress, type Addressed } from "./email.ts";
import { accountColumns, unknownUserName, toUnknownUser, toUserObject, type Account } from "./queries.ts";

/** The account in JSON: the time is text. Of the previous release, it does not say whether it is a stub. */
type LoggedAccount = Omit<Account, "date_joined" | "is_imported_stub"> & {
  date_joined: string;
  is_imported_stub?: boolean;
};

/** A user was created or has become visible to the audience. */
interface UserAdded extends EmittedEvent {
  op: "add";
  account: LoggedAccount;
  profile_data: ProfileData;
  /** Guests see an unknown user for now. */
  hidden_from_guests: boolean;
}

/** A user is no longer visible: clients that need a user object for every id get that of an unknown user. */
interface UnknownUserAdded extends EmittedEvent {
  op: "add";
  stranger: number;
}

interface AddressChange extends EmittedEvent {
  op: "update";
  address_of: Addressed;
}

interface AvatarChange extends EmittedEvent {
  op: "update";
  picture_of: Pictured;
}

const pick = <T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>; // all of its keys

const addressed = ["id", "delivery_email", "email_address_visibility", "is_bot"] as const;
const pictured = [...addressed, "avatar_source", "avatar_version", "avatar_key"] as const;

interface UserAddedOptions {
  profile_data?: ProfileData;
  hidden_from_guests?: boolean;
  audience?: Audience;
}

/** Emits that a user was created or has become visible. */
export function emitUserAdded(tx: Tx, realmId: number, account: Account, options: UserAddedOptions = {}): void {
  const { profile_data = {}, hidden_from_guests = false, audience = toEveryone } = options;
  const known = pick(account, accountColumns);
  const event: UserAdded = {
    type: "realm_user",
    op: "add",
    account: { ...known, date_joined: known.date_joined.toISOString() },
    profile_data,
    hidden_from_guests,
  };
  emit(tx, realmId, audience, event);
}

/** Emits that a user is no longer visible; clients that need a user object for every id get an unknown user as well. */
export function emitUserRemoved(tx: Tx, realmId: number, userId: number, audience: Audience): void {
  const gone = { type: "realm_user", op: "remove", person: { user_id: userId, full_name: unknownUserName } };
  emit(tx, realmId, audience, gone);
  const event: UnknownUserAdded = { type: "realm_user", op: "add", stranger: userId };
  emit(tx, realmId, audience, event);
}

/** Emits the address that the API reports for the account. */
export function emitApiEmail(tx: Tx, realmId: number, account: Addressed, audience: Audience): void {
  const event: AddressChange = { type: "realm_user", op: "update", address_of: pick(account, addressed) };
  emit(tx, realmId, audience, event);
}

export function emitAvatar(tx: Tx, realmId: number, account: Pictured, audience: Audience): void {
  const event: AvatarChange = { type: "realm_user", op: "update", picture_of: pick(account, pictured) };
  emit(tx, realmId, audience, event);
}

// Only the functions above emit events of this type with such fields.
const isUserAdded = (event: EmittedEvent): event is UserAdded => "account" in event;
const isUnknownUserAdded = (event: EmittedEvent): event is UnknownUserAdded => "stranger" in event;
const isAddressChange = (event: EmittedEvent): event is AddressChange => "address_of" in event;
const isAvatarChange = (event: EmittedEvent): event is AvatarChange => "picture_of" in event;

const readAccount = ({ account }: UserAdded): Account => ({
  is_imported_stub: false,
  ...account,
  date_joined: new Date(account.date_joined),
});

const isHidden = (event: UserAdded, { user }: Queue): boolean =>
  event.hidden_from_guests && user.role === roles.guest && !event.account.is_bot && event.account.id !== user.id;

const addUser = (event: UserAdded, queue: Queue) => {
  if (isHidden(event, queue)) return addUnknownUser(event.account.id, queue);
  const { user, options } = queue;
  const how = {
    host: user.host,
    client_gravatar: options.client_gravatar,
    profileOf: () => event.profile_data,
  };
  return { type: "realm_user", op: "add", person: toUserObject(user, readAccount(event), how) };
};

const addUnknownUser = (userId: number, { user, options }: Queue) =>
  options.user_list_incomplete
    ? undefined
    : { type: "realm_user", op: "add", person: toUnknownUser(userId, { host: user.host, profileOf: () => ({}) }) };

const updated = (person: object) => ({ type: "realm_user", op: "update", person });

const newAvatar = (account: Pictured, clientComputes: boolean) => ({
  user_id: account.id,
  avatar_url: clientComputes && isAvatarComputable(account) ? null : avatarUrl(account),
  avatar_url_medium: avatarUrl(account, "medium"),
  avatar_source: account.avatar_source,
  avatar_version: account.avatar_version,
});

const realmUserShape: EventShape = {
  variant: (event, queue: Queue) => {
    const { user, options } = queue;
    if (isUserAdded(event)) {
      if (isHidden(event, queue)) return `hidden ${options.user_list_incomplete}`;
      return `${canSeeAddress(user, readAccount(event))} ${options.client_gravatar}`;
    }
    if (isUnknownUserAdded(event)) return String(options.user_list_incomplete);
    return isAvatarChange(event) ? String(options.client_gravatar) : "";
  },
  shape: (event, queue: Queue) => {
    const { user, options } = queue;
    if (isUserAdded(event)) return addUser(event, queue);
    if (isUnknownUserAdded(event)) return addUnknownUser(event.stranger, queue);
    if (isAvatarChange(event)) return updated(newAvatar(event.picture_of, options.client_gravatar));
    if (isAddressChange(event)) {
      const { address_of: account } = event;
      return updated({ user_id: account.id, new_email: apiEmail(account, user.host) });
    }
    return event;
  },
};

export const userEventShapes: [string, EventShape][] = [["realm_user", realmUserShape]];
