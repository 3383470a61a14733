/**
 * The URL of a user's picture. An uploaded picture is stored here under an unguessable name, so that browsers can fetch it
 * without signing in. For other users `/avatar/{id}` serves a generated picture, or redirects to Gravatar where the
 * server's settings enable it. A Gravatar URL contains a hash of the e-mail address, which can be reversed by guessing, so
 * only readers who may see the e-mail address get it.
 */
import { hash } from "node:crypto";
import type { Realm } from "../../../identity/account.ts";
import { isAddressPublic, type Addressed } from "./email.ts";

export interface Pictured extends Addressed {
  avatar_source: string;
  avatar_version: number;
  avatar_key: string | null;
}

type AvatarSource = "G" | "U" | "J";

/** The column holds no other values. */
export const avatarSourceOf = ({ avatar_source }: { avatar_source: string }): AvatarSource =>
  avatar_source === "U" || avatar_source === "J" ? avatar_source : "G";

/** What new users have who have not uploaded a picture: a Gravatar where the server uses it, or always a pattern (J). */
export const defaultAvatarSource = ({ default_avatar_source }: Pick<Realm, "default_avatar_source">): "G" | "J" =>
  default_avatar_source === "J" ? "J" : "G";

export type AvatarSize = "small" | "medium";

/** The file name of an uploaded picture. */
export const avatarFile = (key: string, size: AvatarSize): string => `${key}${size === "medium" ? "-medium" : ""}.png`;

/** Whether a client can compute the Gravatar URL from the e-mail address itself. */
export const isAvatarComputable = (account: Pictured): boolean =>
  account.avatar_source === "G" && isAddressPublic(account);

export function avatarUrl(account: Pictured, size: AvatarSize = "small"): string {
  const version = `version=${account.avatar_version}`;
  if (account.avatar_key !== null) return `/user_avatars/${avatarFile(account.avatar_key, size)}?${version}`;
  return `/avatar/${account.id}${size === "medium" ? "/medium" : ""}?${version}`;
}

export function gravatarUrl(email: string, size: AvatarSize, version: string): string {
  const who = hash("md5", email.toLowerCase());
  return `https://secure.gravatar.com/avatar/${who}?d=identicon&${version}${size === "medium" ? "&s=500" : ""}`;
}
