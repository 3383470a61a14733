/** Passkeys: keys on a device or security key with which people sign in instead of a password, or after it. */
import { z } from "zod";
import { endpoint, fewValues, json, list, textUpTo } from "./endpoint.ts";

const area = "Authentication";

/** How many passkeys an account can have. */
export const maxPasskeys = 20;
const maxName = 100;

/** Binary data of the Web Authentication API, in base64url. */
const binary = (bytes: number) => textUpTo(Math.ceil((bytes * 4) / 3)).regex(/^[\w-]*$/);
const credentialId = binary(1023);
const clientDataJSON = binary(3000);

const state = textUpTo(500).describe(
  "What the server returned together with the options. It is accepted once, within ten minutes.",
);

const assertion = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON,
    authenticatorData: binary(3000),
    signature: binary(3000),
    userHandle: binary(64).nullish(),
  }),
});
export type PasskeyAssertion = z.output<typeof assertion>;

/** Decodes what a page sends. */
export const assertionText = json(assertion, fewValues);

/** What a passkey signed, as proof that its owner is there. */
export const passkeyProof = json(z.object({ state: textUpTo(500), credential: assertion }), fewValues)
  .optional()
  .describe(
    "Instead of a code: `state` of get-passkey-challenge, and `credential`, the browser's response to its options as JSON " +
      "(`PublicKeyCredential.toJSON()`).",
  );
export type PasskeyProof = z.output<typeof passkeyProof>;

export const passkeyObject = z
  .strictObject({
    id: z.int().describe("The passkey's ID, which is not a secret."),
    name: z.string().describe("What its owner calls it."),
    is_backed_up: z.boolean().describe("Whether it is copied to other devices of its owner."),
    created_at: z.int().describe("When it was added, in Unix seconds."),
    last_used_at: z.int().nullable().describe("When it was last used, in Unix seconds; null if never."),
  })
  .meta({ id: "Passkey" });

const options = z.record(z.string(), z.unknown());
const passkey_id = json(z.int()).describe("The passkey's ID.");
const name = textUpTo(maxName).describe("What to call it.");

export const getPasskeyChallenge = endpoint({
  operation: "get-passkey-challenge",
  method: "GET",
  path: "/users/me/passkeys/challenge",
  auth: "user",
  scope: "account",
  area,
  summary: "Get a challenge for a passkey",
  description: "Get what one of the calling account's passkeys has to sign, to stand in for a code.",
  params: {},
  returns: {
    options: options.describe(
      "For `navigator.credentials.get`, as JSON (`PublicKeyCredential.parseRequestOptionsFromJSON()`).",
    ),
    state: z.string().describe("To be sent back with the browser's response."),
  },
});

export const startPasskey = endpoint({
  operation: "start-passkey",
  method: "POST",
  path: "/users/me/passkeys/options",
  auth: "user",
  scope: "account",
  area,
  summary: "Begin to add a passkey",
  description:
    "Get the options with which a browser creates a passkey for the calling account. Accounts that have a second factor " +
    "already need it, besides the password.",
  params: {
    password: textUpTo(1000).describe("The account's password."),
    second_factor_code: textUpTo(100).optional().describe("The code of the authenticator app, or a recovery code."),
    passkey: passkeyProof,
  },
  returns: {
    options: options.describe(
      "For `navigator.credentials.create`, as JSON (`PublicKeyCredential.parseCreationOptionsFromJSON()`).",
    ),
    state: z.string().describe("To be sent back with the new passkey."),
  },
});

export const addPasskey = endpoint({
  operation: "add-passkey",
  method: "POST",
  path: "/users/me/passkeys",
  auth: "user",
  scope: "account",
  area,
  summary: "Add a passkey",
  description:
    "Store a passkey that a browser has created. From now on it signs in alone, and signing in with the password needs it, " +
    `or a code. An account can have ${maxPasskeys}.`,
  params: {
    name,
    state,
    credential: json(
      z.object({
        id: credentialId,
        rawId: credentialId,
        type: z.literal("public-key"),
        response: z.object({
          clientDataJSON,
          attestationObject: binary(6000),
          transports: list(textUpTo(30), 10).optional(),
        }),
      }),
      fewValues,
    ).describe("The browser's response to the options, as JSON (`PublicKeyCredential.toJSON()`)."),
  },
  returns: {
    passkey: passkeyObject,
    recovery_codes: z
      .array(z.string())
      .nullable()
      .describe(
        "Codes that stand in for the passkey, each once, shown this once; null if the account had a second factor.",
      ),
  },
});

export const updatePasskey = endpoint({
  operation: "update-passkey",
  method: "PATCH",
  path: "/users/me/passkeys/{passkey_id}",
  auth: "user",
  scope: "account",
  area,
  summary: "Rename a passkey",
  description: "Change the name of one of the calling account's passkeys.",
  params: { passkey_id, name },
  returns: {},
});

export const removePasskey = endpoint({
  operation: "remove-passkey",
  method: "DELETE",
  path: "/users/me/passkeys/{passkey_id}",
  auth: "user",
  scope: "account",
  area,
  summary: "Remove a passkey",
  description:
    "Remove one of the calling account's passkeys, with a code or a passkey, which can be the same. With the last second " +
    "factor the recovery codes are removed, too.",
  params: {
    passkey_id,
    code: textUpTo(100).optional().describe("The code of the authenticator app, or a recovery code."),
    passkey: passkeyProof,
  },
  returns: {},
});

export const endpoints = [getPasskeyChallenge, startPasskey, addPasskey, updatePasskey, removePasskey];
