// @vitest-environment node
/**
 * No setting of the server is without a screen: everything that the registration response says about the reader, the
 * organization, a channel and a user group is described here, or named below with the reason why it is not.
 */
import { expect, test } from "vitest";
import { channelFields, updateChannel } from "@skein/api/channels.ts";
import { realmState } from "@skein/api/realm.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { settingNames, updateDefaultSettings, updateSettings } from "@skein/api/settings.ts";
import { subscriptionObject } from "@skein/api/subscriptions.ts";
import { updateUserGroup, userGroup } from "@skein/api/user-groups.ts";
import { hasText, type TextKey } from "../text/t.ts";
import { allSections } from "./sections.ts";
import { groupPermissions, groupTexts } from "./groups.ts";
import { settingsIn, type Scope, type Section, type Setting } from "./setting.ts";

/** What has no control, and why. */
type Exceptions = Readonly<Record<string, string>>;

const sections: readonly Section[] = Object.values(allSections).flat();
/** A user group has its settings on its own page. */
const settings: readonly Setting[] = [
  ...sections.flatMap(settingsIn),
  ...groupTexts.settings,
  ...groupPermissions.settings,
];
const described = (scope: Scope): string[] =>
  settings.filter((setting) => setting.scope === scope).map(({ name }) => name);

const withoutPrefix = Object.keys(realmState)
  .filter((name) => name.startsWith("realm_"))
  .map((name) => name.slice("realm_".length));

const derived = "follows from another setting, for older clients";
const fixed = "set by the operator of the server";
const record = "a fact, not a setting; shown where it matters";

/** What this client shows differently, so that there is nothing to choose. */
const ofOtherClients: Exceptions = {
  web_left_sidebar_unreads_count_summary: "stored for other clients; the sidebar here has no such sum",
};

const cases: { scope: Scope; fields: string[]; exceptions: Exceptions }[] = [
  { scope: "personal", fields: [...settingNames, "timezone"], exceptions: ofOtherClients },
  { scope: "defaults", fields: Object.keys(updateDefaultSettings.params), exceptions: ofOtherClients },
  {
    scope: "organization",
    fields: [...new Set([...withoutPrefix, ...Object.keys(updateRealm.params)])],
    exceptions: {
      create_private_stream_policy: derived,
      create_public_stream_policy: derived,
      create_web_public_stream_policy: derived,
      wildcard_mention_policy: derived,
      allow_edit_history: derived,
      topics_policy: "the same as mandatory_topics",
      email_auth_enabled: derived,
      password_auth_enabled: derived,
      uri: derived,
      icon_source: derived,
      logo_source: derived,
      night_logo_source: derived,
      date_created: record,
      url: fixed,
      bot_domain: fixed,
      plan_type: fixed,
      upload_quota_mib: fixed,
      push_notifications_enabled: fixed,
      push_notifications_enabled_end_timestamp: fixed,
      available_video_chat_providers: fixed,
      default_external_accounts: fixed,
      empty_topic_display_name: fixed,
      owner_full_content_access: "always false",
      uuid: fixed,
      default_avatar_source: "stored for other clients; both are the same pattern here",
      can_manage_billing_group: "stored for other clients; nothing is billed",
      require_e2ee_push_notifications: "stored for other clients; notifications here are not encrypted from end to end",
      want_advertise_in_communities_directory: "stored for other clients; there is no directory of organizations",
      zulip_update_announcements_stream_id: "stored for other clients; the server announces no features",
    },
  },
  {
    scope: "channel",
    fields: Object.keys(channelFields),
    exceptions: {
      stream_id: record,
      date_created: record,
      creator_id: record,
      first_message_id: record,
      is_recently_active: record,
      stream_weekly_traffic: record,
      subscriber_count: record,
      rendered_description: derived,
      is_announcement_only: derived,
      stream_post_policy: derived,
    },
  },
  {
    scope: "subscription",
    fields: Object.keys(subscriptionObject.shape).filter((name) => !(name in channelFields)),
    exceptions: {
      in_home_view: derived,
      subscribers: "the people of the channel, with a page of their own",
      partial_subscribers: "some of the people of the channel",
    },
  },
  {
    scope: "group",
    fields: Object.keys(userGroup.shape),
    exceptions: {
      id: record,
      creator_id: record,
      date_created: record,
      is_system_group: record,
      managed_by: record,
      members: "the group's people, with a list of their own",
      direct_subgroup_ids: "the group's people, with a list of their own",
      deactivated: "changed by the actions Deactivate and Reactivate",
    },
  },
];

test.each(cases)("every setting has a control: $scope", ({ scope, fields, exceptions }) => {
  const names = new Set(described(scope));
  expect(fields.filter((name) => !names.has(name) && !(name in exceptions))).toEqual([]);
});

test.each(cases)("no exception is out of date: $scope", ({ scope, fields, exceptions }) => {
  const names = new Set(described(scope));
  expect(Object.keys(exceptions).filter((name) => names.has(name) || !fields.includes(name))).toEqual([]);
});

/** Parameters that the requests accept, by scope. */
const accepted: Readonly<Record<Scope, readonly string[]>> = {
  personal: Object.keys(updateSettings.params),
  defaults: Object.keys(updateDefaultSettings.params),
  organization: [...Object.keys(updateRealm.params), "icon_url", "logo_url", "night_logo_url"],
  channel: [...Object.keys(updateChannel.params), "name", "invite_only"],
  subscription: Object.keys(subscriptionObject.shape),
  group: Object.keys(updateUserGroup.params),
};

test("the server can change every setting that is described", () => {
  const unknown = settings
    .filter(({ scope, name }) => !accepted[scope].includes(name))
    .map(({ scope, name }) => `${scope} ${name}`);
  expect(unknown).toEqual([]);
});

test("a setting is on one page only, and every label is a text", () => {
  const keys = settings.map(({ scope, name }) => `${scope} ${name}`);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  const labels = sections.flatMap((section) => [
    section.label,
    ...section.groups.flatMap(({ label, hint }) => [label, hint]),
    ...(section.items ?? []).map(({ label }) => label),
  ]);
  labels.push(...settings.flatMap(({ label, hint }) => [label, hint]));
  const keysUsed = labels.filter((label): label is TextKey => label !== undefined);
  expect(keysUsed.filter((key) => !hasText(key))).toEqual([]);
});
