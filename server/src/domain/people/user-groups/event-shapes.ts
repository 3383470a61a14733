/**
 * Only clients that asked for deactivated groups receive them. For other clients a deactivated group is removed, a
 * reactivated group is added, and changes in between are not sent.
 */
import type { UserGroup } from "@skein/api/user-groups.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { EventShape } from "../../../events/queue.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { GroupRow } from "./queries.ts";

/** The event as stored in the log. */
interface GroupEvent extends EmittedEvent {
  type: "user_group";
  /** The group is deactivated. */
  dormant?: true;
  /** This event deactivates the group. */
  leaving?: true;
  /** This event reactivates the group, which this field holds. */
  returning?: UserGroup;
}

// Every event of this type is one; those of system groups have none of these fields.
const isGroupEvent = (event: EmittedEvent): event is GroupEvent => event.type === "user_group";

type GroupChange = { op: string } & Record<string, unknown>;

/** Emits a change of a group to everyone. */
export function emitGroupEvent(tx: Tx, group: GroupRow, change: GroupChange): void {
  const event: GroupEvent = { type: "user_group", ...change, ...(group.deactivated ? { dormant: true } : {}) };
  emit(tx, group.realm_id, toEveryone, event);
}

export const emitGroupUpdate = (tx: Tx, group: GroupRow, data: Partial<UserGroup>): void =>
  emitGroupEvent(tx, group, { op: "update", group_id: group.id, data });

/** `group` is the group after the change. */
export function emitActivation(tx: Tx, realmId: number, group: UserGroup): void {
  const { id, deactivated } = group;
  const event: GroupEvent = { type: "user_group", op: "update", group_id: id, data: { deactivated } };
  emit(tx, realmId, toEveryone, deactivated ? { ...event, leaving: true } : { ...event, returning: group });
}

const userGroupShape: EventShape = {
  variant: (_, { options }) => String(options.include_deactivated_groups),
  shape(event, { options }) {
    if (!isGroupEvent(event)) return event;
    const { dormant, leaving, returning, ...plain } = event;
    if (options.include_deactivated_groups) return plain;
    if (dormant) return undefined;
    if (leaving) return { type: "user_group", op: "remove", group_id: plain["group_id"] };
    return returning ? { type: "user_group", op: "add", group: returning } : plain;
  },
};

export const userGroupEventShapes: [string, EventShape][] = [["user_group", userGroupShape]];
