/** The URL of a destination may contain credentials, so it is stored encrypted, as is the secret that signs deliveries. */
import type { SecretBox } from "../../../platform/secret-box.ts";

export const urlPurpose = (id: number): string => `URL of audit destination ${id}`;
export const secretPurpose = (id: number): string => `secret of audit destination ${id}`;

export const sealUrl = (box: SecretBox, id: number, url: string): string => box.seal(url, urlPurpose(id));
export const sealSecret = (box: SecretBox, id: number, secret: string): string => box.seal(secret, secretPurpose(id));

/** Undefined when it was sealed with a different server secret. */
export const openUrl = (box: SecretBox, id: number, sealed: string): string | undefined =>
  box.open(sealed, urlPurpose(id));
export const openSecret = (box: SecretBox, id: number, sealed: string): string | undefined =>
  box.open(sealed, secretPurpose(id));
