import type { StatePart } from "../../events/state-part.ts";
import { SharedText } from "../../platform/shared-text.ts";
import { ChannelTexts } from "./channel-texts.ts";
import { knownChannelsAt } from "./subscriptions/state.ts";

const opening = new SharedText('"streams":[');
const closing = new SharedText("]");

/** Every channel the user may know of; archived ones only for clients that show them. */
export const channelState: StatePart = {
  types: ["stream"],
  async load(db, { user, options, moment }) {
    const { ids } = await knownChannelsAt(moment, db, user, options);
    const texts = await ChannelTexts.at(moment, user, false);
    await texts.load(db, ids);
    return [opening, ...texts.list(ids), closing];
  },
};
