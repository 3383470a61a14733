/** Pictures of other servers under addresses of ours, for whoever was shown the address. */
import type { Context } from "../../context.ts";
import type { Page } from "../../http/router.ts";
import { fetchedImage, TooManyFetches } from "./fetched-images.ts";
import { proxyPath, readProxyAddress } from "./proxy-address.ts";

/** Whatever it may be, a browser is to take it for a picture and nothing else. */
const harmless = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Referrer-Policy": "no-referrer",
};

const without = (status: number, cacheControl: string) => ({
  status,
  type: "text/plain; charset=utf-8",
  headers: { ...harmless, "Cache-Control": cacheControl },
  body: "",
});

export const previewPages = (ctx: Context): Page[] => [
  {
    path: `${proxyPath}*`,
    serve: async ({ path }) => {
      const url = readProxyAddress(ctx.config, path);
      if (url === undefined) return without(404, "no-store");
      try {
        const image = await fetchedImage(ctx, url);
        if (!image) return without(404, "public, max-age=600");
        return {
          status: 200,
          type: image.contentType,
          headers: { ...harmless, "Cache-Control": "public, max-age=86400" },
          body: image.bytes,
        };
      } catch (error) {
        if (error instanceof TooManyFetches) return without(503, "no-store");
        throw error;
      }
    },
  },
];
