/** The reader's role in the organization. Smaller numbers may do more. */
import { self } from "./people.ts";

export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

export const isOwner = (): boolean => self.value.role <= roles.owner;

export const isAdministrator = (): boolean => self.value.role <= roles.administrator;

export const isGuest = (): boolean => self.value.role >= roles.guest;
