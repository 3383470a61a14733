/** Pages about what all operations have in common. */
import { type Html, markup } from "../../platform/markup.ts";
import { jsonBlock, shellBlock, together, typescriptBlock } from "./code.ts";
import { linkTo } from "./layout.ts";
import type { Json } from "./recorded.ts";

export interface Limits {
  requestsPerMinute: number;
  eventReadsPerMinute: number;
  addressRequestsPerMinute: number;
}

export interface GuideContext {
  site: string;
  limits: Limits;
  /** Real deliveries, if recorded. */
  outgoing: Json | undefined;
}

export interface Guide {
  slug: string;
  title: string;
  summary: string;
  /** Further words to find it by. */
  words: string;
  body: (context: GuideContext) => Html;
}

const operation = (slug: string, text: string): Html => markup`<a href="${linkTo(slug)}">${text}</a>`;

/** A name that breaks between its words only. */
const breakable = (name: string): Html =>
  together(name.split(/(?<=[_-])/).map((part, index) => (index === 0 ? markup`${part}` : markup`<wbr>${part}`)));

const rows = (list: readonly (readonly [string, Html | string])[], head: readonly [string, string]): Html =>
  markup`<div class="scroll"><table class="names"><thead><tr><th scope="col">${head[0]}</th><th scope="col">${head[1]}</th></tr></thead>
<tbody>
${list.map(([name, text]) => markup`<tr><th scope="row"><code>${breakable(name)}</code></th><td>${text}</td></tr>`)}
</tbody></table></div>`;

/** In a block of its own, which ends with `read`: the shell would take for the key what is pasted after it. */
export const credentialsBlock: Html = shellBlock(
  "Credentials: paste your key after the last line",
  `export SKEIN_EMAIL=owner@example.com SKEIN_API_KEY
read -rs SKEIN_API_KEY`,
);

const authentication: Guide = {
  slug: "authentication",
  title: "Authentication",
  summary: "Keys, bots, and browsers that are signed in.",
  words: "api key basic credentials password cookie csrf session zuliprc bot",
  body: ({ site }) => markup`<div class="two"><div>
<p class="lead">Every account has API keys: people as well as bots. A request carries the account's e-mail address and a key as HTTP
Basic credentials.</p>
<h2>Get a key</h2>
<p>People create a key in their settings, or exchange their password for one with
${operation("fetch-api-key", "POST /fetch_api_key")}. The key of a bot is in the response that creates it
(${operation("create-bot", "POST /bots")}); its owner can also look it up with ${operation("get-bots", "GET /bots")}. A program should
use a bot, which can be deactivated without affecting anybody's account.</p>
<p>The examples of this reference read the address and the key from the environment, so that the key gets into neither your shell's
history nor a file. <code>npx skein dev --demo</code> prints both for its demo organization.</p>
<h2>Scopes</h2>
<p>A program should have a key that may do only what it needs: ${operation("create-api-key", "POST /users/me/api_keys")} creates one with scopes
and possibly an end. Each operation names the scope it needs. A key that lacks it gets status 403 and the code
<code>INSUFFICIENT_SCOPE</code>, with <code>required_scopes</code>. Keys from signing in may do everything.</p>
<h2>Browsers</h2>
<p>A page of the organization can call every operation under <code>/json</code> instead of <code>/api/v1</code>. The session cookie
authenticates it. Requests that change something also need the value of the <code>csrftoken</code> cookie in the header
<code>X-CSRFToken</code>.</p>
<p>Some operations need that the person has signed in, or confirmed who they are, within ten minutes. Otherwise they get status 403 and the
code <code>STEP_UP_REQUIRED</code>, with the accepted ways in <code>confirm_with</code>: send one to
${operation("confirm-session", "POST /users/me/sessions/confirm")}, and repeat the request. Keys are not asked.</p>
<h2>What can go wrong</h2>
<p>A wrong or revoked key gets status 401 and the code <code>UNAUTHORIZED</code>, whether or not the account exists; an expired one
gets <code>API_KEY_EXPIRED</code>. A deactivated
account gets <code>USER_DEACTIVATED</code>, and one of a deactivated organization <code>REALM_DEACTIVATED</code>.
${operation("regenerate-api-key", "POST /users/me/api_key/regenerate")} revokes all keys of the calling account.</p>
</div><div class="beside">
${credentialsBlock}
${shellBlock(
  "curl",
  `curl -sS "${site}/api/v1/users/me" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY"`,
)}
${typescriptBlock(
  "TypeScript",
  `import { createClient, getOwnUser } from "@skein/api";

const { SKEIN_EMAIL: email, SKEIN_API_KEY: apiKey } = process.env;
const client = createClient({ site: "${site}", email, apiKey });

console.log(await client.call(getOwnUser, {}));`,
)}
</div></div>`,
};

const requests: Guide = {
  slug: "requests",
  title: "Requests and responses",
  summary: "How parameters are sent, and what comes back.",
  words: "parameters form json multipart ignored_parameters_unsupported openapi generated client",
  body: ({ site }) => markup`<div class="two"><div>
