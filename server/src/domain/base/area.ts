/** Shared by several areas and owned by none: mail, confirmation links, time, the syntax of notices. */
import { deliverMail } from "./mail/jobs.ts";
import type { Area } from "../../area.ts";
import { removeOldConfirmations } from "./confirmations.ts";

export const base: Area = {
  jobs: [deliverMail],
  chores: [removeOldConfirmations],
};
