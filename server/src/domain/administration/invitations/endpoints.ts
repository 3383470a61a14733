import * as api from "@skein/api/invitations.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { Context } from "../../../context.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { createInvitationLink, revokeInvitationLink } from "./links.ts";
import type { Offer } from "./offer.ts";
import { listInvitations } from "./queries.ts";
import { someRefused } from "./refusals.ts";
import { revokeInvitation } from "./revoke.ts";
import { resendInvitation, sendInvitations } from "./send.ts";
import type { AuditAction } from "@skein/api/audit-log.ts";
import type { Caller } from "../../organization/audit/audited.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";

type Params = ParamsOf<typeof api.createInvitationLink>;

const readOffer = (params: Params): Offer => ({
  role: params.invite_as,
  channelIds: [...new Set(params.stream_ids)],
  groupIds: [...new Set(params.group_ids)],
  defaultChannels: params.include_realm_default_subscriptions,
  welcomeText: params.welcome_message_custom_text ?? null,
});

const readMinutes = ({ config }: Context, { invite_expires_in_minutes: minutes }: Params): number | null =>
  minutes === undefined ? config.invitationMinutes : minutes;

const toFields = ({ role, channelIds, groupIds, defaultChannels }: Offer) => ({
  invited_as: role,
  channel_ids: channelIds,
  group_ids: groupIds,
  default_channels: defaultChannels,
});

const recordInvitation = (
  tx: Tx,
  { user, request }: Caller,
  action: AuditAction,
  id: number | null,
  fields: { after?: Record<string, unknown> } = {},
): Promise<void> =>
  record(tx, user.realm_id, byCaller(user, request), { action, target: { kind: "invitation", id }, ...fields });

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
    const { sent, refused } = await transaction(ctx.db, "send invitations", async (tx) => {
      await lockHead(tx, user.realm_id);
      const result = await sendInvitations(tx, ctx, user, invitation);
      const [first, ...more] = result.invitations;
      if (first)
        await recordInvitation(tx, { user, request }, "invitation.create", more.length === 0 ? first.id : null, {
          after: {
            email: more.length === 0 ? first.email : result.invitations.map(({ email }) => email),
            ...toFields(invitation.offer),
          },
        });
      return result;
    });
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
    const invite_link = await transaction(ctx.db, "create invitation link", async (tx) => {
      await lockHead(tx, user.realm_id);
      const { id, url } = await createInvitationLink(tx, ctx, user, link);
      await recordInvitation(tx, { user, request }, "invitation.create_link", id, { after: toFields(link.offer) });
      return url;
    });
    return { invite_link };
  }),

  handle(api.revokeInvitation, async ({ ctx, user, params, request }) => {
    await revoke(ctx, "revoke invitation", async (tx) => {
      await lockHead(tx, user.realm_id);
      await revokeInvitation(tx, user, params.invite_id);
      await recordInvitation(tx, { user, request }, "invitation.revoke", params.invite_id);
    });
    return {};
  }),

  handle(api.revokeInvitationLink, async ({ ctx, user, params, request }) => {
    await revoke(ctx, "revoke invitation link", async (tx) => {
      await lockHead(tx, user.realm_id);
      await revokeInvitationLink(tx, user, params.invite_id);
      await recordInvitation(tx, { user, request }, "invitation.revoke", params.invite_id);
    });
    return {};
  }),

  handle(api.resendInvitation, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "resend invitation", async (tx) => {
      await lockHead(tx, user.realm_id);
      await resendInvitation(tx, ctx, user, params.invite_id);
      await recordInvitation(tx, { user, request }, "invitation.resend", params.invite_id);
    });
    return {};
  }),
];
