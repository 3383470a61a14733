/**
 * Where a user's picture is found. One that was uploaded lies here, under a name nobody can guess, so that browsers may
 * fetch it without signing in. A Gravatar address tells a hash of the e-mail address, which can be guessed back, so it
 * is only given for addresses that everybody may see; for the others an address of our own stands in.
 */
import { hash } from "node:crypto";
import { isAddressPublic, type Addressed } from "./email.ts";

export interface Pictured extends Addressed {
  avatar_source: string;
  avatar_version: number;
  avatar_key: string | null;
}

export type AvatarSize = "small" | "medium";

/** The name of an uploaded picture's file. */
export const avatarFile = (key: string, size: AvatarSize): string => `${key}${size === "medium" ? "-medium" : ""}.png`;

/** Whether a client can work out the address itself from the e-mail address. */
export const isAvatarComputable = (account: Pictured): boolean =>
  account.avatar_source === "G" && isAddressPublic(account);

export function avatarUrl(account: Pictured, size: AvatarSize = "small"): string {
  const version = `version=${account.avatar_version}`;
  if (account.avatar_key !== null) return `/user_avatars/${avatarFile(account.avatar_key, size)}?${version}`;
  if (!isAvatarComputable(account)) return `/avatar/${account.id}${size === "medium" ? "/medium" : ""}?${version}`;
  return gravatarUrl(account.delivery_email, size, version);
}

export function gravatarUrl(email: string, size: AvatarSize, version: string): string {
  const who = hash("md5", email.toLowerCase());
  return `https://secure.gravatar.com/avatar/${who}?d=identicon&${version}${size === "medium" ? "&s=500" : ""}`;
}
