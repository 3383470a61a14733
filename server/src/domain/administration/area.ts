/** Changes of accounts, groups, bots, channels, subscriptions and the organization, with all their consequences. */
import { deliverAuditLogs } from "./audit-delivery/deliver.ts";
import { destinationEndpoints } from "./audit-delivery/endpoints.ts";
import { botEndpoints } from "./bots/endpoints.ts";
import { botState, embeddedBotState } from "./bots/state.ts";
import { sealStoredWebhookAddresses } from "./bots/webhook-service.ts";
import { channelEndpoints } from "./channels/endpoints.ts";
import { invitationEndpoints } from "./invitations/endpoints.ts";
import { realmEndpoints } from "./organization/endpoints.ts";
import { realmState } from "./organization/state.ts";
import { provisioningEndpoints } from "./provisioning/endpoints.ts";
import { scimPages } from "./provisioning/pages.ts";
import { realmIconEndpoints } from "./realm-icon/endpoints.ts";
import { realmIconPages } from "./realm-icon/pages.ts";
import { subscriptionEndpoints } from "./subscriptions/endpoints.ts";
import { sendSubscriptionNotices } from "./subscriptions/notices.ts";
import { userGroupEndpoints } from "./user-groups/endpoints.ts";
import { promoteFullMembers } from "./user-groups/promotion.ts";
import { userEndpoints } from "./users/endpoints.ts";
import type { Area } from "../../area.ts";

export const administration: Area = {
  endpoints: [
    ...botEndpoints,
    ...channelEndpoints,
    ...destinationEndpoints,
    ...invitationEndpoints,
    ...provisioningEndpoints,
    ...realmEndpoints,
    ...realmIconEndpoints,
    ...subscriptionEndpoints,
    ...userEndpoints,
    ...userGroupEndpoints,
  ],
  pages: (ctx) => [...realmIconPages(ctx), ...scimPages(ctx)],
  stateParts: [botState, embeddedBotState, realmState],
  jobs: [promoteFullMembers, sendSubscriptionNotices],
  chores: [deliverAuditLogs, sealStoredWebhookAddresses],
};