<p class="lead">Parameters are form fields, whatever the method; a response is always a JSON object.</p>
<h2>Parameters</h2>
<p>Send them in the query string, as a form (<code>application/x-www-form-urlencoded</code>), as <code>multipart/form-data</code>, or
as the members of one JSON object (<code>application/json</code>). In the first three, a parameter marked <em>JSON</em> is JSON text:
a list of ids is <code>[3, 4]</code>, and true is <code>true</code>. In a JSON object, each is simply its value. Parameters in the path
are part of the path only.</p>
<p>Unknown parameters do not fail a request. The response names them in <code>ignored_parameters_unsupported</code>.</p>
<h2>Responses</h2>
<p>A successful response has status 200, <code>"result": "success"</code> and an empty <code>msg</code>, next to the fields of the
operation. New fields may be added at any time; ignore those you do not know. For failures see ${operation("errors", "Errors")}.</p>
<p>Times are seconds since 1970 in UTC, unless a field says otherwise. Ids are integers.</p>
<h2>Clients</h2>
<p><code>@skein/api</code> has every operation as a typed call, for Node and browsers. For other languages, generate a client from
<a href="/api/openapi.json">the OpenAPI document</a>, or use one of the protocol's client libraries.</p>
</div><div class="beside">
${shellBlock(
  "The same request, as a form and as JSON",
  `curl -sS "${site}/api/v1/messages" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -d type=direct -d 'to=[26]' -d content=Hello

curl -sS "${site}/api/v1/messages" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"type": "direct", "to": [26], "content": "Hello"}'`,
)}
</div></div>`,
};

const errors: Guide = {
  slug: "errors",
  title: "Errors",
  summary: "Codes for programs, messages for people.",
  words: "error code status 400 401 403 404 405 429 500 503 refusal",
  body: ({ site }) => markup`<div class="two"><div>
<p class="lead">A refused request has status 4xx and changes nothing. Its <code>code</code> is for programs, its <code>msg</code> for
people.</p>
<h2>Codes that any operation can give</h2>
${rows(
  [
    [
      "BAD_REQUEST",
      "The usual code. The message says what is wrong: a value that is not allowed, a thing that does not exist, a permission that is missing.",
    ],
    ["REQUEST_VARIABLE_MISSING", markup`A required parameter is missing: <code>var_name</code>.`],
    [
      "REQUEST_VARIABLE_INVALID",
      markup`A parameter has a value it cannot have: <code>var_name</code>, <code>bad_value</code>.`,
    ],
    ["UNAUTHORIZED", "Status 401: no credentials, or wrong ones."],
    ["USER_DEACTIVATED", "Status 401: the account is deactivated."],
    ["REALM_DEACTIVATED", "Status 401: the organization is closed."],
    ["RATE_LIMIT_HIT", markup`Status 429: too many requests; see ${operation("rate-limits", "Rate limits")}.`],
    [
      "BAD_EVENT_QUEUE_ID",
      markup`The event queue does not exist or has expired: register again. See ${operation("event-queues", "Event queues")}.`,
    ],
    ["STREAM_DOES_NOT_EXIST", markup`No channel has this name: <code>stream</code>.`],
    ["METHOD_NOT_ALLOWED", "Status 405: the path exists, but not with this method."],
  ],
  ["Code", "Meaning"],
)}
<p>Some errors have more fields, such as <code>objections</code> where a group is still in use. The page of each operation lists the errors
that its example can run into.</p>
<h2>Failures of the server</h2>
<p>Status 5xx means that something failed on the way. Whether the request took effect is then unknown. The header
<code>X-Request-Id</code> of the response is also in the server's log. Status 503 comes while an engine of the server is not available,
with <code>Retry-After</code>.</p>
<p><code>@skein/api</code> throws a <code>Refusal</code> for 4xx, with <code>code</code>, <code>status</code> and the other fields as
<code>data</code>, and a <code>NoResponse</code> for everything else.</p>
</div><div class="beside">
${jsonBlock("An error", { result: "error", msg: "Missing 'content' argument", code: "REQUEST_VARIABLE_MISSING", var_name: "content" })}
${typescriptBlock(
  "TypeScript",
  `import { createClient, deleteMessage, Refusal } from "@skein/api";

const { SKEIN_EMAIL: email, SKEIN_API_KEY: apiKey } = process.env;
const client = createClient({ site: "${site}", email, apiKey });

try {
  await client.call(deleteMessage, { message_id: 999999 });
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.status, error.code, error.message);
}`,
)}
</div></div>`,
};

const rateLimits: Guide = {
  slug: "rate-limits",
  title: "Rate limits",
  summary: "How much is allowed, and when to try again.",
  words: "429 retry-after x-ratelimit-remaining too many requests",
  body: ({ limits }) => markup`<div class="two"><div>
