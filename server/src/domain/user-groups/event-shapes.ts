/**
 * Groups that are out of use exist only for clients that asked for them. To the others deactivation is removal, a group
 * that comes back is new, and what happens to it meanwhile is not told.
 */
import type { UserGroup } from "@skein/api/user-groups.ts";
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape } from "../../events/queue.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { GroupRow } from "./queries.ts";

/** As it stands in the log. */
interface GroupEvent extends EmittedEvent {
  type: "user_group";
  /** The group is out of use. */
  dormant?: true;
  /** It goes out of use with this. */
  leaving?: true;
  /** With the return of a group: the group. */
  returning?: UserGroup;
}

// Every event of this type is one; those of system groups have neither field.
const isGroupEvent = (event: EmittedEvent): event is GroupEvent => event.type === "user_group";

type News = { op: string } & Record<string, unknown>;

/** Tells of a change of a group. */
export function emitGroupEvent(tx: Tx, group: GroupRow, news: News): void {
  const event: GroupEvent = { type: "user_group", ...news, ...(group.deactivated ? { dormant: true } : {}) };
  emit(tx, group.realm_id, toEveryone, event);
}

export const emitGroupUpdate = (tx: Tx, group: GroupRow, data: Partial<UserGroup>): void =>
  emitGroupEvent(tx, group, { op: "update", group_id: group.id, data });

/** `group` as it is afterwards. */
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
