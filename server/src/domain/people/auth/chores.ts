import { sql } from "kysely";
import type { Chore } from "../../../jobs/chore.ts";

export const removeOldSignIns: Chore = {
  name: "removing old sign-ins",
  everyMilliseconds: 10_000,
  run: async ({ db }) => {
    await sql`delete from login_failures where at < now() - interval '1 day'`.execute(db);
    await sql`delete from browser_sessions where expires_at < now() - interval '1 day'`.execute(db);
    await sql`delete from used_sign_ins where expires_at < now()`.execute(db);
    await sql`delete from saml_requests where expires_at < now()`.execute(db);
  },
};
