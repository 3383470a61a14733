import { defineConfig, type Plugin } from "vite";

/** The server that `npm run dev:web` proxies to. */
const server = process.env["SKEIN_SITE"] ?? "http://127.0.0.1:9991";
const served = ["/json", "/api", "/accounts", "/login", "/register", "/join", "/setup", "/avatar", "/user_avatars"];
const files = ["/user_uploads", "/external_content", "/static", "/thumbnail"];

/** Everything the first page load needs is one file; only dynamic imports are split off. */
const firstPath = new Set<string>();

interface Modules {
  getModuleInfo: (
    id: string,
  ) => { isEntry: boolean; importedIds: readonly string[]; importers: readonly string[] } | null;
}

function isOnFirstPath(id: string, modules: Modules, seen = new Set<string>()): boolean {
  if (firstPath.has(id)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  const info = modules.getModuleInfo(id);
  const isNeeded =
    info !== null && (info.isEntry || info.importers.some((importer) => isOnFirstPath(importer, modules, seen)));
  if (isNeeded) firstPath.add(id);
  return isNeeded;
}

/** Loaded separately while the rest is still loading. */
const ahead = `${import.meta.dirname}/src/api/ahead.ts`;

/** Makes the page load that file in parallel with the client. */
const loadAhead: Plugin = {
  name: "load-ahead",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const built = Object.values(bundle).find((each) => each.type === "chunk" && each.moduleIds.includes(ahead));
      if (!built) throw new Error("ahead.ts was not built");
      return [{ tag: "script", attrs: { type: "module", async: true, src: `/${built.fileName}` }, injectTo: "head" }];
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [loadAhead],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  css: { modules: { localsConvention: "camelCaseOnly" } },
  build: {
    target: "es2023",
    outDir: "dist",
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // A group includes its members' imports, unless another group has priority.
            { debugName: "ahead", name: (id) => (id === ahead ? "ahead" : null), priority: 1 },
            { debugName: "first path", name: (id, modules) => (isOnFirstPath(id, modules) ? "main" : null) },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries([...served, ...files].map((path) => [path, { target: server }])) },
});
