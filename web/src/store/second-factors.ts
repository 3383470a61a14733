/** The authenticator app of the reader's account. */
import {
  confirmTotp,
  getSecondFactors,
  regenerateRecoveryCodes,
  removeTotp,
  startTotp,
} from "@skein/api/routes/second-factors.ts";
import { Refusal } from "@skein/api/failures.ts";
import { call } from "../api/call.ts";

export const readSecondFactors = () => call(getSecondFactors, {});
export type SecondFactors = Awaited<ReturnType<typeof readSecondFactors>>;

/** The secret for the app. */
export const startApp = (password: string) => call(startTotp, { password });

/** Turns the second factor on; returns the recovery codes. */
export const confirmApp = async (code: string): Promise<readonly string[]> =>
  (await call(confirmTotp, { code })).recovery_codes;

export const removeApp = (code: string): Promise<unknown> => call(removeTotp, { code });

export const renewRecoveryCodes = async (code: string): Promise<readonly string[]> =>
  (await call(regenerateRecoveryCodes, { code })).recovery_codes;

/** Whether the password was right, and a code is needed, too. */
export const asksForCode = (error: unknown): boolean =>
  error instanceof Refusal && error.code === "SECOND_FACTOR_REQUIRED";
