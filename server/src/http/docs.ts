/**
 * Serves the API reference and the OpenAPI document, which are generated from the declarations. Their code is loaded when
 * somebody reads them.
 */
import type { Context } from "../context.ts";
import type { Page } from "./page.ts";

const html = "text/html; charset=utf-8";

export function docsPages({ config }: Pick<Context, "config">): Page[] {
  const page: Page["serve"] = async ({ path, form, origin }) => {
    const [{ renderReference }, { policy }] = await Promise.all([
      import("./reference/site.ts"),
      import("./reference/layout.ts"),
    ]);
    const { status, html: body } = await renderReference({
      path: path.split("?", 1)[0] ?? path,
      query: form.get("q"),
      site: origin,
      limits: config,
    });
    return { status, type: html, headers: { "Content-Security-Policy": policy }, body };
  };
  let openApi: Promise<string> | undefined;
  return [
    { path: "/api/docs", serve: page },
    { path: "/api/docs/:operation", serve: page },
    { path: "/api/docs/events/:event", serve: page },
    {
      path: "/api/openapi.json",
      serve: async () => {
        const body = await (openApi ??= writeOpenApi());
        return { status: 200, type: "application/json; charset=utf-8", body };
      },
    },
  ];
}

async function writeOpenApi(): Promise<string> {
  const [{ documentedEndpoints }, { toOpenApi }] = await Promise.all([
    import("@skein/api/all.ts"),
    import("@skein/api/openapi.ts"),
  ]);
  return JSON.stringify(toOpenApi(documentedEndpoints));
}
