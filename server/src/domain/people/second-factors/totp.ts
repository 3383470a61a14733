/** Time-based one-time passwords (RFC 6238) with the parameters that all authenticator apps know. */
import { Secret, TOTP } from "otpauth";

const digits = 6;
const periodSeconds = 30;
/** Clocks differ, and people type slowly: the codes before and after the current one are accepted, too. */
const window = 1;

/** For SecretBox. */
export const totpPurpose = (userId: number): string => `TOTP secret of user ${userId}`;

/** 160 random bits in base32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

const totpOf = (secret: string, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits, period: periodSeconds, ...names });

/** What a QR code for the app contains. `issuer` and `label` are what the app shows. */
export const totpUrl = (secret: string, names: { issuer: string; label: string }): string =>
  totpOf(secret, names).toString();

export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/** The time step that the code belongs to; undefined if it is wrong. */
export function stepOf(secret: string, code: string, now = Date.now()): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window });
  return delta === null ? undefined : Math.floor(now / 1000 / periodSeconds) + delta;
}
