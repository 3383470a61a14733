/**
 * Pictures of people. An uploaded one is under an address nobody can guess, for whoever was shown it, as browsers fetch
 * pictures without credentials. By id or e-mail address one is led to where the picture is; without credentials to a
 * pattern that only tells the id itself, whether there is such a user or not.
 */
import type { Context } from "../../context.ts";
import { ApiError, unauthorized } from "../../errors.ts";
import { findPageAccount } from "../../http/page-account.ts";
import type { Page, PageAnswer, PageRequest } from "../../http/router.ts";
import type { User } from "../../http/sessions.ts";
import { realmHost } from "../realm/address.ts";
import { accessUserByEmail, accessUserById } from "../users/access.ts";
import { avatarUrl, gravatarUrl, type AvatarSize } from "../users/avatar.ts";
import { canSeeAddress, standInEmail } from "../users/email.ts";
import { strangersAvatarUrl, type Account } from "../users/queries.ts";
import { avatarType, findAvatarFile } from "./file.ts";
import { drawStranger } from "./strangers-picture.ts";

/** Whatever it may be, a browser is to take it for a picture and nothing else. */
const harmless = { "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox" };
const notFound: PageAnswer = { status: 404, type: "text/plain; charset=utf-8", headers: harmless, body: "" };

const picture = (body: Buffer): PageAnswer => ({
  status: 200,
  type: avatarType,
  headers: { ...harmless, "Cache-Control": "public, max-age=31536000, immutable" },
  body,
});

const redirect = (location: string): PageAnswer => ({
  status: 302,
  type: "text/plain; charset=utf-8",
  headers: { Location: location, "Cache-Control": "no-store" },
  body: "",
});

let stranger: Buffer | undefined;

export const avatarPages = (ctx: Context): Page[] => [
  {
    path: "/user_avatars/:file_name",
    serve: async ({ params }) => {
      const key = findAvatarFile(params["file_name"] ?? "");
      const file = key === undefined ? undefined : await ctx.files.get(key);
      return file ? picture(file.bytes) : notFound;
    },
  },
  { path: strangersAvatarUrl, serve: async () => picture((stranger ??= drawStranger())) },
  { path: "/avatar/:who", serve: (request) => lead(ctx, request, "small") },
  { path: "/avatar/:who/medium", serve: (request) => lead(ctx, request, "medium") },
];

const isId = /^[1-9]\d{0,14}$/;

async function lead(ctx: Context, request: PageRequest, size: AvatarSize): Promise<PageAnswer> {
  const who = request.params["who"] ?? "";
  const reader = await findPageAccount(ctx, request);
  if (!reader) {
    if (!isId.test(who)) throw unauthorized("Missing authorization header for basic auth");
    return redirect(pattern(Number(who), request.host, size));
  }
  const host = realmHost(ctx.config, reader.realm);
  const account = await find(ctx, reader, who, host);
  return redirect(account ? addressOf(reader, account, host, size) : strangersAvatarUrl);
}

async function find(ctx: Context, reader: User, who: string, host: string): Promise<Account | undefined> {
  try {
    return await (isId.test(who)
      ? accessUserById(ctx.db, reader, Number(who))
      : accessUserByEmail(ctx.db, reader, who, host));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Whoever may see the e-mail address may see the picture it stands for. */
function addressOf(reader: User, account: Account, host: string, size: AvatarSize): string {
  if (account.avatar_key !== null) return avatarUrl(account, size);
  if (!canSeeAddress(reader, account)) return pattern(account.id, host, size);
  return gravatarUrl(account.delivery_email, size, `version=${account.avatar_version}`);
}

const pattern = (userId: number, host: string, size: AvatarSize): string =>
  gravatarUrl(standInEmail(userId, host), size, "version=1");
