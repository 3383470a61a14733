/** Passwords are stored as argon2id hashes, and have to withstand 10,000 guesses. */
import { randomUUID } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { textLength } from "@skein/api/endpoint.ts";
import { passwordMaxLength, passwordMinGuesses, passwordMinLength } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import { countGuesses } from "./password-guesses.ts";

/** Throws unless the password is strong enough for an account with these names and e-mail addresses. */
export async function checkPassword(
  password: string,
  ownNames: string[],
  refusal = "The password is too weak.",
): Promise<void> {
  if (textLength(password) > passwordMaxLength)
    throw new ApiError(`password is too long (limit: ${passwordMaxLength} characters)`);
  if (textLength(password) < passwordMinLength) throw new ApiError(refusal);
  // An attacker tries the account's names first, in parts and as a whole, with and without trailing digits.
  const words = ownNames.flatMap((name) => [name, ...name.split(/[\s@.]+/)]).map((word) => word.toLowerCase());
  const isName = words.includes(password.toLowerCase().replace(/\d+$/, ""));
  if (isName || (await countGuesses(password, words)) < passwordMinGuesses) throw new ApiError(refusal);
}

/** Deliberately slow: not for use inside a transaction. */
export const hashPassword = (password: string): Promise<string> => hash(password);

/** Whether this is the account's password. Takes the same time without a password or without an account. */
export async function isPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await verify(passwordHash ?? (await dummyHash), password);
  return isRight && passwordHash !== null && passwordHash !== undefined;
}

const dummyHash = hash(randomUUID());
