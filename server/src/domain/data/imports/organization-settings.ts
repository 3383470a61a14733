/** An organization's settings in the form that `PATCH /realm` takes, from the columns of its row or of its export. */
import { updateRealm } from "@skein/api/realm-settings.ts";
import { announcementChannels, noChannel } from "../../administration/organization/read-settings.ts";
import { gifRatingOf } from "../../organization/realm/providers.ts";
import { realmPermissions } from "../../organization/permissions/realm-permissions.ts";

/** Settings whose value is a channel. */
export const channelSettings: readonly string[] = announcementChannels;

/** Ways to sign in are those of the server, and second factors are not imported. */
const aboutSignIns = ["authentication_methods", "second_factor_required_for"];

/** The others that are no permissions. */
export const plainSettings: readonly string[] = Object.keys(updateRealm.params).filter(
  (name) => !aboutSignIns.includes(name) && !(name in realmPermissions) && !channelSettings.includes(name),
);

const isLimit = (name: string): boolean => name.endsWith("_limit_seconds");

/** Undefined where the row has no such column. */
export function toParameter(name: string, row: Readonly<Record<string, unknown>>): unknown {
  // See organization/realm/providers.ts.
  const { giphy_rating } = row;
  if (name === "gif_rating_policy") return typeof giphy_rating === "number" ? gifRatingOf(giphy_rating) : undefined;
  const value = row[name];
  if (channelSettings.includes(name)) return value ?? noChannel;
  if (value === null && isLimit(name)) return "unlimited";
  if (value === -1 && name === "message_retention_days") return "unlimited";
  if (value === null && name === "jitsi_server_url") return "default";
  return value ?? undefined;
}
