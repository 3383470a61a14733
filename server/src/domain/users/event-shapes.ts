/**
 * News of users whose words depend on who reads: addresses and pictures are not shown alike to all, and some guests see
 * a stranger. Such an event travels with what is known of the account, and is shaped by the functions that shape every
 * answer.
 */
import { roles, type ProfileData } from "@skein/api/users.ts";
import { toEveryone, type Audience } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape, Queue } from "../../events/queue.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { avatarUrl, isAvatarComputable, type Pictured } from "./avatar.ts";
import { apiEmail, canSeeAddress, type Addressed } from "./email.ts";
import { accountColumns, strangersName, toStranger, toUserObject, type Account } from "./queries.ts";

/** As JSON has it: the time is text. */
type LoggedAccount = Omit<Account, "date_joined"> & { date_joined: string };

/** Somebody is there, or has come into sight. */
interface Appearance extends EmittedEvent {
  op: "add";
  account: LoggedAccount;
  profile_data: ProfileData;
  /** Guests see only a stranger as yet. */
  hidden_from_guests: boolean;
}

/** Somebody is out of sight; for clients that need somebody for every id. */
interface Disappearance extends EmittedEvent {
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

interface Appearing {
  profile_data?: ProfileData;
  hidden_from_guests?: boolean;
  audience?: Audience;
}

export function emitAppearance(tx: Tx, realmId: number, account: Account, how: Appearing = {}): void {
  const { profile_data = {}, hidden_from_guests = false, audience = toEveryone } = how;
  const known = pick(account, accountColumns);
  const event: Appearance = {
    type: "realm_user",
    op: "add",
    account: { ...known, date_joined: known.date_joined.toISOString() },
    profile_data,
    hidden_from_guests,
  };
  emit(tx, realmId, audience, event);
}

/** Two events: the second is only for clients that are to know somebody for every id. */
export function emitDisappearance(tx: Tx, realmId: number, userId: number, audience: Audience): void {
  const gone = { type: "realm_user", op: "remove", person: { user_id: userId, full_name: strangersName } };
  emit(tx, realmId, audience, gone);
  const event: Disappearance = { type: "realm_user", op: "add", stranger: userId };
  emit(tx, realmId, audience, event);
}

/** The address the API knows the account by. */
export function emitApiEmail(tx: Tx, realmId: number, account: Addressed, audience: Audience): void {
  const event: AddressChange = { type: "realm_user", op: "update", address_of: pick(account, addressed) };
  emit(tx, realmId, audience, event);
}

export function emitAvatar(tx: Tx, realmId: number, account: Pictured, audience: Audience): void {
  const event: AvatarChange = { type: "realm_user", op: "update", picture_of: pick(account, pictured) };
  emit(tx, realmId, audience, event);
}

// Only the functions above make events of this type with such fields.
const isAppearance = (event: EmittedEvent): event is Appearance => "account" in event;
const isDisappearance = (event: EmittedEvent): event is Disappearance => "stranger" in event;
const isAddressChange = (event: EmittedEvent): event is AddressChange => "address_of" in event;
const isAvatarChange = (event: EmittedEvent): event is AvatarChange => "picture_of" in event;

const readAccount = ({ account }: Appearance): Account => ({
  ...account,
  date_joined: new Date(account.date_joined),
});

const isHidden = (event: Appearance, { user }: Queue): boolean =>
  event.hidden_from_guests && user.role === roles.guest && !event.account.is_bot && event.account.id !== user.id;

const appeared = (event: Appearance, queue: Queue) => {
  if (isHidden(event, queue)) return stranger(event.account.id, queue);
  const { user, options } = queue;
  const how = {
    host: user.host,
    client_gravatar: options.client_gravatar,
    profileOf: () => event.profile_data,
  };
  return { type: "realm_user", op: "add", person: toUserObject(user, readAccount(event), how) };
};

const stranger = (userId: number, { user, options }: Queue) =>
  options.user_list_incomplete
    ? undefined
    : { type: "realm_user", op: "add", person: toStranger(userId, { host: user.host, profileOf: () => ({}) }) };

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
    if (isAppearance(event)) {
      if (isHidden(event, queue)) return `hidden ${options.user_list_incomplete}`;
      return `${canSeeAddress(user, readAccount(event))} ${options.client_gravatar}`;
    }
    if (isDisappearance(event)) return String(options.user_list_incomplete);
    return isAvatarChange(event) ? String(options.client_gravatar) : "";
  },
  shape: (event, queue: Queue) => {
    const { user, options } = queue;
    if (isAppearance(event)) return appeared(event, queue);
    if (isDisappearance(event)) return stranger(event.stranger, queue);
    if (isAvatarChange(event)) return updated(newAvatar(event.picture_of, options.client_gravatar));
    if (isAddressChange(event)) {
      const { address_of: account } = event;
      return updated({ user_id: account.id, new_email: apiEmail(account, user.host) });
    }
    return event;
  },
};

export const userEventShapes: [string, EventShape][] = [["realm_user", realmUserShape]];
