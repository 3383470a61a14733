/**
 * Notifications of messages that were read are removed from devices immediately. Those that ended in other ways (the reader
 * left the channel or muted the sender) are found by this job, which also deletes old records.
 */
import { sql } from "kysely";
import { z } from "zod";
import { job } from "../../../jobs/job.ts";
import { isRead } from "../../messages/flags/rules.ts";
import { isReadable, readerJoins } from "../../messages/access.ts";

const keptDays = 14;
const reader = { id: "u.id", rank: "rank_of(u.role, u.date_joined, r.waiting_period_threshold)" };

export const cleanUpPushes = job({
  name: "clean-up-pushes",
  payload: z.object({}),
  schedule: "*/10 * * * *",
  run: async ({ db }) => {
    await sql`delete from pushes where created_at < now() - make_interval(days => ${keptDays})`.execute(db);
    await sql`
      update pushes set is_over = true, is_handed = false, due_at = now()
      from (
        select shown.device_id, shown.message_id
        from pushes shown join messages m on m.id = shown.message_id join realms r on r.id = m.realm_id
          join users u on u.id = shown.user_id ${sql.raw(readerJoins(reader))}
        where shown.is_sent and not shown.is_over
          and (not ${sql.raw(isReadable(reader))} or ${sql.raw(isRead(reader))})
        order by shown.message_id, shown.device_id for update of shown
      ) as ended
      where pushes.device_id = ended.device_id and pushes.message_id = ended.message_id`.execute(db);
  },
});
