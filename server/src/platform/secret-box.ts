/**
 * Encrypts secrets in the database that must be shown or sent again (a bot's API key, a webhook's token): AES-256-GCM with a
 * key derived from the server's secret. A sealed text begins with a format version, and its purpose is authenticated, so
 * that it cannot be used for another purpose.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { ApiError } from "../errors.ts";

const version = "v1";
const ivBytes = 12;
const tagBytes = 16;

const keyOf = (secret: string): Buffer | undefined =>
  secret === "" ? undefined : Buffer.from(hkdfSync("sha256", secret, "", "skein secret box v1", 32));

export class SecretBox {
  readonly #key: Buffer | undefined;
  readonly #secondKey: Buffer | undefined;

  /**
   * With an empty secret nothing can be sealed, and `seal` throws an error addressed to the operator. The second secret is
   * accepted for opening only, while the server's secret is being replaced.
   */
  constructor(secret: string, secondSecret = "") {
    this.#key = keyOf(secret);
    this.#secondKey = keyOf(secondSecret);
  }

  get canSeal(): boolean {
    return this.#key !== undefined;
  }

  seal(text: string, purpose: string): string {
    if (!this.#key) throw new ApiError("This server cannot store secrets until its operator sets SKEIN_SECRET.");
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key, iv).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
  }

  /** Undefined if it was sealed with another secret or for another purpose, or has been modified. */
  open(sealed: string, purpose: string): string | undefined {
    return openWith(this.#key, sealed, purpose) ?? openWith(this.#secondKey, sealed, purpose);
  }

  /** The same text sealed with the first secret, if it was sealed with the second one; otherwise undefined. */
  reseal(sealed: string, purpose: string): string | undefined {
    if (openWith(this.#key, sealed, purpose) !== undefined) return undefined;
    const text = openWith(this.#secondKey, sealed, purpose);
    return text === undefined ? undefined : this.seal(text, purpose);
  }
}

function openWith(key: Buffer | undefined, sealed: string, purpose: string): string | undefined {
  const [found, text = ""] = sealed.split(".");
  const bytes = Buffer.from(text, "base64url");
  if (!key || found !== version || bytes.length < ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined; // the authentication tag does not match
  }
}
