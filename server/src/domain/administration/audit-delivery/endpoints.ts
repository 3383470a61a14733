import * as api from "@skein/api/audit-destinations.ts";
import { ApiError } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import {
  accessDestinations,
  createDestination,
  deleteDestination,
  listDestinations,
  updateDestination,
} from "./actions.ts";

export const destinationEndpoints: BoundEndpoint[] = [
  handle(api.getAuditDestinations, async ({ ctx, user }) => {
    accessDestinations(user);
    return { destinations: await listDestinations(ctx.db, user.realm_id) };
  }),

  handle(api.createAuditDestination, async ({ ctx, user, params, request }) => {
    accessDestinations(user);
    return transaction(ctx.db, "create audit destination", (tx) =>
      createDestination(tx, ctx.secretBox, { user, request }, params),
    );
  }),

  handle(api.updateAuditDestination, async ({ ctx, user, params, request }) => {
    accessDestinations(user);
    const { destination_id, ...change } = params;
    if (Object.values(change).every((value) => value === undefined)) throw new ApiError("Nothing to change.");
    await transaction(ctx.db, "update audit destination", (tx) =>
      updateDestination(tx, ctx.secretBox, { user, request }, destination_id, change),
    );
    return {};
  }),

  handle(api.deleteAuditDestination, async ({ ctx, user, params: { destination_id }, request }) => {
    accessDestinations(user);
    await transaction(ctx.db, "delete audit destination", (tx) =>
      deleteDestination(tx, { user, request }, destination_id),
    );
    return {};
  }),
];
