/**
 * Pictures of users. An uploaded picture has an unguessable URL, because browsers fetch pictures without credentials. A
 * request by id or e-mail address is redirected to the picture or gets a pattern generated here. Without credentials it is
 * always the pattern, which depends on the id alone and so does not reveal whether there is such a user.
 */
import type { Context } from "../../../context.ts";
import { ApiError, unauthorized } from "../../../errors.ts";
import { findPageAccount } from "../../../http/page-account.ts";
import type { Page, PageResponse, PageRequest } from "../../../http/page.ts";
import type { User } from "../../../identity/account.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { accessUserByEmail, accessUserById } from "../users/access.ts";
import { avatarUrl, gravatarUrl, type AvatarSize } from "../users/avatar.ts";
import { canSeeAddress } from "../users/email.ts";
import { unknownUserAvatarUrl, type Account } from "../users/queries.ts";
import { avatarPixels, avatarType, findAvatarFile } from "./file.ts";
import { drawPattern } from "./pattern.ts";
import { drawUnknownUser } from "./unknown-user-picture.ts";

/** A browser must treat the response as a picture and nothing else. */
const safeHeaders = { "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox" };
const notFound: PageResponse = { status: 404, type: "text/plain; charset=utf-8", headers: safeHeaders, body: "" };

const cacheForever = "public, max-age=31536000, immutable";
/** The user may upload a picture, and other readers may be shown a different one. */
const cacheBriefly = "private, max-age=3600";

const picture = (body: Buffer, cache = cacheForever): PageResponse => ({
  status: 200,
  type: avatarType,
  headers: { ...safeHeaders, "Cache-Control": cache },
  body,
});

const redirect = (location: string): PageResponse => ({
  status: 302,
  type: "text/plain; charset=utf-8",
  headers: { Location: location, "Cache-Control": "no-store" },
  body: "",
});

let unknownUser: Buffer | undefined;

export const avatarPages = (ctx: Context): Page[] => [
  {
    path: "/user_avatars/:file_name",
    serve: async ({ params }) => {
      const key = findAvatarFile(params["file_name"] ?? "");
      const file = key === undefined ? undefined : await ctx.files.get(key);
      return file ? picture(file.bytes) : notFound;
    },
  },
  { path: unknownUserAvatarUrl, serve: async () => picture((unknownUser ??= drawUnknownUser())) },
  { path: "/avatar/:who", serve: (request) => serveAvatar(ctx, request, "small") },
  { path: "/avatar/:who/medium", serve: (request) => serveAvatar(ctx, request, "medium") },
];

const isId = /^[1-9]\d{0,14}$/;

async function serveAvatar(ctx: Context, request: PageRequest, size: AvatarSize): Promise<PageResponse> {
  const who = request.params["who"] ?? "";
  const reader = await findPageAccount(ctx, request, "users:read");
  if (!reader) {
    if (!isId.test(who)) throw unauthorized("Missing authorization header for basic auth");
    return pattern(Number(who), size);
  }
  const host = realmHost(ctx.config, reader.realm);
  const account = await find(ctx, reader, who, host);
  return account ? show(ctx, reader, account, size) : redirect(unknownUserAvatarUrl);
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

/** A reader who may see the e-mail address may also see its Gravatar. */
function show(ctx: Context, reader: User, account: Account, size: AvatarSize): PageResponse {
  if (account.avatar_key !== null) return redirect(avatarUrl(account, size));
  if (!ctx.config.gravatar || account.avatar_source === "J" || !canSeeAddress(reader, account))
    return pattern(account.id, size);
  return redirect(gravatarUrl(account.delivery_email, size, `version=${account.avatar_version}`));
}

const pattern = (userId: number, size: AvatarSize): PageResponse =>
  picture(drawPattern("user", userId, avatarPixels[size]), cacheBriefly);
