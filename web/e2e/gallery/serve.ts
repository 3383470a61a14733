/** Serves the gallery: every widget in its states, with messages as the server renders them. */
import { createServer, type Plugin } from "vite";
import { codeToNames } from "../../../server/src/markdown/emoji.ts";
import { samples } from "./samples.ts";

const virtualName = "virtual:samples";

function picture(path: string): string {
  const [, width = "320", height = "240"] = /(\d+)x(\d+)/.exec(path) ?? [];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
    `<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="#0b6b60"/><stop offset="1" stop-color="#8ab4f8"/></linearGradient></defs>` +
    `<rect width="100%" height="100%" fill="url(#g)"/><circle cx="60%" cy="55%" r="22%" fill="#fff1cc" opacity=".85"/></svg>`
  );
}

const data: Plugin = {
  name: "gallery-data",
  resolveId: (id) => (id === virtualName ? `\0${virtualName}` : undefined),
  load: (id) => (id === `\0${virtualName}` ? `export default ${JSON.stringify(samples())}` : undefined),
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const { pathname } = new URL(request.url ?? "/", "http://gallery");
      if (pathname === "/emoji.json") {
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify({ code_to_names: Object.fromEntries(codeToNames) }));
      } else if (/^\/(?:pictures|user_uploads|user_avatars)\//.test(pathname)) {
        response.setHeader("Content-Type", "image/svg+xml");
        response.end(picture(pathname));
      } else next();
    });
  },
};

export interface Gallery {
  url: string;
  close: () => Promise<void>;
}

export async function serveGallery(): Promise<Gallery> {
  const server = await createServer({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "error",
    plugins: [data],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    css: { modules: { localsConvention: "camelCaseOnly" } },
    // Pre-bundled now, so that no page reloads when a dependency is found later.
    optimizeDeps: { include: ["preact", "preact/hooks", "preact/jsx-dev-runtime", "@preact/signals"] },
    cacheDir: `${import.meta.dirname}/../../node_modules/.gallery`,
    server: {
      host: "127.0.0.1",
      port: 0,
      fs: { allow: [`${import.meta.dirname}/../..`, `${import.meta.dirname}/../../../node_modules`] },
    },
  });
  await server.listen();
  const address = server.httpServer?.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
