import { z } from "zod";
import { job } from "../../../jobs/job.ts";

/** Retries last a day and a half; by then the user has requested another mail. */
const maxAttempts = 11;

/**
 * The log records a mail's recipient and outcome but never its text, which may hold secret links. For the same reason a
 * mail that could not be delivered is not kept as a failed job.
 */
export const deliverMail = job({
  name: "deliver mail",
  maxAttempts,
  payload: z.strictObject({
    id: z.string(),
    realm_id: z.int(),
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
  }),
  run: async ({ logger, mailer, metrics }, { realm_id, ...mail }, { attempt }) => {
    const about = { realm_id, recipient: mail.to, mail_id: mail.id, attempt };
    try {
      const result = await mailer.send(mail);
      if (result.outcome === "unconfigured")
        logger.warn(
          { ...about, hint: "set SKEIN_SMTP_URL to send mail" },
          "mail not sent: no SMTP server is configured",
        );
      if (result.outcome === "refused") logger.warn({ ...about, reason: result.reason }, "mail permanently rejected");
    } catch (error) {
      if (attempt < maxAttempts) throw error;
      metrics.mails.inc({ outcome: "given up" });
      logger.error({ ...about, err: error }, "mail not sent: giving up after the last attempt");
    }
  },
});
