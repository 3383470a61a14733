import * as api from "@skein/api/profile-fields.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addField, removeField, reorderFields, updateField } from "./definitions.ts";
import { listFields, toFieldObject } from "./queries.ts";
import { updateOwnProfile } from "./values.ts";

export const profileFieldEndpoints: BoundEndpoint[] = [
  handle(api.getProfileFields, async ({ ctx, user }) => ({
    custom_fields: (await listFields(ctx.db, user.realm_id)).map(toFieldObject),
  })),

  handle(api.createProfileField, async ({ ctx, user, params }) => ({
    id: await transaction(ctx.db, "add profile field", (tx) => addField(tx, user, params)),
  })),

  handle(api.reorderProfileFields, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "reorder profile fields", (tx) => reorderFields(tx, user, params.order));
    return {};
  }),

  handle(api.updateProfileField, async ({ ctx, user, params: { field_id, ...change } }) => {
    await transaction(ctx.db, "update profile field", (tx) => updateField(tx, user, field_id, change));
    return {};
  }),

  handle(api.removeProfileField, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove profile field", (tx) => removeField(tx, user, params.field_id));
    return {};
  }),

  handle(api.updateOwnProfile, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "update own profile", (tx) => updateOwnProfile(tx, user, params.data));
    return {};
  }),

  handle(api.removeOwnProfile, async ({ ctx, user, params }) => {
    const emptied = params.data.map((id) => ({ id, value: null }));
    await transaction(ctx.db, "remove own profile", (tx) => updateOwnProfile(tx, user, emptied));
    return {};
  }),
];
