/**
 * What each reader is told of a new user. The event travels with the whole account, because the addresses and the
 * picture it shows depend on who reads; it is shaped by the same function as every answer.
 */
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { EventShape, Queue } from "../../events/queue.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { canSeeAddress } from "./email.ts";
import { accountColumns, toUserObject, type Account } from "./queries.ts";

interface NewUserEvent extends EmittedEvent {
  type: "realm_user";
  op: "add";
  /** As JSON has it: the time is text. */
  account: Omit<Account, "date_joined"> & { date_joined: string };
  host: string;
}

export function emitNewUser(tx: Tx, realmId: number, account: Account, host: string): void {
  const known = Object.fromEntries(accountColumns.map((column) => [column, account[column]])) as Account; // all of its columns
  const event: NewUserEvent = {
    type: "realm_user",
    op: "add",
    account: { ...known, date_joined: account.date_joined.toISOString() },
    host,
  };
  emit(tx, realmId, toEveryone, event);
}

// Only emitNewUser makes events of this type and op.
const isNewUser = (event: EmittedEvent): event is NewUserEvent => event.op === "add";

const readAccount = ({ account }: NewUserEvent): Account => ({
  ...account,
  date_joined: new Date(account.date_joined),
});

const realmUserShape: EventShape = {
  variant: (event, { user, options }: Queue) =>
    isNewUser(event) ? `${canSeeAddress(user, readAccount(event))} ${options.client_gravatar}` : "",
  shape: (event, { user, options }: Queue) => {
    if (!isNewUser(event)) return event;
    const how = {
      host: event.host,
      client_gravatar: options.client_gravatar,
      include_custom_profile_fields: true,
    };
    return { type: "realm_user", op: "add", person: toUserObject(user, readAccount(event), how) };
  },
};

export const userEventShapes: [string, EventShape][] = [["realm_user", realmUserShape]];
