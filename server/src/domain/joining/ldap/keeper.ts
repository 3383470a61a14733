/**
 * Passwords that the directories of an organization keep: at their own pages, at the usual sign-in form, and for apps that send a
 * name and a password.
 */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import type { Realm } from "../../../identity/account.ts";
import type { AuthenticatedAccount, PasswordKeeper } from "../../people/auth/password-login.ts";
import { resolvePerson, unlessProviderFails } from "../identity-providers/provider-sign-in.ts";
import { listUsableProviders, type ProviderRow } from "../identity-providers/queries.ts";
import { Directory } from "./directory.ts";

const maxLogin = 254;
const maxPassword = 1000;

/** The password is right, but the person has no account here and gets none. */
export class RefusedPerson extends ApiError {
  readonly page: PlainPage;

  constructor(page: PlainPage) {
    super(page.title, { status: page.status ?? 403 });
    this.page = page;
  }
}

export const directoryUnavailable = () =>
  new ApiError("The organization's directory did not answer. Try again later", {
    code: "DIRECTORY_UNAVAILABLE",
    status: 502,
  });

interface Origin {
  ip: string;
  id: string;
}

/** The directories of the organization; undefined if it has none. */
export async function findKeeper(ctx: Context, realm: Realm, from: Origin): Promise<PasswordKeeper | undefined> {
  const rows = (await listUsableProviders(ctx.db, realm)).filter(({ kind }) => kind === "ldap");
  const isOnly = realm.only_identity_provider_id !== null;
  return rows.length === 0 ? undefined : keeperOf(ctx, realm, rows, { isOnly, from });
}

/** These directories. The first one that knows the name and password counts. */
export const keeperOf = (
  ctx: Context,
  realm: Realm,
  rows: readonly ProviderRow[],
  { isOnly, from }: { isOnly: boolean; from: Origin },
): PasswordKeeper => ({
  isOnly,
  authenticate: async (username, password) => {
    for (const row of rows) {
      const account = await authenticate(ctx, realm, row, { username, password, from });
      if (account) return account;
    }
    return undefined;
  },
});

async function authenticate(
  ctx: Context,
  realm: Realm,
  row: ProviderRow,
  { username, password, from }: { username: string; password: string; from: Origin },
): Promise<AuthenticatedAccount | undefined> {
  const login = username.trim();
  if (login === "" || password === "" || login.length > maxLogin || password.length > maxPassword) return undefined;
  const answer = await unlessProviderFails(ctx, "an LDAP directory failed", async () => ({
    person: await Directory.use(ctx, row, (directory) => directory.authenticate(login, password)),
  }));
  if (!answer) throw directoryUnavailable();
  if (!answer.person) return undefined;
  const resolved = await resolvePerson(ctx, realm, { row, person: answer.person, from });
  if ("refusal" in resolved) throw new RefusedPerson(resolved.refusal);
  return resolved.account;
}
