/** The key pair a server shows push services of browsers, so that they know who sends. The public key follows from the other. */
import { createECDH } from "node:crypto";

const privateKeyBytes = 32;

/** A new private key, as it is configured. */
export function newVapidKey(): string {
  const curve = createECDH("prime256v1");
  curve.generateKeys();
  const key = curve.getPrivateKey();
  return Buffer.concat([Buffer.alloc(privateKeyBytes - key.length), key]).toString("base64url");
}

/** Throws at what is no private key; the value is not repeated, since it is a secret. */
export function readVapidKey(value: string): string {
  if (value !== "") vapidPublicKey(value);
  return value;
}

export function vapidPublicKey(privateKey: string): string {
  const bytes = Buffer.from(privateKey, "base64url");
  const curve = createECDH("prime256v1");
  try {
    if (bytes.length !== privateKeyBytes) throw new Error("of another length");
    curve.setPrivateKey(bytes);
  } catch {
    throw new Error("must be a key that `skein vapid-keys` printed");
  }
  return curve.getPublicKey().toString("base64url");
}
