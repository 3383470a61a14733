/** Sets a user's settings directly in the database. */
import type { UserSettings } from "@skein/api/settings.ts";
import { sql } from "kysely";
import type { TestUser } from "./realm.ts";

export async function chooseSettings(user: TestUser, settings: Partial<UserSettings>): Promise<void> {
  await sql`
    update users set settings = settings || ${JSON.stringify(settings)}::jsonb
    where id = ${user.id}`.execute(user.realm.ctx.db);
}
