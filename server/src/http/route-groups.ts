/**
 * Groups of routes for metrics: what an operator watches together. Sending, fetching messages, registering and reading events
 * are groups of their own, because clients do little else and users notice when they are slow.
 */
export const routeGroups = [
  "send",
  "fetch",
  "events",
  "register",
  "messages",
  "channels",
  "people",
  "organization",
  "files",
  "signing in",
  "webhooks",
  "web client",
  "documentation",
  "health",
  "other",
] as const;
export type RouteGroup = (typeof routeGroups)[number];

declare module "node:http" {
  interface ServerResponse {
    /** When the request arrived, by performance.now(). */
    begunAt?: number;
    routeGroup?: RouteGroup;
    /** Its connection became a WebSocket. */
    isUpgraded?: boolean;
  }
}

/** The first match counts. Paths are the router's, without `/api/v1` or `/json`. */
const rules: [RegExp, RouteGroup][] = [
  [/^\/messages$/, "fetch"], // sending is told apart by its method
  [/^\/events(\/(stream|socket))?$/, "events"],
  [/^\/register$/, "register"],
  [/^\/external\//, "webhooks"],
  [/^\/(health|metrics)/, "health"],
  [/^\/(api|openapi)/, "documentation"],
  [/^\/(assets|icon|favicon|apple-touch|manifest|service-worker|static)|^\/$/, "web client"],
  [
    /^\/(user_uploads|user_avatars|avatar|external_content|attachments|thumbnail|emoji|tus)|^\/realm\/(icon|logo)$/,
    "files",
  ],
  [
    /fetch_api_key|dev_list_users|^\/(accounts|login|complete|join|new|setup|jwt|password|logout|devlogin|json)/,
    "signing in",
  ],
  [
    /^\/(messages|submessage|mark_|scheduled_messages|reminders|drafts|saved_snippets|typing|zcommand|search)/,
    "messages",
  ],
  [/^\/streams\/[^/]+\/delete_topic$/, "messages"],
  [
    /^\/(streams|channels|channel_folders|get_stream_id|default_stream|user_topics|calls)|subscriptions|topics$/,
    "channels",
  ],
  [
    /^\/(users|user_groups|settings|navigation_views|invites|bots|bot_storage|mobile_push|web_push|unsubscribe)|presence$/,
    "people",
  ],
  [/^\/(realm|server_settings|export|import|audit_log|scim)/, "organization"],
];

/** `url`: as the route was declared. */
export function routeGroup(url: string, method: string): RouteGroup {
  const path = url.replace(/^\/(api\/v1|json)(?=\/)/, "");
  const group = rules.find(([pattern]) => pattern.test(path))?.[1] ?? "other";
  return group === "fetch" && method === "POST" ? "send" : group;
}
