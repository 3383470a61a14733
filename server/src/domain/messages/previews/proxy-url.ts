/**
 * URLs under which this server shows images of other servers. The signature proves that this server created the URL:
 * without it anybody could use the server to fetch anything. A server without a secret cannot sign, and shows no such
 * images.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Config } from "../../../config.ts";

export const proxyPath = "/external_content/";

type WithSecret = Pick<Config, "secret">;
type WithSecrets = Pick<Config, "secret" | "secondSecret">;

export const hasProxy = ({ secret }: WithSecret): boolean => secret !== "";

export function signedProxyUrl({ secret }: WithSecret, url: string): string {
  const bytes = Buffer.from(url);
  return `${proxyPath}${sign(secret, bytes).toString("hex")}/${bytes.toString("hex")}`;
}

const written = /^([0-9a-f]{64})\/((?:[0-9a-f]{2})+)$/;

/** The original URL behind one of ours; undefined when the signature is not ours. */
export function readProxyUrl({ secret, secondSecret }: WithSecrets, path: string): string | undefined {
  if (!path.startsWith(proxyPath)) return undefined;
  const [, signature, hex] = written.exec(path.slice(proxyPath.length)) ?? [];
  if (signature === undefined || hex === undefined) return undefined;
  const bytes = Buffer.from(hex, "hex");
  const isSignedWith = (key: string) => key !== "" && timingSafeEqual(Buffer.from(signature, "hex"), sign(key, bytes));
  return isSignedWith(secret) || isSignedWith(secondSecret) ? bytes.toString() : undefined;
}

const inText = /\/external_content\/[0-9a-f]{64}\/(?:[0-9a-f]{2})+/g;

/** Signs URLs in a text again that were signed with the second secret. */
export const resignProxyUrls = ({ secret, secondSecret }: WithSecrets, text: string): string =>
  text.replaceAll(inText, (path) => {
    const url = readProxyUrl({ secret: secondSecret, secondSecret: "" }, path);
    return url === undefined ? path : signedProxyUrl({ secret }, url);
  });

/** The secret has other uses; each has its own derived key. */
const sign = (secret: string, bytes: Buffer): Buffer =>
  createHmac("sha256", new Uint8Array(hkdfSync("sha256", secret, "", "skein image proxy v1", 32)))
    .update(bytes)
    .digest();
