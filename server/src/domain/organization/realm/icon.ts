/** The URLs of an organization's pictures: fixed paths with a version that changes with the picture. */
import type { Realm } from "../../../identity/account.ts";

export const realmPictures = ["icon", "logo", "night_logo"] as const;
export type RealmPicture = (typeof realmPictures)[number];

/** The logo shown until one is uploaded. */
export const defaultLogoPath = "/static/images/logo.svg";

/** Until an icon is uploaded, the same path serves a pattern generated for the organization. */
export const pictureUrl = (realm: Realm, which: RealmPicture): string => {
  const version = realm[`${which}_version`];
  if (which === "icon" || realm[`${which}_key`] !== null)
    return `/user_avatars/${realm.id}/realm/${which}.png?version=${version}`;
  return `${defaultLogoPath}?version=${version}`;
};

export const iconUrl = (realm: Realm): string => pictureUrl(realm, "icon");
