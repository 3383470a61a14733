/** The pictures of organizations. They are public, because the sign-in page shows them. */
import type { Context } from "../../../context.ts";
import type { Page, PageResponse, PageRequest } from "../../../http/page.ts";
import { avatarPixels, avatarType } from "../../people/avatars/file.ts";
import { drawPattern } from "../../people/avatars/pattern.ts";
import { defaultLogoPath, realmPictures } from "../../organization/realm/icon.ts";
import { pictureKey } from "./file.ts";

/** Browsers must treat the response as a picture, whatever it contains. */
const safeHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};
const notFound: PageResponse = { status: 404, type: "text/plain; charset=utf-8", headers: safeHeaders, body: "" };

const defaultLogo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50" role="img" aria-label="Skein">
<g fill="none" stroke="#5a67d8" stroke-width="4" stroke-linecap="round">
<path d="M8 34C20 8 32 8 42 34"/><path d="M8 25C20 44 32 44 42 16"/><path d="M8 16C22 30 30 30 42 25"/></g>
<text x="56" y="35" font-family="sans-serif" font-size="30" font-weight="600" fill="#5a67d8">Skein</text>
</svg>
`;

const realmId = /^[1-9]\d{0,14}$/;

export const realmIconPages = (ctx: Context): Page[] => [
  { path: "/user_avatars/:realm_id/realm/:file_name", serve: (request) => servePicture(ctx, request) },
  {
    path: defaultLogoPath,
    serve: async () => ({
      status: 200,
      type: "image/svg+xml",
      headers: { ...safeHeaders, "Cache-Control": "public, max-age=86400" },
      body: defaultLogo,
    }),
  },
];

async function servePicture(ctx: Context, { params, form }: PageRequest): Promise<PageResponse> {
  const which = realmPictures.find((name) => params["file_name"] === `${name}.png`);
  const id = params["realm_id"] ?? "";
  if (!which || !realmId.test(id)) return notFound;
  const realm = await ctx.db.selectFrom("realms").selectAll().where("id", "=", Number(id)).executeTakeFirst();
  const key = realm?.[`${which}_key`];
  const file = typeof key === "string" ? await ctx.files.get(pictureKey(key)) : undefined;
  if (!realm || (!file && which !== "icon")) return notFound;
  const isLasting = form.get("version") === String(realm[`${which}_version`]);
  return {
    status: 200,
    type: file?.contentType ?? avatarType,
    headers: { ...safeHeaders, "Cache-Control": isLasting ? "public, max-age=31536000, immutable" : "no-cache" },
    body: file?.bytes ?? drawPattern("realm", realm.id, avatarPixels.small),
  };
}
