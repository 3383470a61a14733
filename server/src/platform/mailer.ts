/**
 * The way out for mail: an SMTP server, or while developing a folder that each mail is written into as a file. What
 * reaches a header is an address that was checked or a text without line breaks; nothing is fetched or read to build one.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import nodemailer from "nodemailer";

export interface OutgoingMail {
  /** The same however often it is tried, so that whoever gets it twice can tell. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Where whoever no longer wants such mail says so; mail programs do it with one click. */
  unsubscribeUrl?: string;
  /** What is shown in the place of a name to whoever is about to answer. */
  replyName?: string;
}

/** `unconfigured`: there is nowhere to send it. `refused`: the server will never take it, for this reason. */
export type Outcome = { outcome: "sent" | "unconfigured" } | { outcome: "refused"; reason: string };

interface MailSettings {
  smtpUrl: string;
  mailFrom: string;
}

type Handover = (message: ReturnType<Mailer["toMessage"]>, id: string) => Promise<unknown>;

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 };
const noSurprises = { disableFileAccess: true, disableUrlAccess: true };

export class Mailer {
  readonly #from: string;
  readonly #handOver: Handover | undefined;
  readonly #close: () => void = () => undefined;

  constructor({ smtpUrl, mailFrom }: MailSettings) {
    this.#from = mailFrom;
    if (smtpUrl === "") return;
    if (smtpUrl.startsWith("file:")) {
      const folder = fileURLToPath(smtpUrl);
      this.#handOver = (message, id) => writeToFolder(folder, message, id);
      return;
    }
    const transport = nodemailer.createTransport({ url: smtpUrl, pool: true, ...timeouts, ...noSurprises });
    this.#handOver = (message) => transport.sendMail(message);
    this.#close = () => transport.close();
  }

  /** Throws when it could not be sent now and may be later. */
  async send(mail: OutgoingMail): Promise<Outcome> {
    if (!this.#handOver) return { outcome: "unconfigured" };
    try {
      await this.#handOver(this.toMessage(mail), mail.id);
      return { outcome: "sent" };
    } catch (error) {
      const reason = finalRefusal(error);
      if (reason === undefined) throw error;
      return { outcome: "refused", reason };
    }
  }

  close(): void {
    this.#close();
  }

  /** As the mail library takes it. */
  toMessage({ id, to, subject, text, html, unsubscribeUrl, replyName }: OutgoingMail) {
    const unsubscribing =
      unsubscribeUrl === undefined
        ? {}
        : { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
    return {
      from: this.#from,
      // An object is taken as one address; a text could name several.
      to: { name: "", address: to },
      ...(replyName === undefined ? {} : { replyTo: { name: replyName, address: addressOf(this.#from) } }),
      subject: subject.replaceAll(/\p{Cc}+/gu, " "),
      text,
      html,
      messageId: `<${id}@${domainOf(this.#from)}>`,
      // Holiday notices and the like are not to answer.
      headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", ...unsubscribing },
      ...noSurprises,
    };
  }
}

/** Of a sender with or without a name. */
export const addressOf = (from: string): string => /<([^<>]+)>/.exec(from)?.[1] ?? from;

const domainOf = (from: string): string => /@([^\s<>@]+)/.exec(from)?.[1] ?? "localhost";

/** A mail tried twice is the same file. */
async function writeToFolder(folder: string, message: ReturnType<Mailer["toMessage"]>, id: string): Promise<void> {
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  const { message: bytes } = await composer.sendMail(message);
  if (!Buffer.isBuffer(bytes)) throw new Error("a composed mail is bytes when bytes are asked for");
  await mkdir(folder, { recursive: true });
  const readable = message.to.address.replaceAll(/[^A-Za-z0-9@.-]/g, "_");
  await writeFile(join(folder, `${readable} ${id}.eml`), bytes);
}

/** Why this mail will never be taken. A server that does not know us or is full may take it another time. */
function finalRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, permanent } = error as { code?: unknown; permanent?: unknown };
  const isAboutThisMail = code === "EENVELOPE" || code === "EMESSAGE";
  return isAboutThisMail && permanent === true ? error.message : undefined;
}
