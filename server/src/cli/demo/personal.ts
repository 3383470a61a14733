/** The owner's personal data (drafts, scheduled messages …), and everybody's presence. */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import type { Context } from "../../context.ts";
import { addDrafts } from "../../domain/messages/drafts/actions.ts";
import { toTimestamp } from "../../domain/base/timestamp.ts";
import { storePresences } from "../../domain/people/presence/store.ts";
import { addSavedSnippet } from "../../domain/people/saved-snippets/actions.ts";
import { schedule } from "../../domain/messages/scheduled-messages/actions.ts";
import { updateVisibility } from "../../domain/channels/user-topics/actions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { member, type Cast } from "./accounts.ts";
import type { Calendar } from "./calendar.ts";
import { getChannel, type Places } from "./places.ts";
import { desk } from "./story/desk.ts";
import { people } from "./story/people.ts";

export async function furnishDesk(
  tx: Tx,
  ctx: Context,
  cast: Cast,
  places: Places,
  { calendar, site }: { calendar: Calendar; site: string },
): Promise<void> {
  const olive = member(cast, "olive");
  const leftAt = toTimestamp(calendar.ownerLeft);
  await addDrafts(
    tx,
    olive,
    desk.drafts.map((draft, index) => ({
      type: "channel" in draft ? ("stream" as const) : ("private" as const),
      to: "channel" in draft ? [getChannel(places, draft.channel).id] : draft.people.map((key) => member(cast, key).id),
      topic: "channel" in draft ? draft.topic : "",
      content: draft.text,
      timestamp: leftAt - 600 * (index + 1),
    })),
  );
  const { channel, topic, text, inDays } = desk.scheduled;
  // Messages cannot be scheduled for the past, even if the story takes place there.
  const due = Math.max(calendar.now.getTime(), Date.now()) + inDays * 24 * 60 * 60 * 1000;
  const options = { clientName: "website", origin: site };
  const message = { type: "channel" as const, to: getChannel(places, channel).id, topic, content: text };
  await schedule(tx, ctx, olive, { ...message, scheduled_delivery_timestamp: Math.floor(due / 1000) }, options);
  for (const snippet of desk.snippets) await addSavedSnippet(tx, olive, snippet);
  for (const policy of ["followed", "muted"] as const)
    for (const chosen of desk[policy])
      await updateVisibility(tx, olive, getChannel(places, chosen.channel), chosen.topic, visibilityPolicies[policy]);
}

const minute = 60 * 1000;
/** No client renews these users' presence, so it is set for some hours ahead. */
const hereForMinutes = 12 * 60;
/** Users who were away for less count as idle. */
const nearbyMinutes = 30;

export async function showPresence(ctx: Context, cast: Cast, now: Date): Promise<void> {
  const inMinutes = (minutes: number): number => now.getTime() + minutes * minute;
  const presences = Object.entries(people).map(([key, { awayMinutes = 0 }], index) => ({
    userId: member(cast, key).id,
    activeAt: inMinutes(awayMinutes === 0 ? hereForMinutes : -awayMinutes),
    connectedAt: inMinutes(awayMinutes < nearbyMinutes ? hereForMinutes : -awayMinutes),
    updateId: index + 1,
  }));
  await storePresences(ctx.db, presences);
}
