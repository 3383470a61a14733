/**
 * Keeps what must be shown or sent again (a bot's key, a webhook's token) unreadable in the database: AES-256-GCM under
 * the server's secret. A sealed text begins with the version of this format; the purpose is sealed with it, so that one
 * cannot be passed off as another.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { ApiError } from "../errors.ts";

const version = "v1";
const ivBytes = 12;
const tagBytes = 16;

export class SecretBox {
  readonly #key: Buffer | undefined;

  /** Without a secret (empty) nothing can be sealed: what needs it is refused with a word to the operator. */
  constructor(secret: string) {
    this.#key = secret === "" ? undefined : Buffer.from(hkdfSync("sha256", secret, "", "skein secret box v1", 32));
  }

  seal(text: string, purpose: string): string {
    if (!this.#key)
      throw new ApiError("The operator of this server has to set SKEIN_SECRET before it can keep secrets.");
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key, iv).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")}`;
  }

  /** Nothing when it was sealed under another secret or for another purpose, or was changed since. */
  open(sealed: string, purpose: string): string | undefined {
    const [found, text = ""] = sealed.split(".");
    const bytes = Buffer.from(text, "base64url");
    if (!this.#key || found !== version || bytes.length < ivBytes + tagBytes) return undefined;
    const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
    } catch {
      return undefined; // the tag does not fit
    }
  }
}
