import { Refusal } from "@skein/api/failures.ts";
import { t } from "../text/t.ts";

/** Why a request failed, for the user: the server's own error message if there is one. */
export const reasonOf = (error: unknown): string => (error instanceof Refusal ? error.message : t("failure.noAnswer"));
