/** All endpoints, in the order of the reference pages. Each file lists its own. */
import type { Endpoint } from "./endpoint.ts";
import { endpoints as alertWords } from "./alert-words.ts";
import { endpoints as apiKeys } from "./api-keys.ts";
import { endpoints as auditDestinations } from "./audit-destinations.ts";
import { endpoints as auditLog, streamEndpoints as auditStreams } from "./audit-log.ts";
import { endpoints as authentication } from "./authentication.ts";
import { endpoints as avatars } from "./avatars.ts";
import { endpoints as botStorage } from "./bot-storage.ts";
import { endpoints as bots } from "./bots.ts";
import { endpoints as calls } from "./calls.ts";
import { endpoints as channelFolders } from "./channel-folders.ts";
import { endpoints as channels } from "./channels.ts";
import { endpoints as defaultChannels } from "./default-channels.ts";
import { endpoints as deletion } from "./deletion.ts";
import { endpoints as development } from "./development.ts";
import { endpoints as drafts } from "./drafts.ts";
import { endpoints as edits } from "./edits.ts";
import { endpoints as emoji } from "./emoji.ts";
import { endpoints as exports } from "./exports.ts";
import { endpoints as identityProviders } from "./identity-providers.ts";
import { endpoints as imports } from "./imports.ts";
import { endpoints as fetchMessages } from "./fetch-messages.ts";
import { endpoints as flags } from "./flags.ts";
import { endpoints as invitations } from "./invitations.ts";
import { endpoints as linkifiers } from "./linkifiers.ts";
import { endpoints as messages } from "./messages.ts";
import { endpoints as mutedUsers } from "./muted-users.ts";
import { endpoints as navigationViews } from "./navigation-views.ts";
import { endpoints as onboarding } from "./onboarding.ts";
import { endpoints as playgrounds } from "./playgrounds.ts";
import { endpoints as presence } from "./presence.ts";
import { endpoints as profileFields } from "./profile-fields.ts";
import { endpoints as provisioning } from "./provisioning.ts";
import { endpoints as pushDevices } from "./push-devices.ts";
import { endpoints as reactions } from "./reactions.ts";
import { endpoints as readReceipts } from "./read-receipts.ts";
import { endpoints as realmDomains } from "./realm-domains.ts";
import { endpoints as realmIcon } from "./realm-icon.ts";
import { endpoints as realmSettings } from "./realm-settings.ts";
import { endpoints as registration, streamEndpoints } from "./registration.ts";
import { endpoints as reminders } from "./reminders.ts";
import { endpoints as reports } from "./reports.ts";
import { endpoints as savedSnippets } from "./saved-snippets.ts";
import { endpoints as scheduledMessages } from "./scheduled-messages.ts";
import { endpoints as serverSettings } from "./server-settings.ts";
import { endpoints as passkeys } from "./passkeys.ts";
import { endpoints as secondFactors } from "./second-factors.ts";
import { endpoints as sessions } from "./sessions.ts";
import { endpoints as settings } from "./settings.ts";
import { endpoints as slashCommands } from "./slash-commands.ts";
import { endpoints as status } from "./status.ts";
import { endpoints as subdomains } from "./subdomains.ts";
import { endpoints as submessages } from "./submessages.ts";
import { endpoints as subscriptions } from "./subscriptions.ts";
import { endpoints as summaries } from "./summaries.ts";
import { endpoints as topics } from "./topics.ts";
import { endpoints as typing } from "./typing.ts";
import { endpoints as uploads } from "./uploads.ts";
import { endpoints as userGroups } from "./user-groups.ts";
import { endpoints as userTopics } from "./user-topics.ts";
import { endpoints as users } from "./users.ts";

export const endpoints: readonly Endpoint[] = [
  ...messages,
  ...fetchMessages,
  ...edits,
  ...deletion,
  ...reactions,
  ...submessages,
  ...flags,
  ...readReceipts,
  ...reports,
  ...summaries,
  ...channels,
  ...topics,
  ...calls,
  ...subscriptions,
  ...defaultChannels,
  ...channelFolders,
  ...users,
  ...avatars,
  ...profileFields,
  ...userGroups,
  ...invitations,
  ...registration,
  ...authentication,
  ...apiKeys,
  ...secondFactors,
  ...passkeys,
  ...sessions,
  ...identityProviders,
  ...auditLog,
  ...auditDestinations,
  ...provisioning,
  ...development,
  ...serverSettings,
  ...subdomains,
  ...realmSettings,
  ...realmDomains,
  ...scheduledMessages,
  ...reminders,
  ...navigationViews,
  ...settings,
  ...slashCommands,
  ...onboarding,
  ...alertWords,
  ...savedSnippets,
  ...pushDevices,
  ...mutedUsers,
  ...linkifiers,
  ...playgrounds,
  ...exports,
  ...imports,
  ...emoji,
  ...bots,
  ...botStorage,
  ...userTopics,
  ...status,
  ...drafts,
  ...presence,
  ...typing,
  ...uploads,
  ...realmIcon,
];

/** What the OpenAPI document describes: also the operations that the typed clients cannot call. */
export const documentedEndpoints: Endpoint[] = [...endpoints, ...streamEndpoints, ...auditStreams];
