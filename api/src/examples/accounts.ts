import { channels, files, people } from "./demo.ts";
import { act, type Examples, from, take } from "./example.ts";

const queue = take("queue_id", "register", { event_types: ["message"] });
const apnsToken = "8c9a2f5e7d1b4a60";
const fcmToken = "fMEP0vXFTu2hQxN8Yl3aSg";
const browser = {
  endpoint: "https://push.example.com/wpush/v2/gAAAAABn",
  p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
  auth: "tBHItJI5svbpez7KI4CCXg",
};
const upload = (name: string) => act("uploadFile", {}, { file: name });
const keyOf = (username: string) => take("api_key", "devFetchApiKey", { username });

export const events = {
  register: { params: { event_types: ["message", "reaction"], fetch_event_types: ["realm_user_groups"] } },
  getEvents: {
    first: [
      queue,
      act("sendMessage", { type: "channel", to: channels.random, topic: "API examples", content: "Who is listening?" }),
    ],
    params: { queue_id: from("queue_id"), last_event_id: -1 },
  },
  deleteQueue: { first: [queue], params: { queue_id: from("queue_id") } },
} satisfies Examples;

const key = (name: string) => take("key_id", "createApiKey", { name, scopes: ["users:read"] }, ".id");

const destination = (url: string) => take("destination_id", "createAuditDestination", { url }, ".id");

const password = "four green watering cans";
const colleague = (email: string) => act("createUser", { email, full_name: "Juniper Reed", password });

