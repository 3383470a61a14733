/** Events for clients when a user comes online. Clients have to poll for all other presence. */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { Audience } from "../../../events/audience.ts";
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { toUsersSeeing } from "../users/audience.ts";
import { apiEmail } from "../users/email.ts";
import { toLegacyPresence, toModernPresence } from "./formats.ts";

export interface Arrival {
  user: User;
  activeAt: number;
  connectedAt: number;
}

/** In larger organizations users come and go all the time, and each arrival would be sent to everyone. */
const maxUsers = 100;

/** Events for users of one organization, each with its audience. */
export async function toArrivalEvents(
  { config, db }: Pick<Context, "config" | "db">,
  arrivals: Arrival[],
): Promise<[Audience, EmittedEvent][]> {
  const [first] = arrivals;
  if (!first) return [];
  const { realm } = first.user;
  if (realm.presence_disabled || (await isLarge(db, realm))) return [];
  return Promise.all(
    arrivals.map(async ({ user, activeAt, connectedAt }): Promise<[Audience, EmittedEvent]> => {
      const event = {
        type: "presence",
        user_id: user.id,
        email: apiEmail(user, realmHost(config, realm)),
        server_timestamp: connectedAt / 1000,
        presence: { website: toLegacyPresence({ activeAt, connectedAt }).website },
        active_timestamp: toModernPresence({ activeAt, connectedAt }, user.date_joined.getTime()).active_timestamp,
      };
      return [await toUsersSeeing(db, realm, user), event];
    }),
  );
}

async function isLarge(db: Db, realm: Realm): Promise<boolean> {
  const { rows } = await sql<{ people: number }>`
    select count(*) as people from (
      select from users where realm_id = ${realm.id} and is_active and not is_bot limit ${maxUsers + 1}) as counted`.execute(
    db,
  );
  return (rows[0]?.people ?? 0) > maxUsers;
}
