/** What the reader may do with the organization's lists, and changes of them that show at once. */
import type { CustomEmoji } from "@skein/api/emoji.ts";
import type { Linkifier } from "@skein/api/linkifiers.ts";
import type { ProfileField } from "@skein/api/profile-fields.ts";
import type { RealmDomain } from "@skein/api/realm-domains.ts";
import { reorderLinkifiers } from "@skein/api/routes/linkifiers.ts";
import { reorderProfileFields } from "@skein/api/routes/profile-fields.ts";
import { updateRealmDomain } from "@skein/api/routes/realm-domains.ts";
import { call } from "../api/call.ts";
import { includesReader } from "./group-settings.ts";
import { peopleById } from "./people.ts";
import { isAdministrator } from "./roles.ts";
import { confirmed } from "./setting-stores.ts";
import { ownId, part } from "./state.ts";

export const mayAddEmoji = (): boolean => includesReader(part("realm_can_add_custom_emoji_group").value);

export const mayDeactivateEmoji = ({ author_id }: Pick<CustomEmoji, "author_id">): boolean =>
  isAdministrator() || author_id === ownId.value;

/** How many people can log in. */
export const activePeople = (): number =>
  [...peopleById.value.values()].filter(({ isActive, is_bot }) => isActive && !is_bot).length;

/** Resolves when the server has confirmed it, rejects when it refuses. */
export const includeSubdomains = (realm_domain: RealmDomain): Promise<void> =>
  confirmed(
    {
      key: `domain ${realm_domain.domain}`,
      event: { type: "realm_domains", op: "change", realm_domain },
      isConfirmedBy: (event) =>
        event.type === "realm_domains" &&
        event.op === "change" &&
        event.realm_domain.domain === realm_domain.domain &&
        event.realm_domain.allow_subdomains === realm_domain.allow_subdomains,
    },
    () => call(updateRealmDomain, realm_domain),
  );

const isSameOrder = (some: readonly { id: number }[], others: readonly { id: number }[]): boolean =>
  some.length === others.length && some.every(({ id }, index) => others[index]?.id === id);

/** As above. */
export const orderLinkifiers = (realm_linkifiers: Linkifier[]): Promise<void> =>
  confirmed(
    {
      key: "order of linkifiers",
      event: { type: "realm_linkifiers", realm_linkifiers },
      isConfirmedBy: (event) =>
        event.type === "realm_linkifiers" && isSameOrder(event.realm_linkifiers, realm_linkifiers),
    },
    () => call(reorderLinkifiers, { ordered_linkifier_ids: realm_linkifiers.map(({ id }) => id) }),
  );

/** As above. */
export const orderProfileFields = (fields: ProfileField[]): Promise<void> =>
  confirmed(
    {
      key: "order of profile fields",
      event: { type: "custom_profile_fields", fields },
      isConfirmedBy: (event) => event.type === "custom_profile_fields" && isSameOrder(event.fields, fields),
    },
    () => call(reorderProfileFields, { order: fields.map(({ id }) => id) }),
  );
