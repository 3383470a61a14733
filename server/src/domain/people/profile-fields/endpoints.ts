import * as api from "@skein/api/profile-fields.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addField, removeField, reorderFields, updateField } from "./definitions.ts";
import { listFields, toFieldObject } from "./queries.ts";
import { updateOwnProfile } from "./values.ts";
import { audited } from "../../organization/audit/audited.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";

export const profileFieldEndpoints: BoundEndpoint[] = [
  handle(api.getProfileFields, async ({ ctx, user }) => ({
    custom_fields: (await listFields(ctx.db, user.realm_id)).map(toFieldObject),
  })),

  handle(api.createProfileField, async ({ ctx, user, params, request }) => ({
    id: await transaction(ctx.db, "add profile field", (tx) =>
      audited(tx, { user, request }, { kind: "profile_field", id: (id) => id, action: "profile_field.create" }, () =>
        addField(tx, user, params),
      ),
    ),
  })),

  handle(api.reorderProfileFields, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "reorder profile fields", async (tx) => {
      await lockHead(tx, user.realm_id);
      await reorderFields(tx, user, params.order);
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "profile_field.reorder",
        target: { kind: "profile_field", id: null },
        after: { order: params.order },
      });
    });
    return {};
  }),

  handle(api.updateProfileField, async ({ ctx, user, params: { field_id, ...change }, request }) => {
    await transaction(ctx.db, "update profile field", (tx) =>
      audited(tx, { user, request }, { kind: "profile_field", id: field_id, action: "profile_field.update" }, () =>
        updateField(tx, user, field_id, change),
      ),
    );
    return {};
  }),

  handle(api.removeProfileField, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "remove profile field", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "profile_field", id: params.field_id, action: "profile_field.delete" },
        () => removeField(tx, user, params.field_id),
      ),
    );
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