<p class="lead">Each account may send ${limits.requestsPerMinute} requests per minute, and read its event queues
${limits.eventReadsPerMinute} times per minute. Requests without valid credentials are limited to ${limits.addressRequestsPerMinute}
per minute and IP address.</p>
<p>Expensive requests count as several. Sending messages, uploading and searching have further limits of their own, which a person does
not reach. These are this server's settings; its operator can change them.</p>
<p>Every response says how much is left:</p>
${rows(
  [
    ["X-RateLimit-Limit", "Requests per minute."],
    ["X-RateLimit-Remaining", "How many of them are left."],
    ["X-RateLimit-Reset", "When all of them are available again, in seconds since 1970."],
  ],
  ["Header", "Meaning"],
)}
<h2>Over the limit</h2>
<p>The response has status 429 and the code <code>RATE_LIMIT_HIT</code>. The request had no effect. <code>Retry-After</code> and
<code>retry-after</code> in the body say after how many seconds to send it again. <code>@skein/api</code> does that by itself, for up to
a minute.</p>
</div><div class="beside">
${jsonBlock("429", { result: "error", msg: "API usage exceeded rate limit", code: "RATE_LIMIT_HIT", "retry-after": 28.7 })}
</div></div>`,
};

const eventQueues: Guide = {
  slug: "event-queues",
  title: "Event queues",
  summary: "Receive every change once, in order.",
  words:
    "register long poll stream server-sent events SSE EventSource WebSocket Last-Event-ID last_event_id queue_id heartbeat followEvents real time reconnect",
  body: ({ site }) => markup`<div class="two"><div>
<p class="lead">A client registers a queue, gets the state of the organization as it is at that moment, and then reads every change
exactly once, in order.</p>
<h2>Register</h2>
<p>${operation("register-queue", "POST /register")} returns <code>queue_id</code> and <code>last_event_id</code>.
<code>event_types</code> chooses what the queue collects, <code>fetch_event_types</code> which state to return. Leave both out to get
everything, as a client with a user interface does; a bot usually wants <code>["message"]</code> and no state.</p>
<h2>Read</h2>
<p>${operation("get-events", "GET /events")} waits until there are events after <code>last_event_id</code>. Pass the largest id you have
handled in the next call: this confirms the earlier ones. If a response gets lost, the same call returns the same events again. If nothing
happens for about a minute, a ${operation("events/heartbeat", "heartbeat")} comes.</p>
<h2>Read a stream</h2>
<p><code>GET /events/stream</code> with <code>queue_id</code> and <code>last_event_id</code> returns the same events as server-sent events,
in one response that goes on. Each has its id in <code>id</code> and its JSON in one <code>data</code> line. After a lost connection,
send the last <code>id</code> in the header <code>Last-Event-ID</code>, and the stream continues exactly there, at any node and for as
long as the queue exists. A line without data comes at once and then about every 25 seconds; its <code>id</code> is a position too. The last frame is
<code>event: error</code> with the JSON of an error, or <code>event: end</code>: connect again. <code>event: maintenance</code> carries the
<code>message</code> of a server that becomes read-only, or null when it no longer is. A queue has one reader: a new stream or read ends the older one.</p>
<p><code>GET /events/socket</code> carries the same over a WebSocket, in text frames of JSON:
<code>{"type":"events","events":[…]}</code>, then <code>error</code> or <code>end</code> as the last one. The client may send
<code>{"type":"ack","last_event_id":…}</code>; the queue then begins after that event. Browsers open it under <code>/json</code>, with the
session's cookie and only from pages of the server itself.</p>
<h2>When a queue is gone</h2>
<p>A queue expires if nobody reads it for ten minutes (<code>queue_lifespan_secs</code> can be up to a week). The error is then
<code>BAD_EVENT_QUEUE_ID</code>: register again. A restart of the server does not end queues, and any node can serve any queue.</p>
<p><code>followEvents</code> of <code>@skein/api</code> does all of this: it registers, reads a stream where there is one that works and polls otherwise, waits and reconnects.
${operation("events", "All events")} lists what can arrive.</p>
<h2>Capabilities</h2>
<p><code>client_capabilities</code> tells the server which newer forms of events a client understands. Set those you have implemented; the
pages of the events name the ones that matter to them.</p>
</div><div class="beside">
${shellBlock(
  "curl",
  `queue=$(curl -sS "${site}/api/v1/register" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -d 'event_types=["message"]')

curl -sS -G "${site}/api/v1/events" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -d "queue_id=$(jq -r .queue_id <<< "$queue")" \\
  -d "last_event_id=$(jq -r .last_event_id <<< "$queue")"`,
)}
${typescriptBlock(
  "TypeScript",
  `import { createClient, followEvents } from "@skein/api";

const { SKEIN_EMAIL: email, SKEIN_API_KEY: apiKey } = process.env;
const client = createClient({ site: "${site}", email, apiKey });

for await (const event of followEvents(client, { event_types: ["message"] })) {
  if (event.type === "message") console.log(event.message.content);
}`,
)}
</div></div>`,
};

const narrows: Guide = {
  slug: "narrows",
  title: "Pagination and narrows",
  summary: "Read the history, and search it.",
  words:
    "anchor num_before num_after found_oldest narrow operator operand search filter has is sender topic channel dm",
  body: ({ site }) => markup`<div class="two"><div>
