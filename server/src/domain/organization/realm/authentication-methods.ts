/** The authentication methods. There is only one so far, so it cannot be disabled. */
import { ApiError } from "../../../errors.ts";

export const authenticationMethods = { Email: { enabled: true, available: true } };

export function refuseUnknownMethods(chosen: Record<string, boolean>): void {
  const known = Object.keys(authenticationMethods);
  const unknown = Object.keys(chosen).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ApiError(
      `Invalid authentication method: ${unknown}. Valid methods are: [${known.map((name) => `'${name}'`).join(", ")}]`,
    );
  if (!Object.values(chosen).includes(true)) throw new ApiError("At least one authentication method must be enabled.");
}
