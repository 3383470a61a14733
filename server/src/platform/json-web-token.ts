/**
 * JSON Web Tokens as they travel: what is said of the signature, what is claimed, and the signature over both. Reading
 * one says nothing of its being genuine: whoever reads it names the one way of signing that will do, whatever the token
 * says of itself.
 */
import { createHmac, createPublicKey, timingSafeEqual, verify, type JsonWebKey, type KeyObject } from "node:crypto";
import { z } from "zod";

export const longestToken = 16_384;

/** Of everything that may be claimed, what is judged here; other claims are kept as they are. */
const claimsForm = z.looseObject({
  exp: z.number().optional(),
  nbf: z.number().optional(),
  iat: z.number().optional(),
  iss: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]).optional(),
});
export type Claims = z.output<typeof claimsForm>;

/** A token with a critical extension means something else to whoever knows the extension. */
const headerForm = z.looseObject({ alg: z.string(), kid: z.string().optional(), crit: z.never().optional() });

export interface WebToken {
  algorithm: string;
  keyId: string | undefined;
  claims: Claims;
  /** What the signature is over. */
  signed: string;
  signature: Buffer;
}

/** Undefined for what is no token. */
export function readWebToken(text: string): WebToken | undefined {
  if (text.length > longestToken) return undefined;
  const [, head, body, signature] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(text) ?? [];
  if (head === undefined || body === undefined || signature === undefined) return undefined;
  const header = headerForm.safeParse(readJson(head));
  const claims = claimsForm.safeParse(readJson(body));
  if (!header.success || !claims.success) return undefined;
  return {
    algorithm: header.data.alg,
    keyId: header.data.kid,
    claims: claims.data,
    signed: `${head}.${body}`,
    signature: Buffer.from(signature, "base64url"),
  };
}

function readJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** By HS256, with a secret both sides know. */
export function isSignedWithSecret({ algorithm, signed, signature }: WebToken, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(signed).digest();
  return algorithm === "HS256" && signature.length === expected.length && timingSafeEqual(signature, expected);
}

/** What a key must be for each way of signing that is taken. */
const keyTypes: Record<string, { type: string; curve?: string; dsaEncoding?: "ieee-p1363" }> = {
  RS256: { type: "rsa" },
  ES256: { type: "ec", curve: "prime256v1", dsaEncoding: "ieee-p1363" },
};

/** By RS256 or ES256, whichever belongs to the key: a public key is no secret to be tried in another way. */
export function isSignedWithKey({ algorithm, signed, signature }: WebToken, given: JsonWebKey): boolean {
  const wanted = Object.hasOwn(keyTypes, algorithm) ? keyTypes[algorithm] : undefined;
  const key = wanted && readKey(given);
  if (!wanted || key?.asymmetricKeyType !== wanted.type) return false;
  if (key.asymmetricKeyDetails?.namedCurve !== wanted.curve) return false;
  const { dsaEncoding } = wanted;
  return verify("sha256", Buffer.from(signed), dsaEncoding ? { key, dsaEncoding } : key, signature);
}

function readKey(given: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: given, format: "jwk" });
  } catch {
    return undefined; // of a kind unknown here
  }
}

/** Whether it holds now, by what it says of its time; what says nothing of it always does. */
export function isInTime({ exp, nbf, iat }: Claims, leewaySeconds = 0): boolean {
  const now = Date.now() / 1000;
  if (exp !== undefined && now >= exp + leewaySeconds) return false;
  return [nbf, iat].every((from) => from === undefined || now >= from - leewaySeconds);
}

/** Whom it is for. */
export const audienceOf = ({ aud = [] }: Claims): string[] => (typeof aud === "string" ? [aud] : aud);