export const authentication = {
  fetchApiKey: { first: [colleague("juniper@example.com")], params: { username: "juniper@example.com", password } },
  fetchOwnApiKey: {
    first: [colleague("rowan@example.com")],
    params: { password },
    written: {
      curl: (site) => `# Sign in as a browser does. It keeps its cookies, and sends one of them back as a header.
curl -sS "${site}/api/v1/users" -u "$SKEIN_EMAIL:$SKEIN_API_KEY" -o /dev/null \\
  -d email=rowan@example.com -d 'full_name=Rowan Reed' --data-urlencode 'password=${password}'
token() { awk '$6 ~ /csrftoken$/ { print $7 }' cookies; }
curl -sS "${site}/login/" -c cookies -o /dev/null
curl -sS "${site}/login/" -b cookies -c cookies -e "${site}/login/" -o /dev/null \\
  -d "csrfmiddlewaretoken=$(token)" -d username=rowan@example.com --data-urlencode 'password=${password}'

curl -sS "${site}/json/fetch_api_key" \\
  -b cookies \\
  -H "X-CSRFToken: $(token)" \\
  --data-urlencode 'password=${password}'`,
      typescript: () => `// In a page of the organization, where somebody is signed in.
const token = document.cookie.match(/csrftoken=([^;]*)/)?.[1] ?? "";
const response = await fetch("/json/fetch_api_key", {
  method: "POST",
  headers: { "X-CSRFToken": token },
  body: new URLSearchParams({ password: "${password}" }),
});
console.log(await response.json());`,
    },
  },
  jwtFetchApiKey: {
    params: { token: "eyJhbGciOiJIUzI1NiJ9.eyJlbWFpbCI6Im1heWFAZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl" },
    refused: "The demo's server trusts no program that signs such tokens.",
  },
  regenerateApiKey: {
    first: [keyOf("omar@example.com")],
    as: { email: "omar@example.com", key: "api_key" },
    params: {},
  },
  getApiKeys: { params: {} },
  createApiKey: { params: { name: "Nightly report", scopes: ["messages:read", "channels:read"] } },
  updateApiKey: { first: [key("Draft")], params: { key_id: from("key_id"), name: "Weekly report" } },
  deleteApiKey: { first: [key("Old laptop")], params: { key_id: from("key_id") } },
  getUserApiKeys: { params: { user_id: people.maya } },
  deleteUserApiKey: {
    first: [keyOf("maya@example.com"), take("key_id", "getUserApiKeys", { user_id: people.maya }, ".api_keys[0].id")],
    params: { user_id: people.maya, key_id: from("key_id") },
  },
  getAuditLog: { params: { limit: 2, action: ["sign_in.success"] } },
  getAuditActions: { params: {} },
  getSecondFactors: { params: {} },
  startTotp: {
    first: [
      colleague("hazel@example.com"),
      take("api_key", "fetchApiKey", { username: "hazel@example.com", password }),
    ],
    as: { email: "hazel@example.com", key: "api_key" },
    params: { password },
  },
  confirmTotp: { params: { code: "492039" }, refused: "No app has been set up." },
  removeTotp: { params: { code: "492039" }, refused: "Only the owner's app knows the code." },
  regenerateRecoveryCodes: { params: { code: "492039" }, refused: "Only the owner's app knows the code." },
  getPasskeyChallenge: { params: {}, refused: "In the demo organization nobody has a passkey." },
  startPasskey: {
    params: { password: "not the password" },
    refused: "Only the owner of the account knows its password.",
  },
  addPasskey: {
    params: {
      name: "Laptop",
      state: "v1.kA8mUWxBhk5uQ",
      credential: {
        id: "q1wZ0dXk",
        rawId: "q1wZ0dXk",
        type: "public-key",
        response: { clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", attestationObject: "o2NmbXRkbm9uZQ" },
      },
    },
    refused: "Only a browser creates passkeys.",
  },
  updatePasskey: {
    params: { passkey_id: 7, name: "Laptop" },
    refused: "In the demo organization nobody has a passkey.",
  },
  removePasskey: {
    params: { passkey_id: 7, code: "492039" },
    refused: "In the demo organization nobody has a passkey.",
  },
  getUserSecondFactors: { params: { user_id: people.maya } },
  resetSecondFactors: { params: { user_id: people.maya } },
  getAuditDestinations: { params: {} },
  createAuditDestination: { params: { url: "https://logs.example.com/skein" } },
  updateAuditDestination: {
    first: [destination("https://logs.example.com/old")],
    params: { destination_id: from("destination_id"), is_enabled: false },
  },
  deleteAuditDestination: {
    first: [destination("tls://logs.example.com:6514")],
    params: { destination_id: from("destination_id") },
  },
  getScimTokens: { params: {} },
  createScimToken: { params: { name: "Okta" } },
  deleteScimToken: {
    first: [take("token_id", "createScimToken", { name: "Entra" }, ".id")],
    params: { token_id: from("token_id") },
  },
  getScimSettings: { params: {} },
  updateScimSettings: { params: { attribute_map: {} } },
  getSessions: { params: {} },
  deleteSession: { params: { session_id: 7 }, refused: "In the demo organization nobody is signed in with a browser." },
  confirmSession: { params: { code: "492039" }, refused: "Only sessions of browsers are asked to confirm, not keys." },
  deleteOtherSessions: { params: {} },
  getUserSessions: { params: { user_id: people.maya } },
  deleteUserSession: {
    params: { user_id: people.maya, session_id: 7 },
    refused: "In the demo organization nobody is signed in with a browser.",
  },
  devFetchApiKey: { params: { username: "maya@example.com" } },
  devListUsers: { params: {} },
} satisfies Examples;

export const settings = {
  updateSettings: { params: { enable_sounds: false, color_scheme: 2 } },
  updateDisplaySettings: { params: { twenty_four_hour_time: true } },
  updateNotificationSettings: { params: { enable_desktop_notifications: false } },
  runSlashCommand: { params: { command: "/dark" } },
  finishOnboardingStep: { params: { onboarding_step: "intro_resolve_topic" } },
  getAlertWords: { params: {} },
  addAlertWords: { params: { alert_words: ["frost", "hail"] } },
  removeAlertWords: { first: [act("addAlertWords", { alert_words: ["slugs"] })], params: { alert_words: ["slugs"] } },
} satisfies Examples;

export const devices = {
  addApnsToken: { params: { token: apnsToken, appid: "org.example.app" } },
  removeApnsToken: {
    first: [act("addApnsToken", { token: "5e7d1b4a608c9a2f", appid: "org.example.app" })],
    params: { token: "5e7d1b4a608c9a2f" },
  },
  addFcmToken: { params: { token: fcmToken } },
  removeFcmToken: { first: [act("addFcmToken", { token: "dQw4w9WgXcQ" })], params: { token: "dQw4w9WgXcQ" } },
  testMobileNotification: { params: {}, refused: "The owner of the demo has no registered phone." },
  getWebPushKey: { params: {} },
  addWebPushSubscription: { params: browser },
  removeWebPushSubscription: {
    first: [act("addWebPushSubscription", browser)],
    params: { endpoint: browser.endpoint },
  },
  testWebNotification: { params: { endpoint: browser.endpoint }, refused: "No such browser is registered." },
} satisfies Examples;

export const uploads = {
  uploadFile: { file: files.document, params: {} },
  getFileTemporaryUrl: {
    params: { realm_id_str: 1, filename: "7f/…/notes.txt" },
    written: {
      curl: (site) => `url=$(curl -sS "${site}/api/v1/user_uploads" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -F file=@notes.txt | jq -r .url)

curl -sS "${site}/api/v1$url" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY"`,
      typescript: (site) => `import { openAsBlob } from "node:fs";
import { createClient, getFileTemporaryUrl, uploadFile } from "@skein/api";

const { SKEIN_EMAIL: email, SKEIN_API_KEY: apiKey } = process.env;
const client = createClient({ site: "${site}", email, apiKey });

const { url } = await client.call(uploadFile, {}, { file: await openAsBlob("notes.txt") });
const [realm_id_str, ...rest] = url.replace("/user_uploads/", "").split("/");

const response = await client.call(getFileTemporaryUrl, {
  realm_id_str: Number(realm_id_str),
  filename: rest.join("/"),
});
console.log(response);`,
    },
  },
  getAttachments: { first: [upload(files.document)], params: {} },
  removeAttachment: {
    first: [upload(files.document), take("attachment_id", "getAttachments", {}, ".attachments[0].id")],
    params: { attachment_id: from("attachment_id") },
  },
} satisfies Examples;
