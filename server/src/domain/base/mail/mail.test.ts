import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { readMailTarget, readSender } from "../../../platform/mail-settings.ts";
import { Mailer } from "../../../platform/mailer.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { mailTo, readMail } from "../../../../test/mail.ts";
import { newRealm } from "../../../../test/realm.ts";
import { composeMail } from "./compose.ts";
import { deliverMail } from "./jobs.ts";
import { sendMail } from "./send.ts";

const newAddress = (name = "reader") => `${name}-${randomUUID()}@example.com`;
const body = composeMail({
  heading: "Ängste & <Nöte>",
  paragraphs: [
    "One line.",
    "Another 🦊 line that is long enough to be broken somewhere, unless nobody breaks it at all.",
  ],
  action: { label: "Open the door", url: "https://chat.example.com/door?a=1&b=2" },
  notes: ["Small print."],
});
const outgoing = (to: string) => ({ id: randomUUID(), to, subject: "A door", ...body });

test("mail queued in a committed transaction arrives as plain text and as HTML", async () => {
  const realm = await newRealm();
  const to = newAddress();

  await transaction(realm.ctx.db, "test", (tx) => sendMail(tx, realm, { to, subject: "Über die Tür", ...body }));

  const mail = await mailTo(to);
  expect(mail).toMatchObject({ subject: "Über die Tür", text: body.text, html: body.html });
  expect(mail.headers.get("from")).toBe("Skein <noreply@localhost>");
  expect(mail.headers.get("to")).toBe(to);
  expect(mail.headers.get("auto-submitted")).toBe("auto-generated");
});

test("mail queued in a failed transaction is never sent", async () => {
  const realm = await newRealm();
  const to = newAddress();

  await expect(
    transaction(realm.ctx.db, "test", async (tx) => {
      await sendMail(tx, realm, { to, subject: "never", ...body });
      throw new Error("changed my mind");
    }),
  ).rejects.toThrow("changed my mind");
  await transaction(realm.ctx.db, "test", (tx) => sendMail(tx, realm, { to, subject: "now", ...body }));

  expect((await mailTo(to)).subject).toBe("now");
});

test("mail to a busy server is retried with the same message id", async () => {
  const realm = await newRealm();
  const to = newAddress("busy");

  await transaction(realm.ctx.db, "test", (tx) => sendMail(tx, realm, { to, subject: "patience", ...body }));

  expect((await mailTo(to)).subject).toBe("patience");
});

test("a job that runs twice sends both mails with the same message id", async () => {
  const { ctx } = await newRealm();
  const payload = { ...outgoing(newAddress()), realm_id: 1 };

  await deliverMail.run(ctx, payload, { attempt: 1, maxAttempts: 3 });
  await deliverMail.run(ctx, payload, { attempt: 2, maxAttempts: 3 });

  const [first, second] = [await mailTo(payload.to), await mailTo(payload.to)];
  expect(first.headers.get("message-id")).toBe(`<${payload.id}@localhost>`);
  expect(second.headers.get("message-id")).toBe(first.headers.get("message-id"));
});

test("a permanently rejected address is not retried", async () => {
  const { ctx } = await newRealm();
  const mail = outgoing(newAddress("nobody"));

  expect(await ctx.mailer.send(mail)).toMatchObject({ outcome: "refused", reason: /no such mailbox/ });
  await expect(deliverMail.run(ctx, { ...mail, realm_id: 1 }, { attempt: 1, maxAttempts: 3 })).resolves.toBeUndefined();
});

test("an unreachable server is retried until the last attempt, and the mail is not kept", async () => {
  const { ctx } = await newRealm();
  const mailer = new Mailer({ smtpUrl: "smtp://127.0.0.1:1", mailFrom: "chat@example.com" });
  const payload = { ...outgoing(newAddress()), realm_id: 1 };
  const run = (attempt: number) =>
    deliverMail.run({ ...ctx, mailer }, payload, { attempt, maxAttempts: deliverMail.maxAttempts });

  await expect(run(1)).rejects.toThrow("ECONNREFUSED");
  await expect(run(deliverMail.maxAttempts)).resolves.toBeUndefined();
});

