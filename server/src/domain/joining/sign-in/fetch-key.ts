/** API keys for apps that send a name and a password. */
import { fetchApiKey } from "@skein/api/authentication.ts";
import { handlePublic, type BoundEndpoint } from "../../../http/handle.ts";
import { findRealm } from "../../organization/realm/find-realm.ts";
import { issueKey } from "../../people/auth/issue-key.ts";
import { authenticateByPassword } from "../../people/auth/password-login.ts";
import { requireSecondFactor } from "../../people/second-factors/sign-in-with-proof.ts";
import { findKeeper } from "../ldap/keeper.ts";

export const fetchKeyEndpoints: BoundEndpoint[] = [
  handlePublic(fetchApiKey, async ({ ctx, params, request }) => {
    const { username, password, second_factor_code } = params;
    const realm = await findRealm(ctx.db, request.host);
    const from = { network: request.network, request };
    const keeper = await findKeeper(ctx, realm, request);
    const known = await authenticateByPassword(ctx, realm, username, password, from, keeper);
    const account = await requireSecondFactor(ctx, realm, known, { code: second_factor_code }, request);
    const api_key = await issueKey(ctx, account, request);
    return { api_key, email: account.delivery_email, user_id: account.id };
  }),
];
