/**
 * Where a user's picture is found. A Gravatar address tells a hash of the e-mail address, which can be guessed back, so
 * it is only given for addresses that everybody may see; for the others an address of our own stands in.
 */
import { hash } from "node:crypto";
import { isAddressPublic, type Addressed } from "./email.ts";

export interface Pictured extends Addressed {
  avatar_source: string;
  avatar_version: number;
}

/** Whether a client can work out the address itself from the e-mail address. */
export const isAvatarComputable = (account: Pictured): boolean =>
  account.avatar_source === "G" && isAddressPublic(account);

export function avatarUrl(account: Pictured, size: "small" | "medium" = "small"): string {
  const version = `version=${account.avatar_version}`;
  if (!isAvatarComputable(account)) return `/avatar/${account.id}${size === "medium" ? "/medium" : ""}?${version}`;
  const who = hash("md5", account.delivery_email.toLowerCase());
  return `https://secure.gravatar.com/avatar/${who}?d=identicon&${version}${size === "medium" ? "&s=500" : ""}`;
}
