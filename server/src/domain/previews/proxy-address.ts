/**
 * Addresses under which this server shows pictures of other servers. The signature says that we made the address: without
 * it anybody could use the server to fetch what they like. A server without a secret cannot sign, and shows none.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Config } from "../../config.ts";

export const proxyPath = "/external_content/";

type WithSecret = Pick<Config, "secret">;

export const hasProxy = ({ secret }: WithSecret): boolean => secret !== "";

export function proxyAddress({ secret }: WithSecret, url: string): string {
  const bytes = Buffer.from(url);
  return `${proxyPath}${sign(secret, bytes).toString("hex")}/${bytes.toString("hex")}`;
}

const written = /^([0-9a-f]{64})\/((?:[0-9a-f]{2})+)$/;

/** The address that stands behind one of ours; undefined when we did not make it. */
export function readProxyAddress({ secret }: WithSecret, path: string): string | undefined {
  if (secret === "" || !path.startsWith(proxyPath)) return undefined;
  const [, signature, hex] = written.exec(path.slice(proxyPath.length)) ?? [];
  if (signature === undefined || hex === undefined) return undefined;
  const bytes = Buffer.from(hex, "hex");
  return timingSafeEqual(Buffer.from(signature, "hex"), sign(secret, bytes)) ? bytes.toString() : undefined;
}

/** The secret serves other purposes too; each has a key of its own. */
const sign = (secret: string, bytes: Buffer): Buffer =>
  createHmac("sha256", new Uint8Array(hkdfSync("sha256", secret, "", "skein image proxy v1", 32)))
    .update(bytes)
    .digest();
