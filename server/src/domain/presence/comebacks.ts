/** News for clients: somebody is there again. Other reports they have to ask for. */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import type { Audience } from "../../events/audience.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { realmHost } from "../realm/address.ts";
import { toThoseSeeing } from "../users/audience.ts";
import { apiEmail } from "../users/email.ts";
import { toLegacyPresence } from "./formats.ts";

export interface Comeback {
  user: User;
  seenAt: number;
  heardAt: number;
}

/** In an organization with more people somebody comes and goes all the time, and everybody would hear of it. */
const maxPeople = 100;

/** Of people of one organization, for those who see them. */
export async function toComebacks(
  { config, db }: Pick<Context, "config" | "db">,
  comebacks: Comeback[],
): Promise<[Audience, EmittedEvent][]> {
  const [first] = comebacks;
  if (!first) return [];
  const { realm } = first.user;
  if (realm.presence_disabled || (await isLarge(db, realm))) return [];
  return Promise.all(
    comebacks.map(async ({ user, seenAt, heardAt }): Promise<[Audience, EmittedEvent]> => {
      const event = {
        type: "presence",
        user_id: user.id,
        email: apiEmail(user, realmHost(config, realm)),
        server_timestamp: heardAt / 1000,
        presence: { website: toLegacyPresence({ seenAt, heardAt }).website },
      };
      return [await toThoseSeeing(db, realm, user), event];
    }),
  );
}

async function isLarge(db: Db, realm: Realm): Promise<boolean> {
  const { rows } = await sql<{ people: number }>`
    select count(*) as people from (
      select from users where realm_id = ${realm.id} and is_active and not is_bot limit ${maxPeople + 1}) as counted`.execute(
    db,
  );
  return (rows[0]?.people ?? 0) > maxPeople;
}
