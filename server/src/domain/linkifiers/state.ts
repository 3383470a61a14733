/** Linkifiers as clients follow them. Those that do not know URL templates are told of none, at first and later. */
import type { EventShape } from "../../events/queue.ts";
import type { StatePart } from "../../events/state-part.ts";
import { listLinkifiers } from "./queries.ts";

export const linkifierState: StatePart = {
  types: ["realm_linkifiers"],
  load: async (db, { user, options }) => ({
    realm_linkifiers: options.linkifier_url_template ? await listLinkifiers(db, user.realm_id) : [],
  }),
};

/** What linkifiers were before they had templates; nothing is told here any more. */
export const filterState: StatePart = {
  types: ["realm_filters"],
  load: async () => ({ realm_filters: [] }),
};

const linkifierShape: EventShape = {
  variant: (_, queue) => String(queue.options.linkifier_url_template),
  shape: (event, queue) => (queue.options.linkifier_url_template ? event : undefined),
};

export const linkifierEventShapes: [string, EventShape][] = [["realm_linkifiers", linkifierShape]];
