/** The reader's account: what may be changed, and what ends with it. */
import { updateSettings } from "@skein/api/routes/settings.ts";
import { deactivateOwnUser } from "@skein/api/routes/users.ts";
import { call } from "../api/call.ts";
import { startOver } from "../api/session.ts";
import { activePeople, type Person } from "./people.ts";
import { isAdministrator, isOwner, roles } from "./roles.ts";
import { ownId, part } from "./state.ts";

/** Administrators always may. */
export const canChangeEmail = (): boolean => isAdministrator() || part("realm_email_changes_disabled").value !== true;

/** Whether accounts here have passwords. */
export const hasPasswords = (): boolean => part("realm_password_auth_enabled").value !== false;

export const changeEmail = (email: string): Promise<unknown> => call(updateSettings, { email });

export const changePassword = (old_password: string, new_password: string): Promise<unknown> =>
  call(updateSettings, { old_password, new_password });

/** The organization needs an owner. */
export const isLastOwner = (): boolean =>
  isOwner() &&
  !activePeople.value.some(({ user_id, role, is_bot }) => role <= roles.owner && !is_bot && user_id !== ownId.value);

/** The reader's bots that are in use. */
export const activeOwnBots = (): readonly Person[] =>
  activePeople.value.filter(({ bot_owner_id }) => bot_owner_id === ownId.value);

/** Ends the account, and erases what it left in the browser. */
export async function deactivateAccount(): Promise<void> {
  await call(deactivateOwnUser, {});
  await startOver();
}

/** The configuration file of command-line clients and libraries of the protocol. */
export const zuliprc = ({ email, key }: { email: string; key: string }): string =>
  `[api]\nemail=${email}\nkey=${key}\nsite=${part("realm_url").peek() ?? location.origin}\n`;
