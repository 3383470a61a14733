import type { Invitation } from "@skein/api/invitations.ts";
import type { Role } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import { isAdministrator } from "../../channels/access.ts";
import type { InvitationRow, LinkRow } from "./access.ts";
import { linkUrl, sealedFor } from "./links.ts";

/** The open invitations and links that this user may manage. `siteUrl` is the organization's URL. */
export async function listInvitations(ctx: Context, user: User, siteUrl: string): Promise<Invitation[]> {
  const isMine = isAdministrator(user) ? sql`true` : sql`i.invited_by_id = ${user.id}`;
  const isOpen = sql`i.realm_id = ${user.realm_id} and (i.expires_at is null or i.expires_at > now()) and ${isMine}`;
  // An address that got an account in another way needs no invitation any more.
  const { rows: invitations } = await sql<InvitationRow>`
    select i.* from invitations i
    where i.state = 'pending' and ${isOpen} and not exists (
      select from users u where u.realm_id = i.realm_id and lower(u.delivery_email) = lower(i.email))
    order by i.id`.execute(ctx.db);
  const { rows: links } = await sql<LinkRow>`
    select i.* from invitation_links i where not i.revoked and ${isOpen} order by i.id`.execute(ctx.db);
  return [
    ...invitations.map((row) => ({
      ...common(row),
      email: row.email,
      notify_referrer_on_join: row.notify_referrer,
      is_multiuse: false,
    })),
    ...links.map((row) => {
      const token = ctx.secretBox.open(row.sealed_token, sealedFor);
      // Undefined if it was encrypted with a secret that the server no longer has. The link itself still works.
      const link = token === undefined ? {} : { link_url: linkUrl(siteUrl, token) };
      return { ...common(row), ...link, notify_referrer_on_join: true, is_multiuse: true };
    }),
  ];
}

const common = (row: InvitationRow | LinkRow) => ({
  id: row.id,
  invited_by_user_id: row.invited_by_id,
  invited: toSeconds(row.invited_at),
  expiry_date: row.expires_at && toSeconds(row.expires_at),
  invited_as: row.role as Role, // the table takes no other
});

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);
