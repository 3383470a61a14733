/**
 * A page in a real browser that shows messages and records everything that must not happen: scripts and handlers that
 * run, dialogs, new windows, navigation, requests to paths that messages may not load from.
 *
 * The page's policy only reports violations and blocks nothing, so that both the attempt and its effect are visible.
 */
import { readFileSync } from "node:fs";
import { picturePaths } from "@skein/api/picture-paths.ts";
import type { Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import type { DocumentedHtml } from "./documented-html.ts";
import { WebServer } from "./web-server.ts";

export const origin = "http://chat.example.com";
const address = `${origin}/messages`;

/** The paths from which messages may load pictures and videos: those that serve files, and the proxy. */
const places = picturePaths.map((path) => origin + path);

const policy = [
  "default-src 'none'",
  "script-src 'nonce-watcher' 'report-sample'",
  "style-src-elem 'none'",
  "style-src-attr 'unsafe-inline'",
  `img-src ${places.join(" ")}`,
  `media-src ${places.join(" ")}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const script = readFileSync(new URL("page-script.js", import.meta.url), "utf8");
const pixel = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");

export class WatchedPage {
  readonly #page: Page;
  readonly #noticed: string[] = [];
  #messages: readonly string[] = [];

  private constructor(page: Page) {
    this.#page = page;
  }

  /** The browser is closed after the file's tests. */
  static async open(): Promise<WatchedPage> {
    const web = await WebServer.start({ type: "image/gif", content: pixel });
    // All host names resolve to one host.
    const hosts = `MAP ${new URL(origin).host} ${new URL(web.url).host}, MAP * ~NOTFOUND`;
    const browser = await launchChromium([`--host-resolver-rules=${hosts}`]);
    const watched = new WatchedPage(await browser.newPage());
    web.serve(new URL(address).pathname, "text/html; charset=utf-8", (response) => {
      response.setHeader("Content-Security-Policy-Report-Only", policy);
      response.end(watched.#document());
    });
    watched.#watch();
    return watched;
  }

  #watch(): void {
    const page = this.#page;
    const notice = (what: string) => this.#noticed.push(what);
    page.on("request", (request) => {
      const url = request.url();
      if (url !== address && !places.some((place) => url.startsWith(place))) notice(`request: ${url}`);
    });
    page.on("dialog", (dialog) => {
      notice(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("popup", (popup) => notice(`window: ${popup.url()}`));
    page.on("download", (download) => notice(`download: ${download.url()}`));
    page.on("pageerror", (error) => notice(`error: ${error.message}`));
  }

  /** Shows messages as part of the document, where scripts would run, and again as a client puts them in. */
  async show(messages: readonly string[]): Promise<void> {
    this.#noticed.length = 0;
    this.#messages = messages;
    await this.#page.goto(address);
    await this.#page.evaluate(`watched.add(${JSON.stringify(messages)})`);
  }

  /** Elements and attributes of the messages, as the browser parsed them, that the dialect does not allow. */
  async inspect({ elements, schemes }: DocumentedHtml): Promise<string[]> {
    const asked = JSON.stringify({ count: this.#messages.length, elements, schemes, places });
    return this.#page.evaluate<string[]>(`watched.inspect(${asked})`);
  }

  /** Clicks every link and element; then returns everything observed since the messages were shown. */
  async press(): Promise<string[]> {
    await this.#page.evaluate("watched.pressAll()");
    await this.#page.evaluate("watched.settled()");
    const inPage = await this.#page.evaluate<string[]>("watched.noticed");
    const moved = this.#page.url() === address ? [] : [`moved to ${this.#page.url()}`];
    const frames = this.#page.frames().length > 1 ? ["frame"] : [];
    return [...this.#noticed, ...inPage, ...moved, ...frames];
  }

  #document(): string {
    const messages = this.#messages.map((message) => `<div class="message">${message}</div>`).join("");
    return `<!doctype html><html><head><meta charset="utf-8"><link rel="icon" href="/static/icon.png"><script nonce="watcher">${script}</script></head>
<body><main>${messages}</main><section id="client"></section></body></html>`;
  }
}
