import type { EventShape } from "../../../events/queue.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { listPresencesFor } from "./queries.ts";

export const presenceState: StatePart = {
  types: ["presence"],
  load: (db, { ctx, user, options, presenceHistoryDays }) =>
    listPresencesFor(ctx, db, user, { historyDays: presenceHistoryDays, isSlim: options.slim_presence }),
};

/** Clients that identify users by id do not need e-mail addresses. */
const presenceShape: EventShape = {
  variant: (_, { options }) => String(options.slim_presence),
  shape: ({ email, ...event }, { options }) => (options.slim_presence ? event : { ...event, email }),
};

export const presenceEventShapes: [string, EventShape][] = [["presence", presenceShape]];
