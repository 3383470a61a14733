/** Where the pictures of an organization are found: fixed addresses, whose version changes with the picture. */
import { hash } from "node:crypto";
import type { Realm } from "../../http/sessions.ts";

export const realmPictures = ["icon", "logo", "night_logo"] as const;
export type RealmPicture = (typeof realmPictures)[number];

/** What is shown as a logo until one is uploaded. */
export const defaultLogoPath = "/static/images/logo.svg";

export const pictureUrl = (realm: Realm, which: RealmPicture): string => {
  const version = realm[`${which}_version`];
  if (realm[`${which}_key`] !== null) return `/user_avatars/${realm.id}/realm/${which}.png?version=${version}`;
  if (which === "icon") return patternUrl(realm);
  return `${defaultLogoPath}?version=${version}`;
};

/** A pattern made from the organization's short name. */
const patternUrl = ({ string_id, icon_version }: Realm): string =>
  `https://secure.gravatar.com/avatar/${hash("md5", string_id)}?d=identicon&version=${icon_version}`;

export const iconUrl = (realm: Realm): string => pictureUrl(realm, "icon");
