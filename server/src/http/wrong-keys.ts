/**
 * Limits guessing of API keys, since each guess costs a database query. An IP address that has sent many invalid keys must
 * wait, but only for keys this node has not cached, so that others at the same IP address can keep working. New clients
 * behind such an IP address are let through about once a second per e-mail address.
 */
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import { Allowance } from "./allowance.ts";
import { rateLimitHit } from "./rate-limit.ts";
import type { Credentials, Sessions } from "../identity/sessions.ts";
import type { User } from "../identity/account.ts";

export class WrongKeys {
  /** Invalid keys per IP address. A phone with an old key retries for a while, and an office may have several. */
  readonly #mistakes = new Allowance({ burst: 60, perSecond: 1 });
  /** What an IP address over that limit may still try, per e-mail address and in total. */
  readonly #firstTries = new Allowance({ burst: 2, perSecond: 1 });
  readonly #firstTriesOfAll = new Allowance({ burst: 20, perSecond: 20 });

  /** The account found by `sessions`; throws if the IP address has to wait. */
  async find(sessions: Sessions, credentials: Credentials, address: string): Promise<User> {
    if (this.#mistakes.left(address) < 1 && !sessions.isCached(credentials)) this.#admit(credentials, address);
    try {
      return await sessions.find(credentials);
    } catch (error) {
      if (error instanceof ApiError) this.#mistakes.take(address);
      throw error;
    }
  }

  #admit(credentials: Credentials, address: string): void {
    const email = "email" in credentials ? (credentials.email ?? "") : "";
    const seconds = this.#firstTries.take(`${address} ${email.toLowerCase()}`) || this.#firstTriesOfAll.take(address);
    if (seconds > 0) throw rateLimitHit(seconds);
  }
}

/** The account these credentials belong to, for a request from this IP address. */
export function findAccount(ctx: Context, credentials: Credentials, address: string): Promise<User> {
  if (!ctx.config.rateLimits) return ctx.sessions.find(credentials);
  return ctx.memory.wrongKeys.find(ctx.sessions, credentials, address);
}
