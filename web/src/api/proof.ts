/** What shows that the reader has the second factor, as requests carry it. */
import type { PasskeyProof } from "@skein/api/passkeys.ts";

export type Proof = { code: string } | { passkey: NonNullable<PasskeyProof> };

/** The proof as it is sent with a password. */
export function besidePassword(proof: Proof | undefined) {
  if (!proof) return {};
  return "code" in proof ? { second_factor_code: proof.code } : proof;
}
