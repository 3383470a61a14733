/**
 * What only a source that is much like our server has, one file for each kind. It is read from the export in its phase. What
 * was stored is in the map, so a kind that was interrupted starts anew, and nothing that somebody changed or removed since
 * is stored again.
 */
import type { SourceExtras } from "../../source.ts";
import type { Import } from "../import-context.ts";
import { storeChannelSets } from "./channel-sets.ts";
import { storeDrafts } from "./drafts.ts";
import { storeGroups } from "./groups.ts";
import { storeLinkifiers } from "./linkifiers.ts";
import { storeOrganization, storeOrganizationChannels } from "./organization.ts";
import { storePersonal } from "./personal.ts";
import { storePlaygrounds } from "./playgrounds.ts";
import { storeProfileFields } from "./profile-fields.ts";
import { storeScheduledMessages } from "./scheduled-messages.ts";
import { storeSubscriptions } from "./subscriptions.ts";
import { storeTopicVisibility } from "./topic-visibility.ts";

/** `checkpoint` is that of the kind. */
type Store = (run: Import, extras: SourceExtras, checkpoint: number) => Promise<void>;

/** The checkpoint is the number of the kind under way, from 0. */
const inTurn =
  (...stores: readonly Store[]) =>
  async (run: Import, checkpoint: number): Promise<void> => {
    const { extras } = run.source;
    if (!extras) return;
    for (const [index, store] of stores.entries()) if (index >= checkpoint) await store(run, extras, index);
  };

/** What channels, profiles and messages use. */
export const storeSettings = inTurn(
  storeGroups,
  storeOrganization,
  storeLinkifiers,
  storePlaygrounds,
  storeProfileFields,
);

/** What people have for themselves, and what names channels. */
export const storeOwnThings = inTurn(
  storeOrganizationChannels,
  storeChannelSets,
  storeSubscriptions,
  storePersonal,
  storeTopicVisibility,
  storeScheduledMessages,
  storeDrafts,
);
