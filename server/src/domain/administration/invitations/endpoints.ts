import * as api from "@skein/api/invitations.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { Context } from "../../../context.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { createInvitationLink, revokeInvitationLink } from "./links.ts";
import type { Offer } from "./offer.ts";
import { listInvitations } from "./queries.ts";
import { someRefused } from "./refusals.ts";
import { revokeInvitation } from "./revoke.ts";
import { resendInvitation, sendInvitations } from "./send.ts";

type Params = ParamsOf<typeof api.createInvitationLink>;

const readOffer = (params: Params): Offer => ({
  role: params.invite_as,
  channelIds: [...new Set(params.stream_ids)],
  groupIds: [...new Set(params.group_ids)],
  defaultChannels: params.include_realm_default_subscriptions,
});

const readMinutes = ({ config }: Context, { invite_expires_in_minutes: minutes }: Params): number | null =>
  minutes === undefined ? config.invitationMinutes : minutes;

export const invitationEndpoints: BoundEndpoint[] = [
  handle(api.getInvitations, async ({ ctx, user, request }) => ({
    invites: await listInvitations(ctx, user, realmUrl(ctx.config, user.realm, request.origin)),
  })),

  handle(api.sendInvitations, async ({ ctx, user, params, request }) => {
    const invitation = {
      inviteeEmails: params.invitee_emails,
      minutes: readMinutes(ctx, params),
      offer: readOffer(params),
      notifyReferrer: params.notify_referrer_on_join,
      siteUrl: realmUrl(ctx.config, user.realm, request.origin),
    };
    const { sent, refused } = await transaction(ctx.db, "send invitations", (tx) =>
      sendInvitations(tx, ctx, user, invitation),
    );
    // Thrown after the commit, so that all other addresses are invited.
    if (refused.length > 0) throw someRefused(refused, sent);
    return {};
  }),

  handle(api.createInvitationLink, async ({ ctx, user, params, request }) => {
    const link = {
      minutes: readMinutes(ctx, params),
      offer: readOffer(params),
      siteUrl: realmUrl(ctx.config, user.realm, request.origin),
    };
    const invite_link = await transaction(ctx.db, "create invitation link", (tx) =>
      createInvitationLink(tx, ctx, user, link),
    );
    return { invite_link };
  }),

  handle(api.revokeInvitation, async ({ ctx, user, params }) => {
    await revoke(ctx, "revoke invitation", (tx) => revokeInvitation(tx, user, params.invite_id));
    return {};
  }),

  handle(api.revokeInvitationLink, async ({ ctx, user, params }) => {
    await revoke(ctx, "revoke invitation link", (tx) => revokeInvitationLink(tx, user, params.invite_id));
    return {};
  }),

  handle(api.resendInvitation, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "resend invitation", (tx) => resendInvitation(tx, ctx, user, params.invite_id));
    return {};
  }),
];
