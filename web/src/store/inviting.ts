/** Whether the reader may invite people, by e-mail or by a link. */
import { includesReader } from "./group-settings.ts";
import { isGuest } from "./roles.ts";
import { part } from "./state.ts";

export const mayInvite = (): boolean =>
  !isGuest() &&
  (includesReader(part("realm_can_invite_users_group").value) ||
    includesReader(part("realm_create_multiuse_invite_group").value));
