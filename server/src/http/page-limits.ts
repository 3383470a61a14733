/** Rate limits for pages: per account, or per IP address for unauthenticated requests. Counted on this node. */
import type { Context } from "../context.ts";
import { Allowance } from "./allowance.ts";
import { rateLimitHit } from "./rate-limit.ts";
import type { User } from "../identity/account.ts";

/** A user who scrolls through years of images requests some hundred; one IP address may be a whole office. */
const sizes = {
  pagesByUser: { burst: 600, perSecond: 10 },
  pagesByAddress: { burst: 3000, perSecond: 50 },
  /** Starting, continuing and finishing uploads; the same limit as for API requests. */
  uploadsByUser: { burst: 200, perSecond: 200 / 60 },
  /** A directory that synchronizes thousands of people. */
  provisioningByToken: { burst: 2000, perSecond: 50 },
};

export class PageLimits {
  readonly pagesByUser = new Allowance(sizes.pagesByUser);
  readonly pagesByAddress = new Allowance(sizes.pagesByAddress);
  readonly uploadsByUser = new Allowance(sizes.uploadsByUser);
  readonly provisioningByToken = new Allowance(sizes.provisioningByToken);
}

function count(ctx: Context, limit: keyof PageLimits, caller: string | number): void {
  if (!ctx.config.rateLimits) return;
  const seconds = ctx.memory.pageLimits[limit].take(caller);
  if (seconds > 0) throw rateLimitHit(seconds);
}

export const countPageOfUser = (ctx: Context, user: User): void => count(ctx, "pagesByUser", user.id);
export const countPageOfAddress = (ctx: Context, address: string): void => count(ctx, "pagesByAddress", address);
export const countProvisioning = (ctx: Context, tokenId: number): void => count(ctx, "provisioningByToken", tokenId);
export const countUpload = (ctx: Context, user: User): void => count(ctx, "uploadsByUser", user.id);
