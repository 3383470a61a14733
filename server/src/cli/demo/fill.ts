/**
 * Fills an organization that has only its owner with two weeks of a team's conversations. The result is the same every
 * time, except for the dates, which depend on `now`. The story itself is in `story`, without ids and dates.
 */
import type { Context } from "../../context.ts";
import { systemBotId } from "../../domain/messages/send/notice.ts";
import { realmUrlWithoutRequest } from "../../domain/organization/realm/address.ts";
import { accountById, type User } from "../../identity/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { addBots, addGroups, addPeople, foundation, introducePeople, loadCast, member } from "./accounts.ts";
import { addEdits, addMoves, addReactions, addResolutions, addStars, addVotes, markRead } from "./afterwards.ts";
import { Calendar } from "./calendar.ts";
import { listConversations } from "./conversation.ts";
import { notifier } from "./entry.ts";
import { addOwnEmoji, uploadDrawings } from "./files.ts";
import { storeMessages } from "./messages.ts";
import { furnishDesk, showPresence } from "./personal.ts";
import { addChannels } from "./places.ts";

export interface DemoOptions {
  now: Date;
  /** Reports progress. */
  say: (line: string) => void;
}

export async function fillWithDemo(ctx: Context, realmId: number, { now, say }: DemoOptions): Promise<void> {
  const owner = await accessOnlyPerson(ctx.db, realmId);
  const calendar = new Calendar(now);
  await nameOrganization(ctx.db, realmId);

  say("Creating accounts …");
  const ids = await addPeople(ctx, owner, now);
  const invited = await loadCast(ctx.db, ids);
  ids.set(notifier, await systemBotId(ctx.db, realmId, "notification-bot"));
  for (const [key, id] of await transaction(ctx.db, "add the bots of the demo", (tx) => addBots(tx, ctx, invited)))
    ids.set(key, id);
  await addOwnEmoji(ctx, member(invited, "olive"));
  const cast = await loadCast(ctx.db, ids);

  say("Creating channels …");
  const places = await transaction(ctx.db, "make the channels of the demo", async (tx) => {
    await introducePeople(tx, cast);
    await addGroups(tx, cast);
    return addChannels(tx, ctx.config, cast);
  });

  say("Writing two weeks of messages …");
  const conversations = await listConversations(calendar);
  const files = await uploadDrawings(ctx, cast);
  const site = realmUrlWithoutRequest(ctx.config, owner.realm);
  const wording = { cast, files, now, site };
  const count = await transaction(ctx.db, "tell the story of the demo", async (tx) => {
    const entries = await storeMessages(tx, ctx, places, conversations, wording);
    await addReactions(tx, cast, entries);
    await addVotes(tx, cast, entries);
    await addEdits(tx, ctx, entries, wording);
    await addResolutions(tx, cast, entries);
    await addMoves(tx, cast, places, entries);
    await addStars(tx, cast, entries);
    await markRead(tx, cast, entries, calendar.ownerLeft);
    await furnishDesk(tx, ctx, cast, places, { calendar, site });
    return entries.length;
  });
  await showPresence(ctx, cast, now);
  say(`Created ${cast.size} accounts and ${count} messages in ${places.size} channels and direct conversations.`);
}

/** The owner, who must be the only user of the organization. */
async function accessOnlyPerson(db: Db, realmId: number): Promise<User> {
  const found = await db
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("is_system_bot", "=", false)
    .limit(2)
    .execute();
  const [only, ...others] = found;
  if (!only || others.length > 0)
    throw new Error(
      "This organization already has users, and --demo needs an empty one. Leave out --demo, or choose a new --dir.",
    );
  const owner = await accountById(db, only.id);
  if (!owner) throw new Error("The owner of this organization is deactivated.");
  return owner;
}

async function nameOrganization(db: Db, realmId: number): Promise<void> {
  await db
    .updateTable("realms")
    .set({ name: "Hedgerow", description: "Planning for gardens and small farms.", date_created: foundation })
    .where("id", "=", realmId)
    .execute();
}
