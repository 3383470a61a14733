/** How to connect to NATS: its servers, and the credentials that the client library does not take from a URL itself. */
import { readFileSync } from "node:fs";
import { credsAuthenticator, type ConnectionOptions } from "@nats-io/transport-node";
import type { Config } from "../config.ts";

type NatsSettings = Pick<Config, "natsUrl" | "natsCredentialsFile" | "natsCaFile">;

/** The servers of a cluster have the same credentials, so those of the first URL count. */
export function natsOptions({ natsUrl, natsCredentialsFile, natsCaFile }: NatsSettings): ConnectionOptions {
  const urls = natsUrl.split(",").map((url) => new URL(url.includes("://") ? url : `nats://${url}`));
  const usesTls = natsCaFile !== undefined || urls.some(({ protocol }) => protocol === "tls:");
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === "" ? "4222" : port}`),
    ...credentials(urls[0], natsCredentialsFile),
    // Otherwise every request records where it was made: a good part of the relay's time.
    noAsyncTraces: true,
    ...(usesTls ? { tls: natsCaFile === undefined ? {} : { caFile: natsCaFile } } : {}),
  };
}

function credentials(url: URL | undefined, file: string | undefined): ConnectionOptions {
  if (file !== undefined) return { authenticator: credsAuthenticator(readFileSync(file)) };
  const [name = "", password = ""] = [url?.username, url?.password].map((part = "") => decodeURIComponent(part));
  if (name === "") return {};
  return password === "" ? { token: name } : { user: name, pass: password };
}
