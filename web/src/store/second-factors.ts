/** The reader's second factors: an authenticator app, passkeys, recovery codes. */
import {
  addPasskey,
  getPasskeyChallenge,
  removePasskey,
  startPasskey,
  updatePasskey,
} from "@skein/api/routes/passkeys.ts";
import {
  confirmTotp,
  getSecondFactors,
  regenerateRecoveryCodes,
  removeTotp,
  startTotp,
} from "@skein/api/routes/second-factors.ts";
import { Refusal } from "@skein/api/failures.ts";
import { call } from "../api/call.ts";
import { createPasskey, signWithPasskey } from "../api/passkey.ts";
import { besidePassword, type Proof } from "../api/proof.ts";

export const readSecondFactors = () => call(getSecondFactors, {});
export type SecondFactors = Awaited<ReturnType<typeof readSecondFactors>>;
export type Passkey = SecondFactors["passkeys"][number];

/** Whether the password alone is not enough. */
export const isProtected = ({ totp, passkeys }: SecondFactors): boolean => totp !== null || passkeys.length > 0;

/** Has one of the reader's passkeys sign a challenge. */
export async function provePasskey(): Promise<Proof> {
  const { options, state } = await call(getPasskeyChallenge, {});
  return { passkey: { state, credential: await signWithPasskey(options) } };
}

/** The secret for the app. */
export const startApp = (password: string, proof?: Proof) => call(startTotp, { password, ...besidePassword(proof) });

/** Turns the second factor on; returns the recovery codes. */
export const confirmApp = async (code: string): Promise<readonly string[]> =>
  (await call(confirmTotp, { code })).recovery_codes;

export const removeApp = (proof: Proof): Promise<unknown> => call(removeTotp, proof);

export const renewRecoveryCodes = async (proof: Proof): Promise<readonly string[]> =>
  (await call(regenerateRecoveryCodes, proof)).recovery_codes;

/** Creates a passkey and stores it; returns recovery codes if it is the first second factor. */
export async function makePasskey(name: string, password: string, proof?: Proof): Promise<readonly string[] | null> {
  const { options, state } = await call(startPasskey, { password, ...besidePassword(proof) });
  return (await call(addPasskey, { name, state, credential: await createPasskey(options) })).recovery_codes;
}

export const renamePasskey = (passkey_id: number, name: string): Promise<unknown> =>
  call(updatePasskey, { passkey_id, name });

export const dropPasskey = (passkey_id: number, proof: Proof): Promise<unknown> =>
  call(removePasskey, { passkey_id, ...proof });

/** Which second factors are accepted, if the password was right and one of them is needed, too; otherwise undefined. */
export function factorsAskedFor(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Refusal) || error.code !== "SECOND_FACTOR_REQUIRED") return undefined;
  const { second_factors } = error.data;
  return Array.isArray(second_factors) ? second_factors.map(String) : [];
}
