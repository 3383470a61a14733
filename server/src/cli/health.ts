import { isIPv6 } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { defaultHealthPort, readConfig, type Config } from "../config.ts";
import { command, table } from "./command.ts";

const timeoutMilliseconds = 5000;
const pauseMilliseconds = 200;

export const health = command({
  options: {
    wait: {
      type: "number",
      value: "SECONDS",
      default: 0,
      description: "How long to wait until the process is ready.",
    },
  },
  run: async ({ options: { wait }, answer }) => {
    const urls = localUrls(readConfig(process.env), "/health/ready");
    const found = await untilReady(urls, performance.now() + wait * 1000);
    if (!found) throw new Error(`No server process responds at ${urls.join(" or ")}.`);
    const { url, response } = found;
    const { status, checks } = await readHealth(url, response);
    answer({ url, status, checks }, `${status}\n\n${table(Object.entries(checks))}`);
    if (!response.ok) process.exitCode = 1;
  },
});

interface Health {
  status: string;
  checks: Record<string, string>;
}

async function readHealth(url: string, response: Response): Promise<Health> {
  const found = (await response.json().catch(() => null)) as Partial<Health> | null; // any JSON, or none
  if (typeof found?.status !== "string" || typeof found.checks !== "object")
    throw new Error(`What responds at ${url} is not a Skein server. Check SKEIN_PORT and SKEIN_HEALTH_PORT.`);
  return { status: found.status, checks: found.checks };
}

/**
 * Where the process on this machine may serve this path. Its roles may have been given on its command line, so without a
 * setting there are two possible ports.
 */
export function localUrls({ host, port, healthPort }: Config, path: string): string[] {
  const local = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const address = isIPv6(local) ? `[${local}]` : local;
  const ports = healthPort === undefined ? [port, defaultHealthPort] : [healthPort];
  return ports.map((each) => `http://${address}:${each}${path}`);
}

/** The first response that says so, or the last one before the time is over. */
async function untilReady(urls: string[], end: number): Promise<{ url: string; response: Response } | undefined> {
  for (;;) {
    const found = await firstResponse(urls);
    if (found?.response.ok === true || performance.now() >= end) return found;
    await delay(pauseMilliseconds);
  }
}

async function firstResponse(urls: string[]): Promise<{ url: string; response: Response } | undefined> {
  for (const url of urls) {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    const response = await fetch(url, { signal }).catch(() => undefined); // nothing listens, or it does not respond
    if (response) return { url, response };
  }
  return undefined;
}
