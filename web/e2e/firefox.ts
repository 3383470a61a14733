/**
 * The system's Firefox, driven by WebDriver BiDi: the commands a short flow needs. (Playwright drives only its own builds.)
 * Waiting is polling, as everywhere in these tests.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const programs = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

/** No welcome pages, and no requests to other sites. */
const preferences = {
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "remote.active-protocols": 1,
  "services.settings.server": "data:,none",
  "toolkit.telemetry.enabled": false,
};

const maxWait = 25_000;
/** Until a browser that is asked to end is made to. */
const patienceAtTheEnd = 5000;

interface Answer {
  id?: number;
  type: "success" | "error" | "event";
  error?: string;
  message?: string;
  method?: string;
  params?: { level?: string; text?: string | null };
  result?: unknown;
}

export class FirefoxPage {
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  /** Errors in the page's console. */
  readonly faults: string[] = [];
  #context = "";
  #count = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data)) as Answer)); // by the protocol
  }

  /** Stopped when the test is over. */
  static async open(): Promise<FirefoxPage> {
    const program = programs.find((path) => existsSync(path));
    if (program === undefined) throw new Error("Firefox is needed; scripts/install-browser installs it");
    const profile = await mkdtemp(join(tmpdir(), "skein-firefox-"));
    const lines = Object.entries(preferences).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    await writeFile(join(profile, "user.js"), lines.join("\n"));
    const browser = spawn(
      program,
      ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
      {
        // It does not start if the home folder belongs to another user.
        env: { ...process.env, HOME: profile },
        stdio: ["ignore", "ignore", "pipe"],
        // A separate process group: this may be a script that starts the browser, which starts other processes.
        detached: true,
      },
    );
    onTestFinished(async () => {
      await endGroup(browser);
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    });
    const socket = new WebSocket(`${await addressOf(browser)}/session`);
    await new Promise((resume, reject) => {
      socket.addEventListener("open", resume);
      socket.addEventListener("error", () => reject(new Error("Firefox does not take the connection")));
    });
    const page = new FirefoxPage(socket);
    await page.#ask("session.new", { capabilities: {} });
    await page.#ask("session.subscribe", { events: ["log.entryAdded"] });
    const { context } = (await page.#ask("browsingContext.create", { type: "tab" })) as { context: string };
    page.#context = context;
    return page;
  }

  #take({ id, type, error, message, method, params, result }: Answer): void {
    if (method === "log.entryAdded" && params?.level === "error") this.faults.push(params.text ?? "");
    const asked = id === undefined ? undefined : this.#asked.get(id);
    if (id === undefined || !asked) return;
    this.#asked.delete(id);
    if (type === "error") asked.reject(new Error(`${error}: ${message}`));
    else asked.resolve(result);
  }

  #ask(method: string, params: Record<string, unknown>): Promise<unknown> {
    const id = ++this.#count;
    const asked = Promise.withResolvers<unknown>();
    this.#asked.set(id, asked);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return asked.promise;
  }

  /** Headers for requests of all pages. */
  async setHeaders(headers: Record<string, string>): Promise<void> {
    await this.#ask("network.setExtraHeaders", {
      headers: Object.entries(headers).map(([name, value]) => ({ name, value: { type: "string", value } })),
      contexts: [this.#context],
    });
  }

  async goTo(url: string): Promise<void> {
    await this.#ask("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }

  /** The value of an expression in the page: a string, number or boolean. */
  async evaluate(expression: string): Promise<unknown> {
    const target = { context: this.#context };
    const answer = (await this.#ask("script.evaluate", { expression, target, awaitPromise: true })) as {
      result?: { value?: unknown };
      exceptionDetails?: { text: string };
    };
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
    return answer.result?.value;
  }

  /** Waits until an expression has this value. */
  async until(expression: string, value: unknown = true): Promise<void> {
    const deadline = Date.now() + maxWait;
    for (;;) {
      // A page that is being left responds with an error.
      const seen = await this.evaluate(expression).catch((error: Error) => error.message);
      if (seen === value) return;
      if (Date.now() > deadline) throw new Error(`${expression} is ${String(seen)}, not ${String(value)}`);
      await new Promise((resume) => setTimeout(resume, 50));
    }
  }

  async focus(selector: string): Promise<void> {
    await this.until(`document.querySelector(${JSON.stringify(selector)}) !== null`);
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
  }

  /** Types a text key by key; `keyNames` has the keys that are not characters. */
  async press(text: string): Promise<void> {
    const actions = Array.from(text).flatMap((value) => ["keyDown", "keyUp"].map((type) => ({ type, value })));
    await this.#perform(actions);
  }

  /** With Control held down. */
  async pressWithControl(key: string): Promise<void> {
    await this.#perform([
      { type: "keyDown", value: keyNames.control },
      { type: "keyDown", value: key },
      { type: "keyUp", value: key },
      { type: "keyUp", value: keyNames.control },
    ]);
  }

  async #perform(actions: readonly { type: string; value: string }[]): Promise<void> {
    await this.#ask("input.performActions", {
      context: this.#context,
      actions: [{ type: "key", id: "keys", actions }],
    });
  }
}

export const keyNames = { enter: "\uE007", control: "\uE009" } as const;

async function addressOf(browser: ChildProcess): Promise<string> {
  if (!browser.stderr) throw new Error("Firefox has no output");
  for await (const line of createInterface(browser.stderr)) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      browser.stderr.resume();
      return address;
    }
  }
  throw new Error("Firefox exited before the session started");
}

/** Ends the browser and all processes it started, and waits for them, because they write to the profile until then. */
async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return; // it never started
  const deadline = Date.now() + patienceAtTheEnd;
  for (let signal: NodeJS.Signals = "SIGTERM"; isAlive(pid); signal = Date.now() > deadline ? "SIGKILL" : signal) {
    signalGroup(pid, signal);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

const isAlive = (group: number): boolean => signalGroup(group, 0);

/** False when there is nobody left in it. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}
