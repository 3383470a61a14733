/** Narrows: a client's way to select messages. A message must match all terms. */
import { z } from "zod";
import { list } from "./endpoint.ts";

/** No real search needs more terms. */
export const maxTerms = 100;

const term = z.strictObject({
  operator: z.string(),
  operand: z.union([z.string(), z.int(), list(z.int())]),
  negated: z.boolean().optional(),
});

/** The older form: a pair of strings. */
const pair = z.tuple([z.string(), z.string()]);

export const narrow = list(z.union([term, pair]), maxTerms);
export type Narrow = z.output<typeof narrow>;
export type NarrowTerm = z.output<typeof term>;
