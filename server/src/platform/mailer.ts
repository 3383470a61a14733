/**
 * Sends mail through an SMTP server or, for development, writes each mail into a folder. Headers contain only validated
 * addresses and text without line breaks; composing a mail never fetches a URL or reads a file.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import nodemailer from "nodemailer";
import type { MailOutcome } from "./metrics.ts";

export interface OutgoingMail {
  /** Stays the same over retries, so that mail programs can recognize duplicates. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** URL for unsubscribing from such mail; mail programs offer it as one click. */
  unsubscribeUrl?: string;
  /** Display name of the reply address. */
  replyName?: string;
}

/** `unconfigured`: no mail server is set. `refused`: the server rejected this mail permanently. */
export type Outcome = { outcome: "sent" | "unconfigured" } | { outcome: "refused"; reason: string };

interface MailSettings {
  smtpUrl: string;
  mailFrom: string;
}

type Deliver = (message: ReturnType<Mailer["toMessage"]>, id: string) => Promise<unknown>;

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 };
const noExternalContent = { disableFileAccess: true, disableUrlAccess: true };

export class Mailer {
  readonly #from: string;
  readonly #deliver: Deliver | undefined;
  readonly #verify: () => Promise<unknown> = () => Promise.resolve();
  readonly #onOutcome: (outcome: MailOutcome) => void;
  readonly #close: () => void = () => undefined;

  /** `onOutcome` is called after each attempt. */
  constructor({ smtpUrl, mailFrom }: MailSettings, onOutcome: (outcome: MailOutcome) => void = () => undefined) {
    this.#from = mailFrom;
    this.#onOutcome = onOutcome;
    if (smtpUrl === "") return;
    if (smtpUrl.startsWith("file:")) {
      const folder = fileURLToPath(smtpUrl);
      this.#deliver = (message, id) => writeToFolder(folder, message, id);
      return;
    }
    const transport = nodemailer.createTransport({ url: smtpUrl, pool: true, ...timeouts, ...noExternalContent });
    this.#deliver = (message) => transport.sendMail(message);
    this.#verify = () => transport.verify();
    this.#close = () => transport.close();
  }

  /** Throws if the mail could not be sent but a retry may succeed. */
  async send(mail: OutgoingMail): Promise<Outcome> {
    try {
      const result = await this.#send(mail);
      this.#onOutcome(result.outcome);
      return result;
    } catch (error) {
      this.#onOutcome("failed");
      throw error;
    }
  }

  async #send(mail: OutgoingMail): Promise<Outcome> {
    if (!this.#deliver) return { outcome: "unconfigured" };
    try {
      await this.#deliver(this.toMessage(mail), mail.id);
      return { outcome: "sent" };
    } catch (error) {
      const reason = finalRefusal(error);
      if (reason === undefined) throw error;
      return { outcome: "refused", reason };
    }
  }

  /** Connects and logs in to the mail server, without sending anything; throws if that fails. */
  async verify(): Promise<void> {
    await this.#verify();
  }

  close(): void {
    this.#close();
  }

  /** Converts a mail to the library's format. */
  toMessage({ id, to, subject, text, html, unsubscribeUrl, replyName }: OutgoingMail) {
    const unsubscribing =
      unsubscribeUrl === undefined
        ? {}
        : { "List-Unsubscribe": `<${unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
    return {
      from: this.#from,
      // An object is always one address; a string could contain several.
      to: { name: "", address: to },
      ...(replyName === undefined ? {} : { replyTo: { name: replyName, address: addressOf(this.#from) } }),
      subject: subject.replaceAll(/\p{Cc}+/gu, " "),
      text,
      html,
      messageId: `<${id}@${domainOf(this.#from)}>`,
      // Suppresses automatic replies such as out-of-office notices.
      headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", ...unsubscribing },
      ...noExternalContent,
    };
  }
}

/** The address of a sender with or without a display name. */
export const addressOf = (from: string): string => /<([^<>]+)>/.exec(from)?.[1] ?? from;

const domainOf = (from: string): string => /@([^\s<>@]+)/.exec(from)?.[1] ?? "localhost";

/** A retried mail overwrites the same file. */
async function writeToFolder(folder: string, message: ReturnType<Mailer["toMessage"]>, id: string): Promise<void> {
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  const { message: bytes } = await composer.sendMail(message);
  if (!Buffer.isBuffer(bytes)) throw new Error("expected the mail library to return a buffer");
  await mkdir(folder, { recursive: true });
  const readable = message.to.address.replaceAll(/[^A-Za-z0-9@.-]/g, "_");
  await writeFile(join(folder, `${readable} ${id}.eml`), bytes);
}

/** Why the server rejected this mail permanently. Other errors, such as a failed login or a full server, may be temporary. */
function finalRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, permanent } = error as { code?: unknown; permanent?: unknown };
  const isAboutThisMail = code === "EENVELOPE" || code === "EMESSAGE";
  return isAboutThisMail && permanent === true ? error.message : undefined;
}
