/** The reference pages and the OpenAPI document, made from the declarations. */
import { endpoints } from "@skein/api/all.ts";
import { toOpenApi } from "@skein/api/openapi.ts";
import { renderPage } from "@skein/api/pages.ts";
import type { Page } from "./router.ts";

const html = "text/html; charset=utf-8";
let document: string | undefined;

const page: Page["serve"] = async ({ path }) => {
  const { status, html: body } = renderPage(path.split("?", 1)[0] ?? path);
  return { status, type: html, body };
};

export const docsPages: Page[] = [
  { path: "/api/docs", serve: page },
  { path: "/api/docs/:operation", serve: page },
  {
    path: "/api/openapi.json",
    serve: async () => {
      document ??= JSON.stringify(toOpenApi(endpoints));
      return { status: 200, type: "application/json; charset=utf-8", body: document };
    },
  },
];
