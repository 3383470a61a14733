/**
 * An SMTP server that stores all mail. There is one for the whole run: test files share a database and its jobs, so a worker
 * of another file may send a test's mail. Tests fetch mail by address over HTTP; the response waits until mail arrives.
 * Addresses that begin with `nobody` are always rejected, those with `busy` once.
 */
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

export interface MailCatcher {
  smtpUrl: string;
  mailboxUrl: string;
  stop: () => Promise<void>;
}

class Mailboxes {
  readonly #arrived = new Map<string, string[]>();
  readonly #waiting = new Map<string, ((message: string) => void)[]>();

  put(address: string, message: string): void {
    const taker = this.#waiting.get(address)?.shift();
    if (taker) taker(message);
    else this.#arrived.set(address, [...(this.#arrived.get(address) ?? []), message]);
  }

  /** The oldest mail to this address that was not fetched yet. */
  take(address: string): Promise<string> {
    const message = this.#arrived.get(address)?.shift();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve) => {
      this.#waiting.set(address, [...(this.#waiting.get(address) ?? []), resolve]);
    });
  }
}

const refusal = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code });

export async function startMailCatcher(): Promise<MailCatcher> {
  const mailboxes = new Mailboxes();
  const turnedAway = new Set<string>();
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) => {
      if (address.startsWith("nobody")) return done(refusal(550, "no such mailbox"));
      if (address.startsWith("busy") && !turnedAway.has(address)) {
        turnedAway.add(address);
        return done(refusal(451, "come back later"));
      }
      done();
    },
    onData: (stream, session, done) => {
      text(stream).then((message) => {
        for (const { address } of session.envelope.rcptTo) mailboxes.put(address.toLowerCase(), message);
        done();
      }, done);
    },
  });
  // Ignore connections that senders abort.
  smtp.on("error", () => undefined);
  const http = createServer((request, response) => {
    const address = new URL(request.url ?? "/", "http://localhost").searchParams.get("to") ?? "";
    void mailboxes.take(address.toLowerCase()).then((message) => response.end(message));
  });
  await listen(smtp.server);
  await listen(http);
  return {
    smtpUrl: `smtp://127.0.0.1:${portOf(smtp.server)}`,
    mailboxUrl: `http://127.0.0.1:${portOf(http)}`,
    stop: async () => {
      http.closeAllConnections();
      http.close();
      await new Promise<void>((resolve) => smtp.close(resolve));
    },
  };
}

const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const portOf = (server: Server) => (server.address() as AddressInfo).port; // it listens on a port, not on a path