test("a subject or an address cannot inject headers", async () => {
  const realm = await newRealm();
  const to = newAddress();
  const subject = "Hello\r\nBcc: everybody@example.com\r\n\r\nText";

  await transaction(realm.ctx.db, "test", (tx) => sendMail(tx, realm, { to, subject, ...body }));

  const mail = await mailTo(to);
  expect(mail.subject).toBe("Hello Bcc: everybody@example.com Text");
  expect(mail.headers.has("bcc")).toBe(false);
  for (const address of [`${to}\r\nBcc: x@example.com`, `${to}, x@example.com`, `X <${to}>`])
    await expect(
      transaction(realm.ctx.db, "test", (tx) => sendMail(tx, realm, { to: address, subject, ...body })),
    ).rejects.toThrow("mail needs a valid recipient address");
});

test("without an SMTP server the log reports the mail but not its text", async () => {
  const realm = await newRealm();
  const lines: unknown[] = [];
  const logger = Object.assign(Object.create(realm.ctx.logger), { warn: (...line: unknown[]) => lines.push(line) });
  const mailer = new Mailer({ smtpUrl: "", mailFrom: "chat@example.com" });
  const payload = { ...outgoing(newAddress()), realm_id: realm.id };

  await deliverMail.run({ ...realm.ctx, logger, mailer }, payload, { attempt: 1, maxAttempts: 3 });

  expect(lines).toEqual([
    [
      expect.objectContaining({ recipient: payload.to, hint: "set SKEIN_SMTP_URL to send mail" }),
      "mail not sent: no SMTP server is configured",
    ],
  ]);
  expect(JSON.stringify(lines)).not.toContain("door");
});

test("mail sent to a folder is a file that mail programs can open", async () => {
  const folder = await mkdtemp(join(inject("scratchFolder"), "mail-"));
  const mailer = new Mailer({ smtpUrl: pathToFileURL(folder).href, mailFrom: "chat@example.com" });
  const mail = outgoing("../../some/one@example.com");

  await mailer.send(mail);
  await mailer.send(mail);

  const files = await readdir(folder);
  expect(files).toEqual([`.._.._some_one@example.com ${mail.id}.eml`]);
  const read = readMail((await readFile(join(folder, files[0] ?? ""), "utf8")).replaceAll("\n", "\r\n"));
  expect(read).toMatchObject({ subject: "A door", text: body.text });
});

test("plain text and HTML have the same content, and markup in it is escaped", () => {
  expect(body.text).toBe(
    "Ängste & <Nöte>\n\nOne line.\n\nAnother 🦊 line that is long enough to be broken somewhere, unless nobody breaks it " +
      "at all.\n\nOpen the door:\nhttps://chat.example.com/door?a=1&b=2\n\nSmall print.\n",
  );
  expect(body.html).toMatch(/<h1 [^>]*>Ängste &amp; &lt;Nöte&gt;<\/h1>/);
  expect(body.html).toMatch(/<a [^>]*href="https:\/\/chat\.example\.com\/door\?a=1&amp;b=2"[^>]*>Open the door<\/a>/);
  expect(body.html).not.toMatch(/<img|src=|<script|url\(/);
});

test.for(["chat@example.com", "Skein <chat@example.com>", "Ärger und Söhne <a@b.de>"])(
  "%j is a valid sender",
  (sender) => {
    expect(readSender(sender)).toBe(sender);
  },
);

test.for(["", "chat", "a@b, c@d", "Skein <chat@example.com", "x\r\nBcc: y@z <a@b>"])(
  "%j is not a valid sender",
  (sender) => {
    expect(() => readSender(sender)).toThrow("must be an e-mail address");
  },
);

test("the mail target is an SMTP server or a folder, and the error does not repeat an invalid value", () => {
  expect(readMailTarget("smtps://user:secret@mail.example.com")).toBe("smtps://user:secret@mail.example.com");
  expect(() => readMailTarget("http://user:secret@mail.example.com")).toThrow(
    /^must begin with smtp:\/\/, smtps:\/\/ or file:\/\/\/$/,
  );
});
