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
