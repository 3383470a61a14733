/** What an identity provider states about a person who signs in, whatever protocol it speaks. */
import { z } from "zod";
import { ProviderProblem } from "./provider-problem.ts";

/** What can be stored: PostgreSQL takes no U+0000. */
const storable = z
  .string()
  .max(1000)
  .regex(/^[^\0]*$/);
/** A subject or session: up to 255 characters. */
export const identifier = storable.min(1).max(255);

/** What we need to know about a person. An e-mail address that the provider has not verified proves nothing. */
const claimsForm = z.looseObject({
  sub: identifier,
  email: storable.optional(),
  // Some providers send a string.
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]).optional(),
});
export type Claims = z.output<typeof claimsForm>;

export interface Person extends Claims {
  issuer: string;
  /** The person's session at the provider. */
  sid: string | undefined;
  /** The names of the person's groups, as a list or as one text; undefined if the provider does not say. */
  groups: unknown;
}

export function readClaims(claims: unknown, source: string): Claims {
  const { data, error } = claimsForm.safeParse(claims);
  if (error) throw new ProviderProblem(`${source} is invalid: ${z.prettifyError(error)}`);
  return data;
}
