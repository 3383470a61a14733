/**
 * Passkeys: WebAuthn credentials that verify their owner, by a PIN, a finger or a face. So a passkey alone is enough to sign
 * in, and it is as good as a code after the password. Parsing and signatures are the library's; what a challenge is good
 * for, whose credential it is, and that its counter only grows, is decided here.
 *
 * Authenticators' certificates (attestation) are neither requested nor accepted: nothing here depends on the make of a device,
 * and checking certificates could make the server fetch URLs that a client has chosen.
 */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { decodeAttestationObject } from "@simplewebauthn/server/helpers";
import { maxPasskeys, type addPasskey as declaredAdd, type PasskeyAssertion } from "@skein/api/passkeys.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { sql, type Selectable } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { PasskeysTable } from "../../../platform/db/schema.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { newChallenge, openChallenge, spendChallenge, type ChallengePurpose } from "./challenges.ts";
import type { FactorHolder } from "./holder.ts";
import type { RelyingParty } from "./relying-party.ts";

export type Passkey = Selectable<PasskeysTable>;

/** EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257];
const timeout = 5 * 60_000;

/** What an authenticator stores with the passkey, to replace an older one of the same account. */
const userHandle = (id: number): Buffer => Buffer.from(`user ${id}`);

export const listPasskeys = (db: Db, { id, realm_id }: FactorHolder): Promise<Passkey[]> =>
  db
    .selectFrom("passkeys")
    .selectAll()
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .orderBy("id")
    .execute();

const describe = (passkey: Passkey) => ({
  id: passkey.credential_id.toString("base64url"),
  transports: passkey.transports,
});

interface Options {
  options: Record<string, unknown>;
  state: string;
}

/** For a browser that creates a passkey. */
export async function registrationOptions(
  db: Db,
  box: SecretBox,
  rp: RelyingParty,
  user: Pick<User, "id" | "realm_id" | "delivery_email" | "full_name">,
): Promise<Options> {
  const existing = await listPasskeys(db, user);
  const { challenge, state } = newChallenge(box, { register: user.id });
  const options = await generateRegistrationOptions({
    rpID: rp.id,
    rpName: rp.name,
    userID: Uint8Array.from(userHandle(user.id)),
    userName: user.delivery_email,
    userDisplayName: user.full_name,
    challenge,
    timeout,
    attestationType: "none",
    excludeCredentials: existing.map(describe),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: algorithms,
  });
  return { options: { ...options }, state };
}

/** For a browser that uses a passkey: one of `passkeys`, or if there are none, any that it has for this host. */
export async function signingOptions(
  box: SecretBox,
  rp: RelyingParty,
  purpose: ChallengePurpose,
  passkeys: readonly Passkey[] = [],
): Promise<Options> {
  const { challenge, state } = newChallenge(box, purpose);
  const options = await generateAuthenticationOptions({
    rpID: rp.id,
    challenge,
    timeout,
    userVerification: "required",
    ...(passkeys.length === 0 ? {} : { allowCredentials: passkeys.map(describe) }),
  });
  return { options: { ...options }, state };
}

export type NewCredential = ParamsOf<typeof declaredAdd>["credential"];

const notAccepted = () => new ApiError("This passkey was not accepted. Try again.", { code: "PASSKEY_INVALID" });

/** Only statements without certificates: see above. */
function refuseCertificates(attestationObject: string): void {
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, "base64url")));
  const format = decoded.get("fmt");
  if (format === "none") return;
  if (format !== "packed" || decoded.get("attStmt").get("x5c") !== undefined) throw notAccepted();
}

