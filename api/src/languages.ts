/** The languages that users can choose. Clients translate their own texts. */
import { z } from "zod";
import { languageCodes } from "./language-codes.ts";

export const languageCode = z.enum(languageCodes);
export type LanguageCode = z.output<typeof languageCode>;
