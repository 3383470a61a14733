/** Serves images of other servers under signed URLs of ours. */
import type { Context } from "../../../context.ts";
import type { Page } from "../../../http/page.ts";
import { fetchedImage, TooManyFetches } from "./fetched-images.ts";
import { proxyPath, readProxyUrl } from "./proxy-url.ts";

/** Whatever the bytes are, a browser must treat them as an image and nothing else. */
const safeHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Referrer-Policy": "no-referrer",
};

const emptyResponse = (status: number, cacheControl: string) => ({
  status,
  type: "text/plain; charset=utf-8",
  headers: { ...safeHeaders, "Cache-Control": cacheControl },
  body: "",
});

export const previewPages = (ctx: Context): Page[] => [
  {
    path: `${proxyPath}*`,
    serve: async ({ path }) => {
      const url = readProxyUrl(ctx.config, path);
      if (url === undefined) return emptyResponse(404, "no-store");
      try {
        const image = await fetchedImage(ctx, url);
        if (!image) return emptyResponse(404, "public, max-age=600");
        return {
          status: 200,
          type: image.contentType,
          headers: { ...safeHeaders, "Cache-Control": "public, max-age=86400" },
          body: image.bytes,
        };
      } catch (error) {
        if (error instanceof TooManyFetches) return emptyResponse(503, "no-store");
        throw error;
      }
    },
  },
];
