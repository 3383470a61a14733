/** Verifies a delivery's signature, if the bot's configuration has a shared secret. */
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Integration, Proof } from "./integration.ts";
import { sharedSecret } from "./shared-secret.ts";

interface Signed {
  bytes: Buffer | undefined;
  header: (name: string) => string | undefined;
}

type Given = Pick<Context, "db" | "secretBox">;

export async function verifySignature(given: Given, bot: User, { proof }: Integration, signed: Signed): Promise<void> {
  if (!proof) return;
  const row = await given.db.selectFrom("bots").select("config").where("user_id", "=", bot.id).executeTakeFirst();
  const shared = sharedSecret(given.secretBox, bot.id, row?.config);
  if (shared === "none") return;
  if (shared === "unreadable" || !isProven(proof, shared.secret, signed))
    throw new ApiError("Webhook signature verification failed.");
}

function isProven({ header, kind }: Proof, secret: string, signed: Signed): boolean {
  const given = signed.header(header);
  if (given === undefined) return false;
  if (kind === "secret") return isSame(given, secret);
  const digest = createHmac("sha256", secret)
    .update(signed.bytes ?? Buffer.alloc(0))
    .digest("hex");
  return isSame(given.toLowerCase(), kind === "sha256-prefixed" ? `sha256=${digest}` : digest);
}

/** Compares hashes of equal length, so that timing reveals neither a partial match nor the secret's length. */
const isSame = (left: string, right: string): boolean =>
  timingSafeEqual(hash("sha256", left, "buffer"), hash("sha256", right, "buffer"));
