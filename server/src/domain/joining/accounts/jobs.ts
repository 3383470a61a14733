import { z } from "zod";
import { accountById } from "../../../identity/account.ts";
import { job } from "../../../jobs/job.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { greetNewcomer } from "../../administration/users/welcome.ts";

/** Greets accounts that the CLI created while no server was running. Runs once, on the next server that starts. */
export const greetLater = job({
  name: "greet newcomer",
  payload: z.strictObject({ userId: z.int() }),
  run: async (ctx, { userId }) => {
    await transaction(ctx.db, "greet newcomer", async (tx) => {
      const user = await accountById(tx, userId);
      if (!user) return;
      const received = await tx
        .selectFrom("participations")
        .select("conversation_id")
        .where("user_id", "=", userId)
        .limit(1)
        .executeTakeFirst();
      if (!received) await greetNewcomer(tx, ctx, user.realm, user);
    });
  },
});
