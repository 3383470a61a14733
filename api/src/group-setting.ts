/** Who has a permission: a user group, or a list made for this one setting. */
import { z } from "zod";

export const groupSettingValue = z
  .union([
    z.int().describe("The ID of a user group."),
    z.strictObject({
      direct_members: z.array(z.int()).describe("IDs of users."),
      direct_subgroups: z.array(z.int()).describe("IDs of user groups."),
    }),
  ])
  .meta({ id: "GroupSettingValue" });

export type GroupSettingValue = z.output<typeof groupSettingValue>;

/** A change of it. Who says what it was before is refused if somebody else has changed it meanwhile. */
export const groupSettingUpdate = z
  .strictObject({
    new: groupSettingValue.describe("Who has the permission from now on."),
    old: groupSettingValue.optional().describe("Who has it now, as far as the caller knows."),
  })
  .meta({ id: "GroupSettingUpdate" });

export type GroupSettingUpdate = z.output<typeof groupSettingUpdate>;
