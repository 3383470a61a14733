/** A browser without scripts: keeps cookies, opens pages of one organization and submits forms, alternating between two nodes. */
import { randomBytes } from "node:crypto";
import type { Method } from "@skein/api/endpoint.ts";
import { hashPassword } from "../src/domain/people/auth/passwords.ts";
import type { TestRealm, TestUser } from "./realm.ts";

export interface Visited {
  status: number;
  headers: Headers;
  /** The target of a redirect, if any. */
  location: string | undefined;
  html: string;
}

export interface BrowserOptions {
  /** Simulates TLS termination in front of the server. */
  isSecure?: boolean;
}

interface Asking {
  method?: Method | "HEAD" | "OPTIONS";
  form?: Record<string, string>;
  /** Sent instead of a form. */
  body?: string | FormData;
  headers?: Record<string, string>;
  node?: number;
}

export const password = "Basalt-7f3a-tide";
let passwordHash: Promise<string> | undefined;

/** A user with this password. */
export async function withPassword(
  realm: TestRealm,
  name: string,
  more?: Parameters<TestRealm["user"]>[1],
): Promise<TestUser> {
  const user = await realm.user(name, more);
  passwordHash ??= hashPassword(password);
  const password_hash = await passwordHash;
  await realm.ctx.db.updateTable("users").set({ password_hash }).where("id", "=", user.id).execute();
  return user;
}

/** The target: an organization, or a server without one. */
type Hosted = Pick<TestRealm, "host" | "nodes">;

export class TestBrowser {
  readonly realm: Hosted;
  readonly cookies = new Map<string, string>();
  /** The last Set-Cookie header by name, with attributes. */
  readonly setCookies = new Map<string, string>();
  readonly #isSecure: boolean;
  #turn = 0;

  constructor(realm: Hosted, { isSecure = false }: BrowserOptions = {}) {
    this.realm = realm;
    this.#isSecure = isSecure;
  }

  async ask(path: string, asking: Asking = {}): Promise<Response> {
    const { method = "GET", form, headers = {}, node = this.#turn++ } = asking;
    const url = new URL(path, this.realm.nodes[node % this.realm.nodes.length]?.url);
    const fields = new URLSearchParams(form);
    const hasBody = !["GET", "HEAD", "OPTIONS"].includes(method);
    if (!hasBody) for (const [name, value] of fields) url.searchParams.append(name, value);
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Test",
        "x-forwarded-host": this.realm.host,
        "x-forwarded-proto": this.#isSecure ? "https" : "http",
        ...(this.cookies.size > 0 ? { cookie: this.cookieHeader() } : {}),
        ...headers,
      },
      ...(hasBody ? { body: asking.body ?? fields } : {}),
    });
    this.#keepCookies(response);
    return response;
  }

  /** Opens a page. */
  async open(path: string, asking: Asking = {}): Promise<Visited> {
    const headers = { accept: "text/html", ...asking.headers };
    const response = await this.ask(path, { ...asking, headers });
    const location = response.headers.get("location") ?? undefined;
    return { status: response.status, headers: response.headers, location, html: await response.text() };
  }

  /** Submits a form with the CSRF token of this browser. */
  async send(path: string, form: Record<string, string>, asking: Asking = {}): Promise<Visited> {
    if (!this.cookies.has("csrftoken")) await this.open("/login/", { headers: asking.headers ?? {} });
    const csrfmiddlewaretoken = this.cookies.get("csrftoken") ?? "";
    return this.open(path, { ...asking, method: "POST", form: { csrfmiddlewaretoken, ...form } });
  }

  async signIn(user: Pick<TestUser, "email">, asking: Asking = {}): Promise<Visited> {
    return this.send("/accounts/login/", { username: user.email, password }, asking);
  }

  /** Calls the API as a script on our own pages would. */
  async call(
    method: Method,
    path: string,
    form: Record<string, string> = {},
    asking: Asking = {},
  ): Promise<Record<string, unknown>> {
    const headers = { "x-csrftoken": this.cookies.get("csrftoken") ?? "", ...asking.headers };
    const response = await this.ask(`/json${path}`, { ...asking, method, form, headers });
    return (await response.json()) as Record<string, unknown>; // always an object
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keepCookies(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = cookie.split(";", 1)[0]?.split("=") ?? [];
      this.setCookies.set(name, cookie);
      if (/; Max-Age=0/.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

export const newAddress = (): string => `newcomer-${randomBytes(6).toString("hex")}@example.com`;
