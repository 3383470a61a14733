/** The second factor of signing in with a password: codes of an authenticator app, passkeys, and recovery codes. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";
import { passkeyObject, passkeyProof } from "./passkeys.ts";

const area = "Authentication";

/** How many recovery codes an account gets at a time. */
export const recoveryCodeCount = 10;

const code = textUpTo(100)
  .optional()
  .describe(
    "The code that the authenticator app shows now, or a recovery code. Each is accepted once. Spaces and hyphens are ignored.",
  );

/** Of operations that exchange a password for a key. */
export const secondFactorCode = textUpTo(100)
  .optional()
  .describe(
    "The code of the authenticator app, or a recovery code. Needed if the account has a second factor; without it such an " +
      "account gets the error `SECOND_FACTOR_REQUIRED`.",
  );

const user_id = json(z.int()).describe("The account's ID.");

const factors = {
  totp: z
    .strictObject({
      confirmed_at: z.int().describe("Since when codes are asked for, in Unix seconds."),
      last_used_at: z.int().nullable().describe("When a code was last accepted, in Unix seconds; null if never."),
    })
    .nullable()
    .describe("The authenticator app; null if there is none."),
  passkeys: z.array(passkeyObject).describe("The passkeys, the oldest first."),
  recovery_codes_left: z.int().describe("How many recovery codes have not been used."),
};

const recovery_codes = z
  .array(z.string())
  .describe(
    "Codes that stand in for the second factor, each once. They are shown this once, and replace all earlier ones.",
  );

export const getSecondFactors = endpoint({
  operation: "get-second-factors",
  method: "GET",
  path: "/users/me/second_factors",
  auth: "user",
  scope: "account",
  area,
  summary: "Get second factors",
  description:
    "Whether the calling account needs more than its password to sign in, which passkeys it has, and how many recovery " +
    "codes are left.",
  params: {},
  returns: factors,
});

export const startTotp = endpoint({
  operation: "start-totp",
  method: "POST",
  path: "/users/me/totp",
  auth: "user",
  scope: "account",
  area,
  summary: "Set up an authenticator app",
  description:
    "Create the secret for an authenticator app (TOTP: SHA-1, 6 digits, 30 seconds). Codes are asked for only after " +
    "confirm-totp, which has to follow within an hour. Calling it again before that replaces the secret.",
  params: {
    password: textUpTo(1000).describe("The account's password."),
    second_factor_code: textUpTo(100).optional().describe("A recovery code, if the account has passkeys."),
    passkey: passkeyProof,
  },
  returns: {
    secret: z.string().describe("The secret in base32, to be typed into the app; it is shown this once."),
    otpauth_url: z.string().describe("The same as a URL, for a QR code or a link that opens the app."),
  },
});

export const confirmTotp = endpoint({
  operation: "confirm-totp",
  method: "POST",
  path: "/users/me/totp/confirm",
  auth: "user",
  scope: "account",
  area,
  summary: "Confirm an authenticator app",
  description:
    "Turn the second factor on, with a first code of the app. From now on, signing in with the password needs a code. " +
    "Sessions and keys that exist stay valid.",
  params: { code: textUpTo(100).describe("The code that the app shows now.") },
  returns: { recovery_codes },
});

export const removeTotp = endpoint({
  operation: "remove-totp",
  method: "DELETE",
  path: "/users/me/totp",
  auth: "user",
  scope: "account",
  area,
  summary: "Remove the authenticator app",
  description: "Remove the authenticator app. With the last second factor the recovery codes are removed, too.",
  params: { code, passkey: passkeyProof },
  returns: {},
});

export const regenerateRecoveryCodes = endpoint({
  operation: "regenerate-recovery-codes",
  method: "POST",
  path: "/users/me/recovery_codes",
  auth: "user",
  scope: "account",
  area,
  summary: "Regenerate recovery codes",
  description: `Replace the recovery codes with ${recoveryCodeCount} new ones.`,
  params: { code, passkey: passkeyProof },
  returns: { recovery_codes },
});

export const getUserSecondFactors = endpoint({
  operation: "get-user-second-factors",
  method: "GET",
  path: "/users/{user_id}/second_factors",
  auth: "user",
  scope: "admin",
  area,
  summary: "Get a user's second factors",
  description: "Whether an account needs more than its password to sign in. For administrators.",
  params: { user_id },
  returns: factors,
});

export const resetSecondFactors = endpoint({
  operation: "reset-second-factors",
  method: "DELETE",
  path: "/users/{user_id}/second_factors",
  auth: "user",
  scope: "admin",
  stepUp: true,
  area,
  summary: "Reset a user's second factors",
  description:
    "Remove the authenticator app, the passkeys and the recovery codes of an account whose holder has lost them; the " +
    "password alone is enough then. For administrators; those of owners can be reset by owners only.",
  params: { user_id },
  returns: {},
});

export const endpoints = [
  getSecondFactors,
  startTotp,
  confirmTotp,
  removeTotp,
  regenerateRecoveryCodes,
  getUserSecondFactors,
  resetSecondFactors,
];
