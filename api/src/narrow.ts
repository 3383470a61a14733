/** The language in which a client says which messages it means. All terms must hold. */
import { z } from "zod";

/** More terms say nothing a client could mean. */
export const maxTerms = 100;

const term = z.strictObject({
  operator: z.string(),
  operand: z.union([z.string(), z.int(), z.array(z.int())]),
  negated: z.boolean().optional(),
});

/** The older form: a pair of texts. */
const pair = z.tuple([z.string(), z.string()]);

export const narrow = z.array(z.union([term, pair])).max(maxTerms);
export type Narrow = z.output<typeof narrow>;
export type NarrowTerm = z.output<typeof term>;
