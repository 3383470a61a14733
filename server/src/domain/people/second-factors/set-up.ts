/**
 * Setting up the first second factor of an account that must have one, between the password and the session. What is being
 * set up is not stored before it is proved: the page carries it, sealed.
 *
 * **Invariant:** nothing is added to an account that has a second factor, which somebody who knows only its password could
 * otherwise get around.
 */
import { sql } from "kysely";
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { lockHead, record } from "../../organization/audit/record.ts";
import type { AuthenticatedAccount } from "../auth/password-login.ts";
import { storePasskey, verifyNewPasskey, type NewCredential } from "./passkeys.ts";
import { normalizeCode, replaceRecoveryCodes } from "./recovery-codes.ts";
import { relyingParty } from "./relying-party.ts";
import { lacksFactor } from "./requirement.ts";
import { isTotpCode, newTotpSecret, stepOf, totpPurpose } from "./totp.ts";
import { wrongCode, type FactorRequest } from "./use-code.ts";

/** The same as for an app that is set up later. */
const offerSeconds = 3600;
const offerSchema = z.strictObject({ secret: z.string(), until: z.number() });
const offerPurpose = ({ id }: AuthenticatedAccount): string => `TOTP secret that user ${id} is offered`;

/** A secret that was shown, but not stored. */
export interface TotpOffer {
  secret: string;
  sealed: string;
}

export function offerTotp(box: SecretBox, account: AuthenticatedAccount): TotpOffer {
  const offer = { secret: newTotpSecret(), until: Date.now() + offerSeconds * 1000 };
  return { secret: offer.secret, sealed: box.seal(JSON.stringify(offer), offerPurpose(account)) };
}

/** Undefined if it was not made for this account, or has expired. */
export function openTotpOffer(box: SecretBox, account: AuthenticatedAccount, sealed = ""): TotpOffer | undefined {
  const text = box.open(sealed, offerPurpose(account));
  if (text === undefined) return undefined;
  const { data } = offerSchema.safeParse(JSON.parse(text)); // may come from another release
  return data && data.until > Date.now() ? { secret: data.secret, sealed } : undefined;
}

type Method = "totp" | "passkey";

interface SetUp {
  account: AuthenticatedAccount & { secondFactor: Method };
  recoveryCodes: string[];
}

/** Stores an app that was offered (`sealed`) and whose first code is given; throws if it is wrong. */
export async function setUpTotp(
  ctx: Context,
  account: AuthenticatedAccount,
  sealed: string | undefined,
  given: string | undefined,
  request: FactorRequest,
): Promise<SetUp> {
  const offer = openTotpOffer(ctx.secretBox, account, sealed);
  if (!offer) throw new ApiError("This page has expired. Please try again");
  const { secret } = offer;
  const code = normalizeCode(given ?? "");
  const step = isTotpCode(code) ? stepOf(secret, code) : undefined;
  if (step === undefined) throw wrongCode(400);
  const { id, realm_id } = account;
  const stored = ctx.secretBox.seal(secret, totpPurpose(id));
  return setUp(ctx, account, "totp", request, async (tx) => {
    // It replaces one that the account has begun to set up elsewhere.
    await sql`
      insert into totp_secrets (user_id, realm_id, sealed_secret, confirmed_at, last_step)
      values (${id}, ${realm_id}, ${stored}, now(), ${step})
      on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, created_at = now(), confirmed_at = now(),
        last_step = excluded.last_step`.execute(tx);
  });
}

/** Stores what a browser has created; throws unless everything about it is right. */
export async function setUpPasskey(
  ctx: Context,
  realm: Realm,
  account: AuthenticatedAccount,
  given: { state: string; credential: NewCredential },
  request: FactorRequest,
): Promise<SetUp> {
  const rp = relyingParty(ctx.config, realm, request.origin);
  const verified = await verifyNewPasskey(ctx.secretBox, rp, account, given);
  return setUp(ctx, account, "passkey", request, async (tx) => {
    await storePasskey(tx, account, verified, "Passkey");
  });
}

function setUp(
  ctx: Context,
  account: AuthenticatedAccount,
  method: Method,
  { ip, id: requestId }: FactorRequest,
  store: (tx: Tx) => Promise<void>,
): Promise<SetUp> {
  return transaction(ctx.db, "set up required second factor", async (tx) => {
    await lockHead(tx, account.realm_id);
    if (!(await lacksFactor(tx, account)))
      throw new ApiError("This account has a second factor already. Sign in again");
    await store(tx);
    const recoveryCodes = await replaceRecoveryCodes(tx, account);
    const by = { kind: "user", id: account.id } as const;
    const source = { actor: by, credential: null, ip, requestId };
    await record(tx, account.realm_id, source, { action: "second_factor.enable", target: by, after: { method } });
    return { account: { ...account, secondFactor: method }, recoveryCodes };
  });
}
