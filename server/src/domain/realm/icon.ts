import { hash } from "node:crypto";
import type { Realm } from "../../http/sessions.ts";

/** The square logo: until one can be uploaded, a pattern made from the organization's short name. */
export function iconUrl(realm: Pick<Realm, "string_id" | "icon_version">): string {
  const pattern = hash("md5", realm.string_id);
  return `https://secure.gravatar.com/avatar/${pattern}?d=identicon&version=${realm.icon_version}`;
}
