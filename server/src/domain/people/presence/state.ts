import { roles } from "@skein/api/users.ts";
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { EventShape, QueueOptions } from "../../../events/queue.ts";
import { membersOf, type StatePart } from "../../../events/state-part.ts";
import { SharedText } from "../../../platform/shared-text.ts";
import { listPresencesFor } from "./queries.ts";

export const presenceState: StatePart = {
  types: ["presence"],
  async load(db, { ctx, user, options, presenceHistoryDays, moment }) {
    const isSlim = isModern(options);
    const load = () => listPresencesFor(ctx, db, user, { historyDays: presenceHistoryDays, isSlim });
    const known = await ctx.presences.of(user.realm_id, db);
    const isOwn = user.role === roles.guest || ctx.presences.pending(known, user.id) !== undefined;
    if (isOwn) return load();
    const key = [user.realm_id, presenceHistoryDays, isSlim].join(" ");
    return moment.once(presenceState, key, async () => [new SharedText(membersOf(await load()))]);
  },
};

const isModern = ({ slim_presence, simplified_presence_events }: QueueOptions): boolean =>
  slim_presence || simplified_presence_events === true;

/** The event as stored in the log. */
interface PresenceEvent extends EmittedEvent {
  user_id: number;
  email: string;
  server_timestamp: number;
  presence: { website: { status: string; timestamp: number } };
  /** Missing in events of the previous release. */
  active_timestamp?: number;
}

/** Clients that identify users by id do not need e-mail addresses. */
const presenceShape: EventShape = {
  variant: (_, { options }) => [options.slim_presence, options.simplified_presence_events].join(),
  shape(emitted, { options }) {
    const { email, active_timestamp, ...event } = emitted as PresenceEvent; // all events of this type
    if (options.simplified_presence_events) {
      const { type, user_id, server_timestamp, presence } = event;
      const { status, timestamp } = presence.website;
      const idle_timestamp = status === "active" ? Math.floor(server_timestamp) : timestamp;
      return { type, presences: { [user_id]: { active_timestamp: active_timestamp ?? timestamp, idle_timestamp } } };
    }
    return options.slim_presence ? event : { ...event, email };
  },
};

export const presenceEventShapes: [string, EventShape][] = [["presence", presenceShape]];
