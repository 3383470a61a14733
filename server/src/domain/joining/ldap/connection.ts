/**
 * One connection to a directory. ldapts would connect again by itself when a connection ends, and then send what follows, such as
 * a password, without TLS and without being bound. **Invariant:** here a connection that has ended stays ended, and nothing
 * but the request for StartTLS is sent before the certificate was verified.
 */
import type { Socket } from "node:net";
import { Client, NoSuchObjectError, ResultCodeError, type Entry, type Filter, type SearchOptions } from "ldapts";
import { OutboundError, secure, type Outbound } from "../../../platform/outbound.ts";
import { ProviderProblem } from "../identity-providers/provider-problem.ts";
import type { LdapSettings } from "./settings.ts";

/** Of one request. Directories answer within milliseconds. */
const requestMs = 10_000;
/** Of the response to one request: a page of people with all their groups. */
const maxResponseBytes = 32 * 1024 ** 2;
const defaultPorts: Readonly<Record<string, number>> = { "ldap:": 389, "ldaps:": 636 };

/** Result codes with which directories refuse a person: wrong, locked, disabled, expired, or without a password. */
const refusals = new Set([19, 32, 48, 49, 50, 53]);

export type Search = Pick<SearchOptions, "scope" | "attributes" | "sizeLimit"> & { filter: string | Filter };

export class Connection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #budget: { left: number };

  private constructor(client: Client, socket: Socket, budget: { left: number }) {
    this.#client = client;
    this.#socket = socket;
    this.#budget = budget;
  }

  /** Throws a ProviderProblem. */
  static async open(outbound: Outbound, settings: LdapSettings): Promise<Connection> {
    const { protocol, hostname, port } = new URL(settings.url);
    const host = hostname.replaceAll(/^\[|\]$/g, "");
    const peer = { host, ca: settings.ca_certificate };
    const isSecure = protocol === "ldaps:";
    const socket = await explained("connecting", () =>
      outbound.open({
        host,
        port: port === "" ? (defaultPorts[protocol] ?? 0) : Number(port),
        tls: isSecure ? peer : undefined,
      }),
    );
    const budget = { left: maxResponseBytes };
    let isTaken = false;
    const client = new Client({
      url: "ldap://localhost", // not used: the connection is given
      timeout: requestMs,
      createConnection: () => {
        if (isTaken) throw new ProviderProblem("the directory closed the connection");
        isTaken = true;
        return limit(socket, budget);
      },
      createSecureConnection: () => limit(secure(socket, peer), budget),
    });
    const connection = new Connection(client, socket, budget);
    if (!settings.start_tls) return connection;
    try {
      await explained("StartTLS", () => inTime(client.startTLS(), socket));
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  /** Throws unless the directory accepts the account that searches. An empty name is anonymous. */
  async bindAs(dn: string, password: string): Promise<void> {
    if (dn !== "" && !(await this.accepts(dn, password)))
      throw new ProviderProblem("the directory refused bind_dn or bind_password");
  }

  /** Whether the directory accepts this name and password. */
  async accepts(dn: string, password: string): Promise<boolean> {
    // With an empty name or password, directories report success and have verified nothing (RFC 4513, 5.1.2).
    if (dn === "" || password === "") return false;
    return explained("binding", async () => {
      try {
        await this.#request(() => this.#client.bind(dn, password));
        return true;
      } catch (error) {
        if (error instanceof ResultCodeError && refusals.has(error.code)) return false;
        throw error;
      }
    });
  }

  /** Up to `sizeLimit` entries. References to other servers are not followed. */
  search(base: string, { filter, ...options }: Search): Promise<Entry[]> {
    return explained("searching", async () => {
      const found = await this.#request(() => this.#client.search(base, { ...common, ...options, filter }));
      return found.searchEntries;
    });
  }

  /** One entry; undefined if there is none. */
  read(dn: string, attributes: string[]): Promise<Entry | undefined> {
    return explained("reading", async () => {
      try {
        const options = { ...common, scope: "base", filter: "(objectClass=*)", attributes } as const;
        const found = await this.#request(() => this.#client.search(dn, options));
        return found.searchEntries[0];
      } catch (error) {
        if (error instanceof NoSuchObjectError) return undefined;
        throw error;
      }
    });
  }

  /** All entries, page by page. */
  async *pages(base: string, { filter, ...options }: Search, pageSize: number): AsyncGenerator<Entry[]> {
    const pages = this.#client.searchPaginated(base, { ...common, ...options, filter, paged: { pageSize } });
    for (;;) {
      const page = await explained("searching", () => this.#request(() => pages.next()));
      if (page.done) return;
      yield page.value.searchEntries;
    }
  }

  async close(): Promise<void> {
    // The connection may have ended already.
    await this.#client.unbind().catch(() => undefined);
    // The client does not know the connection before its first request.
    this.#socket.destroy();
  }

  #request<T>(send: () => Promise<T>): Promise<T> {
    this.#budget.left = maxResponseBytes;
    return send();
  }
}

const common = { timeLimit: requestMs / 1000, explicitBufferAttributes: ["objectGUID", "objectSid"] };

/** Ends a connection that sends more than its budget. */
function limit<T extends Socket>(socket: T, budget: { left: number }): T {
  return socket.on("data", (bytes: Buffer) => {
    budget.left -= bytes.length;
    if (budget.left < 0) socket.destroy(new Error(`the response is longer than ${maxResponseBytes} bytes`));
  });
}

/** The handshake has no timeout of its own. */
async function inTime(handshake: Promise<void>, socket: Socket): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error("no response in time"));
    socket.destroy();
  }, requestMs);
  try {
    await Promise.race([handshake, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes whatever the directory does wrong a ProviderProblem. */
async function explained<T>(doing: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ProviderProblem) throw error;
    if (error instanceof OutboundError) throw new ProviderProblem(`${doing}: ${error.message}`, { cause: error });
    const text = error instanceof Error && error.message !== "" ? error.message : "the directory gave no reason";
    throw new ProviderProblem(`${doing}: ${text}`, { cause: error });
  }
}
