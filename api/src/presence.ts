/** Presence: who is online, and when others were last online. */
import { z } from "zod";
import { deprecated, endpoint, json } from "./endpoint.ts";

export const presencePingIntervalSeconds = 60;
/** Users without activity for this long are offline. */
export const presenceOfflineThresholdSeconds = 200;
export const defaultPresenceHistoryDays = 14;

const area = "Users";

const modernPresence = z
  .strictObject({
    active_timestamp: z.int().describe("When the user was last active; if never, when they joined."),
    idle_timestamp: z.int().describe("When one of the user's clients last reported presence."),
  })
  .meta({ id: "Presence" });
export type ModernPresence = z.output<typeof modernPresence>;

const presenceStatus = z.enum(["active", "idle"]);
const timestamp = z.int().describe("When the user was last active or, when idle, last connected.");

const clientPresence = z.strictObject({
  client: z.literal("website"),
  status: presenceStatus,
  timestamp,
  pushable: z.literal(false).optional().describe("Not under the name of aggregated."),
});

/** Both fields are the same: the server does not distinguish a user's clients. */
const legacyPresence = z.record(z.enum(["aggregated", "website"]), clientPresence).meta({ id: "LegacyPresence" });
export type LegacyPresence = z.output<typeof legacyPresence>;

const presences = z
  .union([z.record(z.string(), modernPresence), z.record(z.string(), legacyPresence)])
  .describe("By user ID with slim_presence or last_update_id, and in an older form by API e-mail address without.");
const lastUpdateId = z.int().describe("The last_update_id for the next request, to get only later changes.");
const serverTimestamp = z.number().describe("The server's time.");

export const updatePresence = endpoint({
  operation: "update-presence",
  method: "POST",
  path: "/users/me/presence",
  auth: "user",
  scope: "account",
  area,
  summary: "Update your presence",
  description: "Report the caller's presence and get that of others. Clients call this about once a minute.",
  params: {
    status: z.string().describe("active: the user is using the device; idle: they are not."),
    ping_only: json(z.boolean()).default(false).describe("Whether to omit the presence of others from the response."),
    new_user_input: json(z.boolean())
      .default(false)
      .describe("Whether the user has interacted with the client since the last request."),
    last_update_id: json(z.int())
      .optional()
      .describe("The presence_last_update_id of an earlier response, or -1. Only newer data is returned."),
    history_limit_days: json(z.int())
      .optional()
      .describe("How far back to go, in days; 14 by default. Ignored with a last_update_id other than -1."),
    slim_presence: deprecated(json(z.boolean()).default(false)).describe("As a last_update_id of -1."),
  },
  returns: {
    presence_last_update_id: lastUpdateId.optional(),
    server_timestamp: serverTimestamp.optional(),
    presences: presences.optional(),
  },
});

export const getUserPresence = endpoint({
  operation: "get-user-presence",
  method: "GET",
  path: "/users/{user_id_or_email}/presence",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get a user's presence",
  description: "When a user was last active.",
  params: { user_id_or_email: z.string().describe("The user's ID, or API e-mail address.") },
  returns: {
    presence: z
      .record(z.enum(["aggregated", "website"]), z.strictObject({ status: presenceStatus, timestamp }))
      .describe("The same under both names."),
  },
});

export const getPresence = endpoint({
  operation: "get-presence",
  method: "GET",
  path: "/realm/presence",
  auth: "user",
  scope: "users:read",
  area: "Server and organization",
  summary: "Get presence of all users",
  description: "When each user of the organization was last active.",
  params: {},
  returns: {
    server_timestamp: serverTimestamp,
    presences: z.record(z.string(), legacyPresence).describe("By API e-mail address."),
  },
});

export const presenceState = {
  presences,
  presence_last_update_id: lastUpdateId,
  server_timestamp: serverTimestamp,
};

export const presenceEvent = z
  .strictObject({
    type: z.literal("presence"),
    presences: z
      .record(z.string(), modernPresence)
      .optional()
      .describe("By user ID; with the capability simplified_presence_events, and then the only field."),
    user_id: z.int().optional(),
    email: z.string().optional().describe("Deprecated: the API e-mail address. Not with slim_presence."),
    server_timestamp: serverTimestamp.optional(),
    presence: z.record(z.enum(["website"]), clientPresence.required()).optional(),
  })
  .describe("A user has come online after an absence, or has just become invisible. Clients poll for other changes.");

export const endpoints = [updatePresence, getUserPresence, getPresence];
