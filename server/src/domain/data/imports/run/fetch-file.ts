/**
 * Fetches files that an export only links to. The links contain a token that gives access to all files of the other chat,
 * so they are sent nowhere but to where these files are, and appear in no message, report or log.
 */
import { setTimeout as delay } from "node:timers/promises";
import { OutboundError, type Outbound, type OutboundStream } from "../../../../platform/outbound.ts";
import { slackFilesOrigin } from "../slack/hosted-files.ts";
import type { SkipReason, SourceFile } from "../source.ts";

export interface FetchSettings {
  outbound: Outbound;
  /** The only one that is asked. */
  origin: string;
  /** For one file. */
  timeoutMs: number;
  /** Before the second attempt; before the third it is twice as long. */
  pauseMs: number;
}

/** Fetches from Slack. */
export const slackFetcher = (outbound: Outbound): FileFetcher =>
  new FileFetcher({ outbound, origin: slackFilesOrigin, timeoutMs: 10 * 60_000, pauseMs: 2000 });

/** How many are fetched at once. */
export const fetchedAtOnce = 4;
const maxAttempts = 3;
const maxRedirects = 3;
const longestPauseMs = 60_000;
/** So many refusals one after the other mean that the token has expired: the others are not tried. */
const maxRefusals = 20;

export type FetchFailure = Extract<SkipReason, "file_link_expired" | "file_too_large" | "file_unreachable">;

export class NotFetched extends Error {
  override name = "NotFetched";
  readonly reason: FetchFailure;

  constructor(reason: FetchFailure) {
    super(reason);
    this.reason = reason;
  }
}

/** Another attempt may succeed. */
class TryAgain extends Error {
  readonly afterMs: number;

  constructor(afterMs = 0) {
    super("try again");
    this.afterMs = afterMs;
  }
}

export class FileFetcher {
  readonly #settings: FetchSettings;
  #refusals = 0;

  constructor(settings: FetchSettings) {
    this.#settings = settings;
  }

  /** Whether a link leads to where it may fetch files. */
  readonly canFetch = (url: string): boolean => URL.parse(url)?.origin === this.#settings.origin;

  /** Gives the bytes to `store`, perhaps several times: only the last one counts. Throws NotFetched. */
  async fetch(
    file: SourceFile,
    maxBytes: number,
    store: (bytes: AsyncIterable<Buffer>) => Promise<void>,
  ): Promise<void> {
    if (this.#refusals >= maxRefusals) throw new NotFetched("file_link_expired");
    if ((file.size ?? 0) > maxBytes) throw new NotFetched("file_too_large");
    for (let attempt = 1; ; attempt++)
      try {
        await this.#follow(file, maxBytes, store);
        this.#refusals = 0;
        return;
      } catch (error) {
        if (error instanceof NotFetched && error.reason === "file_link_expired") this.#refusals++;
        if (!(error instanceof TryAgain)) throw error;
        if (attempt >= maxAttempts) throw new NotFetched("file_unreachable");
        await delay(Math.min(Math.max(error.afterMs, attempt * this.#settings.pauseMs), longestPauseMs));
      }
  }

  async #follow(file: SourceFile, maxBytes: number, store: (bytes: AsyncIterable<Buffer>) => Promise<void>) {
    let { url = "" } = file;
    for (let left = maxRedirects; left >= 0; left--) {
      // Whoever is not signed in is sent elsewhere to do so.
      if (!this.canFetch(url)) throw new NotFetched("file_link_expired");
      const next = await this.#ask(url, file, maxBytes, store);
      if (next === undefined) return;
      url = URL.parse(next, url)?.href ?? "";
    }
    throw new NotFetched("file_unreachable");
  }

  /** Returns where it was redirected to. */
  async #ask(
    url: string,
    file: SourceFile,
    maxBytes: number,
    store: (bytes: AsyncIterable<Buffer>) => Promise<void>,
  ): Promise<string | undefined> {
    const { outbound, timeoutMs } = this.#settings;
    try {
      return await outbound.stream(url, { timeoutMs, maxBytes }, async (response) => {
        const { status, headers, body } = response;
        if (status >= 300 && status < 400 && headers.location !== undefined) return headers.location;
        if (status === 429 || status >= 500) throw new TryAgain(Number(headers["retry-after"] ?? 0) * 1000 || 0);
        if (status !== 200 || isOtherPage(response, file)) throw new NotFetched("file_link_expired");
        await store(body);
        return undefined;
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.failure === "too-large") throw new NotFetched("file_too_large");
      if (error.failure === "timeout" || error.failure === "unreachable") throw new TryAgain();
      throw new NotFetched("file_unreachable");
    }
  }
}

/** For an expired token, the answer is a page to sign in instead of an error. */
function isOtherPage({ headers }: OutboundStream, { type, size }: SourceFile): boolean {
  if (!/^text\/html\b/i.test(headers["content-type"] ?? "")) return false;
  const length = headers["content-length"];
  return !/^text\/html\b/i.test(type ?? "") || (size !== undefined && length !== undefined && Number(length) !== size);
}
