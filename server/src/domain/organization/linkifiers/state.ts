/** Linkifiers in the registration state and in events. Clients without support for URL templates receive none. */
import type { EventShape } from "../../../events/queue.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { listLinkifiers } from "./queries.ts";

export const linkifierState: StatePart = {
  types: ["realm_linkifiers"],
  sharedBy: ({ options }) => String(options.linkifier_url_template),
  load: async (db, { user, options }) => ({
    realm_linkifiers: options.linkifier_url_template ? await listLinkifiers(db, user.realm_id) : [],
  }),
};

/** The old format without templates; always empty. */
export const filterState: StatePart = {
  types: ["realm_filters"],
  load: async () => ({ realm_filters: [] }),
};

const linkifierShape: EventShape = {
  variant: (_, queue) => String(queue.options.linkifier_url_template),
  shape: (event, queue) => (queue.options.linkifier_url_template ? event : undefined),
};

export const linkifierEventShapes: [string, EventShape][] = [["realm_linkifiers", linkifierShape]];
