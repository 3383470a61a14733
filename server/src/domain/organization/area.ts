/** The organization itself: its URL and settings, permissions, emoji, linkifiers, playgrounds, releases. */
import { emojiEndpoints } from "./emoji/endpoints.ts";
import { emojiPages } from "./emoji/pages.ts";
import { emojiState } from "./emoji/state.ts";
import { linkifierEndpoints } from "./linkifiers/endpoints.ts";
import { filterState, linkifierEventShapes, linkifierState } from "./linkifiers/state.ts";
import { playgroundEndpoints } from "./playgrounds/endpoints.ts";
import { playgroundState } from "./playgrounds/state.ts";
import { realmDomainEndpoints } from "./realm-domains/endpoints.ts";
import { realmDomainState } from "./realm-domains/state.ts";
import { outsideServiceStates } from "./realm/outside-services.ts";
import { announceRelease } from "./releases/announce.ts";
import { releaseEventShapes } from "./releases/event-shapes.ts";
import { subdomainEndpoints } from "./subdomains/endpoints.ts";
import { expireWebReleases } from "./web-releases/expire.ts";
import type { Area } from "../../area.ts";
import { auditEndpoints, auditEventShapes } from "./audit/endpoints.ts";

export const organization: Area = {
  endpoints: [
    ...auditEndpoints,
    ...emojiEndpoints,
    ...linkifierEndpoints,
    ...playgroundEndpoints,
    ...realmDomainEndpoints,
    ...subdomainEndpoints,
  ],
  pages: (ctx) => [...emojiPages(ctx)],
  eventShapes: () => [...auditEventShapes, ...linkifierEventShapes, ...releaseEventShapes],
  stateParts: [emojiState, filterState, linkifierState, playgroundState, realmDomainState, ...outsideServiceStates],
  jobs: [announceRelease],
  chores: [expireWebReleases],
};
