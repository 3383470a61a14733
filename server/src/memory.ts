/**
 * State a node keeps in memory between requests. It is created once, in app.ts, and passed in the context. None of it has to
 * survive the process, and no decision rests on it alone: each part documents how it stays correct.
 */
import type { Config } from "./config.ts";
import { planConnections } from "./connections.ts";
import type { RealmAlertWords } from "./domain/messages/alert-words/cached-words.ts";
import { SettledIds } from "./domain/messages/flags/settled-ids.ts";
import type { ImageFetches } from "./domain/messages/previews/fetched-images.ts";
import type { SendGroups } from "./domain/messages/send/sender.ts";
import { PeopleTexts } from "./domain/people/users/people-texts.ts";
import type { Member } from "./events/register.ts";
import { RegistrationDesk } from "./events/registration-desk.ts";
import { PageLimits } from "./http/page-limits.ts";
import { WrongKeys } from "./http/wrong-keys.ts";
import type { CustomEmoji } from "./markdown/context.ts";
import type { CompiledLinkifier } from "./markdown/linkifier.ts";
import { Limiter } from "./platform/limiter.ts";
import { VersionedCache } from "./platform/versioned-cache.ts";

export interface Memory {
  /** IP addresses that sent wrong API keys. */
  wrongKeys: WrongKeys;
  pageLimits: PageLimits;
  registrationDesk: RegistrationDesk<Member>;
  /** The people of organizations, as registrations return them. */
  peopleTexts: PeopleTexts;
  /** By client name; clients are never deleted. */
  clientIds: Map<string, number>;
  customEmoji: VersionedCache<CustomEmoji[]>;
  linkifiers: VersionedCache<CompiledLinkifier[]>;
  alertWords: VersionedCache<RealmAlertWords>;
  /** Ids of direct conversations by organization and participants, who never change. */
  directConversations: Map<string, number>;
  sendGroups: SendGroups;
  /**
   * The id up to which all messages are visible, as seen by requests that mark messages as read, by the search index and by
   * notifications. Each has its own, because SettledIds needs its observations in order: those of requests come in any order.
   */
  settledIds: Record<"reading" | "search" | "notifications", SettledIds>;
  imageFetches: ImageFetches;
  thumbnailLimiter: Limiter;
  /** Resumable uploads that are currently receiving a part. */
  receivingUploads: Set<string>;
  /** Kinds of unknown webhook deliveries that have been logged already. */
  loggedDeliveries: Set<string>;
}

export const createMemory = (config: Config): Memory => ({
  wrongKeys: new WrongKeys(),
  pageLimits: new PageLimits(),
  registrationDesk: new RegistrationDesk({
    concurrency: planConnections(config).usual.registrations,
    // One to wait for PostgreSQL while another one uses the process.
    maxTurnsPerGroup: 2,
    maxWaitingPerOwner: 20,
    maxWaiting: config.maxWaitingRegistrations,
    maxWaitSeconds: config.registrationWaitSeconds,
  }),
  peopleTexts: new PeopleTexts(),
  clientIds: new Map(),
  customEmoji: new VersionedCache(),
  linkifiers: new VersionedCache(),
  alertWords: new VersionedCache(),
  directConversations: new Map(),
  sendGroups: new Map(),
  settledIds: { reading: new SettledIds(), search: new SettledIds(), notifications: new SettledIds() },
  imageFetches: { limiter: new Limiter(8, 200), byHash: new Map() },
  thumbnailLimiter: new Limiter(2, 200),
  receivingUploads: new Set(),
  loggedDeliveries: new Set(),
});

/**
 * Forgets what was read from a database that may have been restored to an earlier state, where ids and versions are reused.
 * Called at a new epoch of the log, and for transactions that were lost before they reached the log, whenever a connection
 * to the database is lost.
 */
export function forgetRows(memory: Memory): void {
  memory.clientIds.clear();
  memory.directConversations.clear();
  memory.peopleTexts.clear();
  for (const cache of [memory.customEmoji, memory.linkifiers, memory.alertWords]) cache.clear();
  for (const ids of Object.values(memory.settledIds)) ids.reset();
}
