import { z } from "zod";
import { job } from "../../jobs/job.ts";

/** Tried for a day and a half; who has not got it by then has asked again. */
const maxAttempts = 11;

/**
 * What the log says of a mail is who should get it and what became of it: its text holds links that are secrets. A mail
 * given up on is not kept as a failed job for the same reason.
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
  run: async ({ logger, mailer }, { realm_id, ...mail }, { attempt }) => {
    const about = { realm_id, to: mail.to, mail: mail.id, attempt };
    try {
      const result = await mailer.send(mail);
      if (result.outcome === "unconfigured")
        logger.warn(
          { ...about, hint: "set SKEIN_SMTP_URL to send mail" },
          "a mail was not sent: no SMTP server is set",
        );
      if (result.outcome === "refused") logger.warn({ ...about, reason: result.reason }, "a mail was refused for good");
    } catch (error) {
      if (attempt < maxAttempts) throw error;
      logger.error({ ...about, err: error }, "a mail could not be sent; given up");
    }
  },
});
