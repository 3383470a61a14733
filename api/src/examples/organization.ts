import { files } from "./demo.ts";
import { act, type Examples, from, take } from "./example.ts";

const ticket = (prefix: string) => ({
  pattern: `${prefix}-(?P<id>[0-9]+)`,
  url_template: "https://tickets.example.com/{id}",
});
const provider = (key: string) =>
  take(
    "provider_id",
    "createIdentityProvider",
    { key, name: "Garden ID", issuer: "https://id.garden.invalid", client_id: "skein" },
    ".identity_provider.id",
  );
const directory = take(
  "provider_id",
  "createIdentityProvider",
  {
    kind: "ldap",
    key: "trellis",
    name: "Garden directory",
    ldap: { url: "ldaps://ldap.garden.invalid", user_base: "dc=garden,dc=invalid", user_filter: "(uid={login})" },
  },
  ".identity_provider.id",
);
const domain = (name: string) => act("addRealmDomain", { domain: name, allow_subdomains: false });

const redirect = (path: string) => ({
  curl: (site: string) =>
    `curl -sS -o /dev/null -w '{"status": %{http_code}, "location": "%{redirect_url}"}' \\\n  "${site}/api/v1${path}" \\\n  -u "$SKEIN_EMAIL:$SKEIN_API_KEY"`,
  typescript: (site: string) => `const { SKEIN_EMAIL, SKEIN_API_KEY } = process.env;
const response = await fetch("${site}/api/v1${path}", {
  headers: { authorization: \`Basic \${btoa(\`\${SKEIN_EMAIL}:\${SKEIN_API_KEY}\`)}\` },
  redirect: "manual",
});
console.log({ status: response.status, location: response.headers.get("location") });`,
});

const newestImport = take("import_id", "getImports", {}, ".imports[0].id");
const notUploaded = "The file of this import was not uploaded.";

export const organization = {
  getServerSettings: { params: {} },
  checkSubdomain: { params: { subdomain: "orchard" } },
  testWelcomeMessage: { params: { welcome_message_custom_text: "Lunch is at noon, in the **greenhouse**." } },
  updateRealm: {
    params: { description: "Planning for gardens, small farms and balconies.", waiting_period_threshold: 3 },
  },
  deactivateRealm: { params: {}, endsOrganization: true },
  getRealmDomains: { params: {} },
  addRealmDomain: { params: { domain: "hedgerow.example", allow_subdomains: true } },
  updateRealmDomain: {
    first: [domain("meadow.example")],
    params: { domain: "meadow.example", allow_subdomains: true },
  },
  removeRealmDomain: { first: [domain("old-name.example")], params: { domain: "old-name.example" } },
  getIdentityProviders: { params: {} },
  createIdentityProvider: {
    params: { key: "orchard", name: "Orchard ID", issuer: "https://id.orchard.example", client_id: "skein" },
  },
  updateIdentityProvider: {
    first: [provider("meadow")],
    params: { provider_id: from("provider_id"), allowed_domains: ["meadow.example"] },
  },
  deleteIdentityProvider: { first: [provider("fallow")], params: { provider_id: from("provider_id") } },
  testIdentityProvider: { first: [provider("hedge")], params: { provider_id: from("provider_id") } },
  syncIdentityProvider: {
    // Disabled, so that nobody else's sign-in waits for it.
    first: [directory, act("updateIdentityProvider", { provider_id: from("provider_id"), is_enabled: false })],
    params: { provider_id: from("provider_id"), dry_run: false },
  },
  updateDefaultSettings: { params: { twenty_four_hour_time: true, enter_sends: false } },
  getLinkifiers: { params: {} },
  addLinkifier: { params: ticket("BUG") },
  updateLinkifier: {
    first: [take("filter_id", "addLinkifier", ticket("TASK"), ".id")],
    params: { filter_id: from("filter_id"), ...ticket("TODO") },
  },
  removeLinkifier: {
    first: [take("filter_id", "addLinkifier", ticket("OLD"), ".id")],
    params: { filter_id: from("filter_id") },
  },
  reorderLinkifiers: {
    first: [
      act("addLinkifier", ticket("CASE")),
      take("ordered_linkifier_ids", "getLinkifiers", {}, ".linkifiers[].id"),
    ],
    params: { ordered_linkifier_ids: from("ordered_linkifier_ids") },
  },
  addPlayground: {
    params: {
      name: "Rust playground",
      pygments_language: "Rust",
      url_template: "https://play.rust-lang.org/?code={code}",
    },
  },
  removePlayground: {
    first: [
      take(
        "playground_id",
        "addPlayground",
        { name: "Sandbox", pygments_language: "Python", url_template: "https://python.example.com/?code={code}" },
        ".id",
      ),
    ],
    params: { playground_id: from("playground_id") },
  },
  getExports: { params: {} },
  createExport: { params: {} },
  removeExport: {
    params: { export_id: 1 },
    written: {
      curl: (site) => `curl -sS -X POST "${site}/api/v1/export/realm" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" -o /dev/null
until export_id=$(curl -sS "${site}/api/v1/export/realm" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" |
  jq -e '[.exports[] | select(.pending or .deleted_timestamp | not)][0].id'); do sleep 0.5; done

curl -sS -X DELETE "${site}/api/v1/export/realm/$export_id" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY"`,
      typescript: (site) => `import { createClient, createExport, getExports, removeExport } from "@skein/api";

const { SKEIN_EMAIL: email, SKEIN_API_KEY: apiKey } = process.env;
const client = createClient({ site: "${site}", email, apiKey });

await client.call(createExport, {}).catch(() => {}); // one may be in progress
let finished;
while (finished === undefined) {
  const { exports } = await client.call(getExports, {});
  finished = exports.find(({ pending, deleted_timestamp }) => !pending && deleted_timestamp === null);
}

const response = await client.call(removeExport, { export_id: finished.id });
console.log(response);`,
    },
  },
  getExportConsents: { params: {} },
  getImports: { params: {} },
  createImport: { params: { file_name: "export.zip", size: 1024 } },
  inspectImport: { first: [newestImport], params: { import_id: from("import_id") }, refused: notUploaded },
  getImportPlan: { first: [newestImport], params: { import_id: from("import_id") } },
  updateImportPlan: {
    first: [newestImport],
    params: { import_id: from("import_id"), unthreaded: "day", people: [{ id: "U0123ABCD", account: "inactive" }] },
    refused: notUploaded,
  },
  runImport: { first: [newestImport], params: { import_id: from("import_id") }, refused: notUploaded },
  getImportReport: { first: [newestImport], params: { import_id: from("import_id") }, refused: notUploaded },
  cancelImport: { first: [newestImport], params: { import_id: from("import_id") } },
  getCustomEmoji: { params: {} },
  uploadCustomEmoji: { file: files.picture, params: { emoji_name: "watering_can" } },
  deactivateCustomEmoji: {
    first: [act("uploadCustomEmoji", { emoji_name: "scarecrow" }, { file: files.picture })],
    params: { emoji_name: "scarecrow" },
  },
  getRealmIcon: { params: {}, written: redirect("/realm/icon") },
  uploadRealmIcon: { file: files.picture, params: {} },
  removeRealmIcon: { params: {} },
  getRealmLogo: { params: { night: false }, written: redirect("/realm/logo?night=false") },
  uploadRealmLogo: { file: files.picture, params: { night: false } },
  removeRealmLogo: { params: { night: false } },
} satisfies Examples;
