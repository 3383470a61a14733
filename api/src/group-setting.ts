/** Who has a permission: a user group, or a list of users and groups for this setting alone. */
import { z } from "zod";
import { list, manyIds } from "./endpoint.ts";

export const groupSettingValue = z
  .union([
    z.int().describe("The ID of a user group."),
    z.strictObject({
      direct_members: list(z.int(), manyIds).describe("IDs of users."),
      direct_subgroups: list(z.int()).describe("IDs of user groups."),
    }),
  ])
  .meta({ id: "GroupSettingValue" });

export type GroupSettingValue = z.output<typeof groupSettingValue>;

/** A change of such a setting. If `old` is given, the change fails if somebody else has changed the setting meanwhile. */
export const groupSettingUpdate = z
  .strictObject({
    new: groupSettingValue.describe("Who has the permission from now on."),
    old: groupSettingValue.optional().describe("Who has it now, as far as the caller knows."),
  })
  .meta({ id: "GroupSettingUpdate" });

export type GroupSettingUpdate = z.output<typeof groupSettingUpdate>;
