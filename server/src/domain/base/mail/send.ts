/** Queues mail, which a worker sends once the transaction has committed. */
import { randomUUID } from "node:crypto";
import type { Realm } from "../../../identity/account.ts";
import { enqueueAll } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isEmail } from "../email-address.ts";
import type { MailBody } from "./compose.ts";
import { deliverMail } from "./jobs.ts";

export interface Mail extends MailBody {
  to: string;
  subject: string;
}

export const sendMail = (tx: Tx, realm: Pick<Realm, "id">, mail: Mail): Promise<void> => sendMails(tx, realm, [mail]);

export async function sendMails(tx: Tx, realm: Pick<Realm, "id">, mails: readonly Mail[]): Promise<void> {
  if (!mails.every(({ to }) => isEmail(to))) throw new Error("mail needs a valid recipient address");
  const payloads = mails.map((mail) => ({ id: randomUUID(), realm_id: realm.id, ...mail }));
  await enqueueAll(tx, deliverMail, payloads);
}
