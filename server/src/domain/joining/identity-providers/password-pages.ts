/** Pages on which people choose a password: of no use where the organization accepts its identity provider only. */
import type { Context } from "../../../context.ts";
import type { Limit } from "../../../http/rate-limit.ts";
import { acceptsPasswords } from "../../people/auth/sign-in-methods.ts";
import { realmPages, type DeclarePage } from "../sign-in/realm-page.ts";
import { providerOnly } from "./views.ts";

export function passwordPages(ctx: Context, limit: Limit): DeclarePage {
  const page = realmPages(ctx, limit);
  return (method, path, serve, options) =>
    page(
      method,
      path,
      async (given, visit) => (acceptsPasswords(visit.realm) ? serve(given, visit) : providerOnly),
      options,
    );
}
