import { fieldTypes } from "@skein/api/profile-fields.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { listFields, toFieldObject } from "./queries.ts";

export const profileFieldState: StatePart = {
  types: ["custom_profile_fields"],
  sharedBy: () => "",
  load: async (db, { user }) => ({
    custom_profile_fields: (await listFields(db, user.realm_id)).map(toFieldObject),
    custom_profile_field_types: fieldTypes,
  }),
};