<p class="lead">${operation("get-messages", "GET /messages")} returns messages around an anchor. A narrow selects which.</p>
<h2>Pages</h2>
<p><code>anchor</code> is a message id, <code>newest</code>, <code>oldest</code> or <code>first_unread</code>; <code>num_before</code> and
<code>num_after</code> say how many messages to return on each side. To read on into the past, use the id of the oldest message you have
as anchor with <code>include_anchor=false</code>, until <code>found_oldest</code> is true. At most 5000 messages come at once.</p>
<h2>Narrows</h2>
<p>A narrow is a list of terms with <code>operator</code>, <code>operand</code> and, to exclude what matches, <code>negated</code>. A message
has to match all of them. The same narrows work for ${operation("update-message-flags-for-narrow", "flags")} and for the messages of
${operation("register-queue", "queues")} (there without search).</p>
${rows(
  [
    ["channel", "A channel, by id or name."],
    ["topic", "A topic of the channel."],
    ["dm", "The conversation with exactly these people: ids, or addresses separated by commas."],
    ["dm-including", "All direct messages with this person."],
    ["sender", markup`Who sent it, by id or address; <code>me</code> for the caller.`],
    [
      "is",
      markup`<code>unread</code>, <code>starred</code>, <code>mentioned</code>, <code>alerted</code>, <code>dm</code>, <code>resolved</code> or <code>followed</code>.`,
    ],
    ["has", markup`<code>link</code>, <code>image</code>, <code>attachment</code> or <code>reaction</code>.`],
    ["channels", markup`<code>public</code>: all public channels, also those the caller is not subscribed to.`],
    ["search", "Words of the text or the topic."],
    ["id", "One message."],
    ["with", "The conversation that now contains this message, wherever it was moved."],
    ["near", "Around this message; selects nothing."],
  ],
  ["Operator", "Operand"],
)}
<p>Other lists are short enough to be returned whole.</p>
</div><div class="beside">
${shellBlock(
  "Messages about tests, without those of a bot",
  `curl -sS -G "${site}/api/v1/messages" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -d anchor=newest -d num_before=100 -d num_after=0 \\
  --data-urlencode 'narrow=[
    {"operator": "channel", "operand": "engineering"},
    {"operator": "search", "operand": "test"},
    {"operator": "sender", "operand": "build-bot@example.com", "negated": true}
  ]'`,
)}
</div></div>`,
};

const incoming: Guide = {
  slug: "incoming-webhooks",
  title: "Incoming webhooks",
  summary: "Messages from GitHub, Grafana and other services.",
  words:
    "external github gitlab sentry grafana alertmanager slack_incoming json integration only_events exclude_events",
  body: ({ site }) => markup`<div class="two"><div>
