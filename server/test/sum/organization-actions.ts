import { deactivateCustomEmoji, uploadCustomEmoji } from "@skein/api/emoji.ts";
import {
  createInvitationLink,
  resendInvitation,
  revokeInvitation,
  revokeInvitationLink,
  sendInvitations,
} from "@skein/api/invitations.ts";
import { addLinkifier, removeLinkifier, reorderLinkifiers, updateLinkifier } from "@skein/api/linkifiers.ts";
import { addPlayground, removePlayground } from "@skein/api/playgrounds.ts";
import {
  createProfileField,
  removeOwnProfile,
  removeProfileField,
  reorderProfileFields,
  updateOwnProfile,
  updateProfileField,
} from "@skein/api/profile-fields.ts";
import { addRealmDomain, removeRealmDomain, updateRealmDomain } from "@skein/api/realm-domains.ts";
import { removeRealmIcon, removeRealmLogo, uploadRealmIcon, uploadRealmLogo } from "@skein/api/realm-icon.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { updateDefaultSettings } from "@skein/api/settings.ts";
import { act, actWithFile, type Action } from "./action.ts";
import { anyOf } from "./any-value.ts";
import type { Draw } from "./draw.ts";
import { picture } from "./picture.ts";

const pattern = ({ random, word }: Draw) => `${random.oneOf(["#", "T", word()])}(?P<id>[0-9]+)`;
const urlTemplate = ({ word }: Draw) => `https://example.com/${word()}/{id}`;
const domain = ({ random }: Draw) => `${random.oneOf(["one", "two", "three"])}.example.org`;
const offer = ({ random, channels, groups, yes, maybe }: Draw) => ({
  stream_ids: channels().map(({ id }) => id),
  group_ids: groups(),
  invite_as: random.oneOf([100, 200, 300, 400, 600] as const),
  include_realm_default_subscriptions: yes(),
  ...maybe("invite_expires_in_minutes", () => random.oneOf([null, 60, 3000])),
});

const fieldTypes = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const options = { 0: { text: "one", order: "1" }, 1: { text: "two", order: "2" } };
const fieldData = (type: number): Record<string, string | Record<string, string>> =>
  type === 3 ? options : type === 7 ? { subtype: "github" } : {};
const fieldSettings = ({ name, text, yes, maybe }: Draw) => ({
  ...maybe("name", name),
  ...maybe("hint", text),
  ...maybe("display_in_profile_summary", yes),
  ...maybe("required", yes),
  ...maybe("editable_by_user", yes),
});
export const profileValue = (draw: Draw) => {
  const field = draw.random.oneOf(draw.has.profileFields) ?? { id: 0, type: 1 };
  const values: Record<number, string | number[]> = {
    3: draw.random.oneOf(["0", "1"]),
    4: "2024-02-29",
    5: "https://example.com",
    6: draw.people(2),
  };
  return { id: field.id, value: values[field.type] ?? draw.text() };
};

/** Numbers, in another order. */
const reordered = ({ random }: Draw, things: readonly { id: number }[]) => random.shuffled(things.map(({ id }) => id));

export const organizationActions: Action[] = [
  // Leave out settings that would lock users out, and link previews, which would fetch pages.
  act(updateRealm, (draw) => anyOf(updateRealm, draw, ["authentication_methods", "inline_url_embed_preview"])),
  act(updateDefaultSettings, (draw) => anyOf(updateDefaultSettings, draw)),
  actWithFile(uploadRealmIcon, picture, () => ({})),
  act(removeRealmIcon, () => ({})),
  actWithFile(uploadRealmLogo, picture, ({ yes }) => ({ night: yes() })),
  act(removeRealmLogo, ({ yes }) => ({ night: yes() })),
  act(addRealmDomain, (draw) => ({ domain: domain(draw), allow_subdomains: draw.yes() })),
  act(updateRealmDomain, (draw) => ({ domain: domain(draw), allow_subdomains: draw.yes() })),
  act(removeRealmDomain, (draw) => ({ domain: domain(draw) })),
  act(addLinkifier, (draw) => ({ pattern: pattern(draw), url_template: urlTemplate(draw) })),
  act(updateLinkifier, (draw) => ({
    filter_id: draw.random.oneOf(draw.has.linkifiers)?.id ?? 0,
    pattern: pattern(draw),
    url_template: urlTemplate(draw),
  })),
  act(removeLinkifier, ({ random, has }) => ({ filter_id: random.oneOf(has.linkifiers)?.id ?? 0 })),
  act(reorderLinkifiers, (draw) => ({ ordered_linkifier_ids: reordered(draw, draw.has.linkifiers) })),
  act(addPlayground, (draw) => ({
    name: draw.word(),
    pygments_language: draw.word(),
    url_template: "https://example.com/{code}",
  })),
  act(removePlayground, ({ random, has }) => ({ playground_id: random.oneOf(has.playgrounds)?.id ?? 0 })),
  actWithFile(uploadCustomEmoji, picture, ({ word }) => ({ emoji_name: word().toLowerCase() })),
  act(deactivateCustomEmoji, ({ random, has }) => ({ emoji_name: random.oneOf(has.emoji)?.name ?? "none" })),
  act(createProfileField, (draw) => {
    const field_type = draw.random.oneOf(fieldTypes);
    return { field_type, ...fieldSettings(draw), field_data: fieldData(field_type) };
  }),
  act(updateProfileField, (draw) => ({
    field_id: draw.random.oneOf(draw.has.profileFields)?.id ?? 0,
    ...fieldSettings(draw),
  })),
  act(removeProfileField, ({ random, has }) => ({ field_id: random.oneOf(has.profileFields)?.id ?? 0 })),
  act(reorderProfileFields, (draw) => ({ order: reordered(draw, draw.has.profileFields) })),
  act(updateOwnProfile, (draw) => ({ data: [profileValue(draw), profileValue(draw)] })),
  act(removeOwnProfile, ({ random, has }) => ({ data: random.some(has.profileFields, 2).map(({ id }) => id) })),
  act(sendInvitations, (draw) => ({
    ...offer(draw),
    invitee_emails: `${draw.word()}-${draw.random.below(100)}@example.com`,
    notify_referrer_on_join: draw.yes(),
  })),
  act(createInvitationLink, offer),
  act(resendInvitation, ({ random, has }) => ({ invite_id: random.oneOf(has.invitations)?.id ?? 0 })),
  act(revokeInvitation, ({ random, has }) => ({ invite_id: random.oneOf(has.invitations)?.id ?? 0 })),
  act(revokeInvitationLink, ({ random, has }) => ({ invite_id: random.oneOf(has.invitationLinks)?.id ?? 0 })),
];
