/** Presence: who is there, and who was last there when. */
import { z } from "zod";
import { deprecated, endpoint, json } from "./endpoint.ts";

export const presencePingIntervalSeconds = 60;
/** Who has not been heard of for so long is away. */
export const presenceOfflineThresholdSeconds = 200;
export const defaultPresenceHistoryDays = 14;

const area = "Users";

const modernPresence = z
  .strictObject({
    active_timestamp: z.int().optional().describe("When the user was last seen to be there."),
    idle_timestamp: z.int().describe("When a client of the user's was last heard of."),
  })
  .meta({ id: "Presence" });
export type ModernPresence = z.output<typeof modernPresence>;

const presenceStatus = z.enum(["active", "idle"]);
const timestamp = z.int().describe("When the user was last seen to be there, or, when idle, last heard of.");

const clientPresence = z.strictObject({
  client: z.literal("website"),
  status: presenceStatus,
  timestamp,
  pushable: z.literal(false).optional().describe("Not under the name of aggregated."),
});

/** The same twice: the server does not know one client of a user from another. */
const legacyPresence = z.record(z.enum(["aggregated", "website"]), clientPresence).meta({ id: "LegacyPresence" });
export type LegacyPresence = z.output<typeof legacyPresence>;

const presences = z
  .union([z.record(z.string(), modernPresence), z.record(z.string(), legacyPresence)])
  .describe("By user ID with slim_presence or last_update_id, and in an older form by API e-mail address without.");
const lastUpdateId = z.int().describe("What to give as last_update_id to hear only of what changes after this.");
const serverTimestamp = z.number().describe("The server's time.");

export const updatePresence = endpoint({
  operation: "update-presence",
  method: "POST",
  path: "/users/me/presence",
  auth: "user",
  area,
  summary: "Update your presence",
  description: "Say that one is there, and hear who else is. To be called about once a minute.",
  params: {
    status: z.string().describe("active: the user is using the device; idle: they are not."),
    ping_only: json(z.boolean()).default(false).describe("Whether to answer without the presence of others."),
    new_user_input: json(z.boolean())
      .default(false)
      .describe("Whether the user has done something since the last time."),
    last_update_id: json(z.int())
      .optional()
      .describe("What the client has already, from an earlier answer; -1 for nothing. Only what is newer is given."),
    history_limit_days: json(z.int())
      .optional()
      .describe("How far back to go, in days; 14 when left out. Ignored by who has something already."),
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
  area,
  summary: "Get a user's presence",
  description: "When a user was last there.",
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
  area: "Server and organization",
  summary: "Get presence of all users",
  description: "When every user of the organization was last there.",
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
    user_id: z.int(),
    email: z.string().optional().describe("Deprecated: the API e-mail address. Not with slim_presence."),
    server_timestamp: serverTimestamp,
    presence: z.record(z.enum(["website"]), clientPresence),
  })
  .describe("Somebody is there again after a time away, or has just hidden. Other changes are to be asked for.");