<p class="lead">Any service that can call a URL when something happens can post messages. It uses an incoming-webhook bot, which can do
nothing but send messages, so that its key may be part of the URL.</p>
<p class="route"><span class="method POST">POST</span> <code>/api/v1/external/{integration}</code></p>
${rows(
  [
    ["alertmanager", "Firing and resolved alerts of Prometheus."],
    ["github", "Pushes, pull requests, reviews, issues, discussions, releases, checks, deployments, and more."],
    ["gitlab", "Pushes, merge requests, issues, notes, pipelines, jobs, releases, and more."],
    ["grafana", "Alerts, of current and legacy alerting."],
    ["sentry", "Issues, alerts and comments."],
    ["slack_incoming", "Text, blocks and attachments, from any program that can post to Slack."],
    ["json", "Any JSON, posted as it is."],
  ],
  ["Integration", "What it understands"],
)}
<h2>Parameters of the URL</h2>
${rows(
  [
    ["api_key", "The bot's key. Required."],
    ["stream", "The channel, by name or id. Without it, the bot sends its owner direct messages."],
    ["topic", "The topic of all messages. Without it, the integration chooses one."],
    ["only_events", markup`A JSON list of the types to post, such as <code>["push*", "release"]</code>.`],
    ["exclude_events", "A JSON list of the types to ignore."],
  ],
  ["Parameter", "Meaning"],
)}
<p>The body is JSON, or a form with JSON in its field <code>payload</code>. The response is <code>{"result": "success", "msg": ""}</code>,
also for events that are not posted.</p>
<p>Repetitions of a delivery that identifies itself (<code>X-GitHub-Delivery</code>, <code>Request-ID</code> or
<code>Idempotency-Key</code>) are not posted again within a day. Texts of a service never mention anybody. If the bot has a
<code>webhook_secret</code> in its <code>config_data</code>, signatures of GitHub, GitLab, Grafana and Sentry are checked.</p>
</div><div class="beside">
${shellBlock(
  "curl",
  `api_key=$(curl -sS "${site}/api/v1/bots" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -d full_name=Harbor -d short_name=harbor -d bot_type=2 | jq -r .api_key)

curl -sS "${site}/api/v1/external/slack_incoming?api_key=$api_key&stream=random&topic=tide" \\
  -H 'Content-Type: application/json' \\
  -d '{"text": "*Basin 3* is <https://example.com/basins/3|full>."}'`,
)}
${jsonBlock("Response", { result: "success", msg: "", ok: true })}
</div></div>`,
};

const outgoing: Guide = {
  slug: "outgoing-webhooks",
  title: "Outgoing webhooks",
  summary: "A service that answers when it is mentioned.",
  words: "payload_url bot trigger token mention service response content response_not_required interface_type",
  body: ({ site, outgoing: delivery }) => markup`<div class="two"><div>
<p class="lead">An outgoing-webhook bot calls your service when somebody mentions it or writes it a direct message. What the service returns,
the bot posts as its reply.</p>
<h2>The request</h2>
<p>The server sends <code>POST</code> to the bot's <code>payload_url</code>, with a JSON body:</p>
${rows(
  [
    ["bot_email", "The bot that was addressed."],
    ["bot_full_name", "Its name."],
    ["data", "The text of the message, as it was written."],
    ["trigger", markup`<code>mention</code> or <code>direct_message</code>.`],
    ["token", "A secret of this bot: compare it to be sure that the request comes from this server."],
    [
      "message",
      markup`The message, as in ${operation("get-messages", "GET /messages")}, with the Markdown source as <code>content</code> and the HTML as <code>rendered_content</code>.`,
    ],
  ],
  ["Field", "Meaning"],
)}
<p>With <code>interface_type=2</code> the body is a form in Slack's format instead, and only messages in channels are delivered.</p>
<h2>The response</h2>
<p>Return status 200 and <code>{"content": "…"}</code> to reply in the same conversation, or
<code>{"response_not_required": true}</code> to stay silent. If your service fails or does not answer in time, the request is repeated a few
times; then the bot's owner gets a message about it.</p>
</div><div class="beside">
${shellBlock(
  "Create one",
  `curl -sS "${site}/api/v1/bots" \\
  -u "$SKEIN_EMAIL:$SKEIN_API_KEY" \\
  -d full_name=Gardener -d short_name=gardener -d bot_type=3 \\
  --data-urlencode 'payload_url="https://bots.example.com/gardener"'`,
)}
${delivery === undefined ? undefined : jsonBlock("What it is sent", delivery)}
${jsonBlock("What it may return", { content: "Watered this morning, @**Maya Cohen**." })}
</div></div>`,
};

export const guides: readonly Guide[] = [
  authentication,
  requests,
  errors,
  rateLimits,
  eventQueues,
  narrows,
  incoming,
  outgoing,
];
