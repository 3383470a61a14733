import { z } from "zod";

export const stopWordState = {
  stop_words: z.array(z.string()).describe("Words that a search passes over, because every text has them."),
};