/** The public key in a browser's response to registrationOptions(); throws unless everything about it is right. */
export async function verifyNewPasskey(
  box: SecretBox,
  rp: RelyingParty,
  { id }: FactorHolder,
  given: { state: string; credential: NewCredential },
) {
  const challenge = openChallenge(box, { register: id }, given.state);
  if (challenge === undefined) throw notAccepted();
  const { response, ...credential } = given.credential;
  try {
    refuseCertificates(response.attestationObject);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credential,
        response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) throw notAccepted();
    const { credential: made, credentialBackedUp } = registrationInfo;
    return {
      challenge,
      credential_id: Buffer.from(made.id, "base64url"),
      public_key: Buffer.from(made.publicKey),
      counter: made.counter,
      transports: response.transports ?? [],
      is_backed_up: credentialBackedUp,
    };
  } catch {
    // The library explains itself in plain errors, for developers.
    throw notAccepted();
  }
}

/** Stores a passkey that verifyNewPasskey() has accepted. The account is locked, so that its passkeys are counted exactly. */
export async function storePasskey(
  tx: Tx,
  { id: user_id, realm_id }: FactorHolder,
  { challenge, ...key }: Awaited<ReturnType<typeof verifyNewPasskey>>,
  name: string,
): Promise<Passkey> {
  if (!(await spendChallenge(tx, realm_id, challenge))) throw notAccepted();
  if ((await listPasskeys(tx, { id: user_id, realm_id })).length >= maxPasskeys)
    throw new ApiError(`An account can have ${maxPasskeys} passkeys. Remove one first.`);
  const stored = await tx
    .insertInto("passkeys")
    .values({ realm_id, user_id, name, ...key })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!stored) throw new ApiError("This passkey has been added already.");
  return stored;
}

/** What a passkey has signed, if that proves that its owner is there. It is not used up yet. */
export interface VerifiedPasskey {
  passkey: Passkey;
  challenge: string;
  counter: number;
  isBackedUp: boolean;
}

/** A passkey of this organization by the id that its browser states. */
export const findPasskey = (db: Db, realmId: number, { id }: PasskeyAssertion): Promise<Passkey | undefined> =>
  db
    .selectFrom("passkeys")
    .selectAll()
    .where("realm_id", "=", realmId)
    .where("credential_id", "=", Buffer.from(id, "base64url"))
    .executeTakeFirst();

/** Undefined unless `passkey` has signed a challenge of ours, for this purpose, on a page of this host. */
export async function verifyPasskey(
  box: SecretBox,
  rp: RelyingParty,
  purpose: ChallengePurpose,
  passkey: Passkey,
  given: { state: string; credential: PasskeyAssertion },
): Promise<VerifiedPasskey | undefined> {
  const challenge = openChallenge(box, purpose, given.state);
  if (challenge === undefined) return undefined;
  const { response, ...credential } = given.credential;
  const { clientDataJSON, authenticatorData, signature, userHandle: handle } = response;
  if (handle && !Buffer.from(handle, "base64url").equals(userHandle(passkey.user_id))) return undefined;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
      credential: {
        ...describe(passkey),
        publicKey: Uint8Array.from(passkey.public_key),
        counter: passkey.counter,
      },
    });
    const { newCounter: counter, credentialBackedUp: isBackedUp } = authenticationInfo;
    return verified ? { passkey, challenge, counter, isBackedUp } : undefined;
  } catch {
    // The library explains itself in plain errors, for developers.
    return undefined;
  }
}

/** Uses the challenge up; false if it has been used, or the passkey was removed or has signed something later meanwhile. */
export async function usePasskey(
  tx: Tx,
  { passkey, challenge, counter, isBackedUp }: VerifiedPasskey,
): Promise<boolean> {
  if (!(await spendChallenge(tx, passkey.realm_id, challenge))) return false;
  const { numUpdatedRows } = await tx
    .updateTable("passkeys")
    .set({ counter, is_backed_up: isBackedUp, last_used_at: sql<Date>`now()` })
    .where("realm_id", "=", passkey.realm_id)
    .where("id", "=", passkey.id)
    .where((where) => where.or([where("counter", "<", counter), where("counter", "=", 0)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
