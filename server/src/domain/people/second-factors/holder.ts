import type { User } from "../../../identity/account.ts";

/** The account that a second factor belongs to. */
export type FactorHolder = Pick<User, "id" | "realm_id">;
