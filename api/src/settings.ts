/**
 * A user's settings, declared once: name, type, default value and group. Parameters, fields of the registration response
 * and events are all derived from this table. Clients without the `user_settings_object` capability also receive the two
 * legacy groups as top-level fields of the response and as separate events.
 */
import { z } from "zod";
import { endpoint, json, list, manyIds } from "./endpoint.ts";
import { languageCode } from "./languages.ts";
import { timeZone } from "./time-zone.ts";

export type SettingGroup = "display-legacy" | "notification-legacy" | "general" | "notification";

export const emojisets = ["google", "google-blob", "twitter", "text"] as const;
export const notificationSounds = ["zulip", "ding"] as const;

const maxBatchingSeconds = 7 * 24 * 3600;
const maxSize = 1000;

const group =
  <G extends SettingGroup>(name: G) =>
  <T extends z.ZodType>(schema: T, fallback: z.output<T>, description: string) => ({
    schema: schema.describe(description),
    default: fallback,
    group: name,
    description,
  });

const display = group("display-legacy");
const notify = group("notification-legacy");
const general = group("general");
const notification = group("notification");

const yesNo = z.boolean();
const oneTwoThree = z.literal([1, 2, 3]);
const topicPolicy = z.literal([1, 2, 3, 4]);

export const userSettings = {
  color_scheme: display(oneTwoThree, 1, "1 as the device says, 2 dark, 3 light."),
  default_language: display(languageCode, "en", "The language of the interface and of e-mail, as a language code."),
  web_home_view: display(
    z.enum(["inbox", "recent", "recent_topics", "all_messages"]),
    "inbox",
    "What a client shows first. recent and recent_topics mean the same; each account is told the word it was set with.",
  ),
  demote_inactive_streams: display(
    oneTwoThree,
    1,
    "Whether inactive channels are listed last: 1 when there are many, 2 always, 3 never.",
  ),
  emojiset: display(z.enum(emojisets), "google", "Which emoji set is used."),
  enable_drafts_synchronization: display(yesNo, true, "Whether drafts are kept on the server."),
  enter_sends: display(yesNo, false, "Whether Enter sends the message rather than starting a new line."),
  fluid_layout_width: display(yesNo, false, "Whether the web page uses the whole width of the window."),
  high_contrast_mode: display(yesNo, false, "Whether colors have more contrast."),
  left_side_userlist: display(yesNo, false, "Whether a narrow window has the list of users on the left."),
  starred_message_counts: display(yesNo, true, "Whether the number of starred messages is shown."),
  translate_emoticons: display(yesNo, false, "Whether emoticons typed in a message become emoji."),
  twenty_four_hour_time: display(yesNo, false, "Whether times are shown in 24-hour format."),

  desktop_icon_count_display: notify(
    topicPolicy,
    1,
    "What the icon counts: 1 all unread, 2 direct messages, mentions and followed topics, 3 the first two of these, 4 nothing.",
  ),
  email_notifications_batching_period_seconds: notify(
    z.int().min(1).max(maxBatchingSeconds),
    120,
    "How many seconds to batch messages before sending an e-mail.",
  ),
  enable_desktop_notifications: notify(yesNo, true, "Desktop notifications for direct messages and mentions."),
  enable_digest_emails: notify(yesNo, true, "A digest by e-mail after a time away."),
  enable_login_emails: notify(yesNo, true, "An e-mail about each sign-in from a new device."),
  enable_marketing_emails: notify(yesNo, true, "E-mail about the product."),
  enable_offline_email_notifications: notify(yesNo, true, "E-mail for direct messages and mentions while away."),
  enable_offline_push_notifications: notify(
    yesNo,
    true,
    "Mobile notifications for direct messages and mentions while away.",
  ),
  enable_online_push_notifications: notify(yesNo, true, "Mobile notifications even while active elsewhere."),
  enable_sounds: notify(yesNo, true, "A sound for direct messages and mentions."),
  enable_stream_audible_notifications: notify(yesNo, false, "A sound for channel messages."),
  enable_stream_desktop_notifications: notify(yesNo, false, "Desktop notifications for channel messages."),
  enable_stream_email_notifications: notify(yesNo, false, "E-mail for channel messages."),
  enable_stream_push_notifications: notify(yesNo, false, "Mobile notifications for channel messages."),
  message_content_in_email_notifications: notify(yesNo, true, "Whether e-mail quotes the message."),
  notification_sound: notify(
    z.enum([...notificationSounds, "none"]),
    "zulip",
    "Which sound is played; none for silence.",
  ),
  pm_content_in_desktop_notifications: notify(yesNo, true, "Whether desktop notifications quote direct messages."),
  presence_enabled: notify(yesNo, true, "Whether others see when the user is active."),
  realm_name_in_email_notifications_policy: notify(
    oneTwoThree,
    1,
    "Whether the organization's name is in the subject of e-mail: 1 for members of several, 2 always, 3 never.",
  ),
  wildcard_mentions_notify: notify(yesNo, true, "Whether mentions of everybody count as mentions."),

  display_emoji_reaction_users: general(yesNo, true, "Whether reactions show names when only a few people reacted."),
  email_address_visibility: general(
    z.literal([1, 2, 3, 4, 5]),
    1,
    "Who sees the real address: 1 everybody, 2 members, 3 administrators, 4 nobody, 5 moderators.",
  ),
  web_escape_navigates_to_home_view: general(yesNo, true, "Whether Escape goes to the home view."),
  receives_typing_notifications: general(yesNo, true, "Whether to receive typing notifications of others."),
  send_private_typing_notifications: general(yesNo, true, "Whether to send typing notifications in direct messages."),
  send_read_receipts: general(yesNo, true, "Whether others can see which messages the user has read."),
  send_stream_typing_notifications: general(yesNo, true, "Whether to send typing notifications in channels."),
  allow_private_data_export: general(yesNo, false, "Whether administrators may export private data."),
  web_mark_read_on_scroll_policy: general(
    oneTwoThree,
    1,
    "Whether scrolling marks as read: 1 always, 2 in conversations, 3 never.",
  ),
  web_channel_default_view: general(
    z.literal([1, 2, 3, 4]),
    1,
    "What a click on a channel opens: 1 its top topic, 2 all of it, 3 the list of its topics, 4 its topmost unread topic.",
  ),
  user_list_style: general(oneTwoThree, 3, "The list of users: 1 compact, 2 with status, 3 with avatar and status."),
  web_animate_image_previews: general(
    z.enum(["always", "on_hover", "never"]),
    "on_hover",
    "When animated images move.",
  ),
  web_stream_unreads_count_display_policy: general(
    oneTwoThree,
    2,
    "Which channels show an unread count: 1 all, 2 those that are not muted, 3 none.",
  ),
  web_font_size_px: general(z.int().min(1).max(maxSize), 16, "The size of text, in pixels."),
  web_line_height_percent: general(
    z.int().min(1).max(maxSize),
    140,
    "The height of lines, in percent of the text's size.",
  ),
  web_navigate_to_sent_message: general(
    yesNo,
    true,
    "Whether the view switches to the conversation of a message after sending it.",
  ),
  web_suggest_update_timezone: general(yesNo, true, "Whether to offer a new time zone when the device's differs."),
  web_left_sidebar_unreads_count_summary: general(yesNo, true, "Whether the left sidebar sums up unread counts."),
  web_left_sidebar_show_channel_folders: general(yesNo, true, "Whether the left sidebar groups channels by folder."),
  web_inbox_show_channel_folders: general(yesNo, true, "Whether the inbox groups channels by folder."),
  resolved_topic_notice_auto_read_policy: general(
    z.enum(["always", "except_followed", "never"]),
    "except_followed",
    "Which notices that a topic was resolved or reopened are marked as read: all, all but those of followed topics, or none.",
  ),
  hide_ai_features: general(yesNo, false, "Whether features that use language models are hidden."),

  enable_followed_topic_desktop_notifications: notification(yesNo, true, "Desktop notifications for followed topics."),
  enable_followed_topic_email_notifications: notification(yesNo, true, "E-mail for followed topics."),
  enable_followed_topic_push_notifications: notification(yesNo, true, "Mobile notifications for followed topics."),
  enable_followed_topic_audible_notifications: notification(yesNo, true, "A sound for followed topics."),
  enable_followed_topic_wildcard_mentions_notify: notification(
    yesNo,
    true,
    "Whether mentions of everybody count as mentions in followed topics.",
  ),
  automatically_follow_topics_policy: notification(
    topicPolicy,
    3,
    "Which topics are followed automatically: those the user 1 participates in, 2 sends messages to, 3 starts; 4 none.",
  ),
  automatically_unmute_topics_in_muted_streams_policy: notification(
    topicPolicy,
    2,
    "Which topics of muted channels are unmuted automatically: those the user 1 participates in, 2 sends messages to, 3 starts; 4 none.",
  ),
  automatically_follow_topics_where_mentioned: notification(
    yesNo,
    true,
    "Whether a topic is followed automatically when the user is mentioned in it.",
  ),
};

export type SettingName = keyof typeof userSettings;
export type UserSettings = { [K in SettingName]: z.output<(typeof userSettings)[K]["schema"]> };

// Object.keys and fromEntries only know strings; the names and types are those of the table.
export const settingNames = Object.keys(userSettings) as SettingName[];

export const settingNamesIn = (wanted: SettingGroup): SettingName[] =>
  settingNames.filter((name) => userSettings[name].group === wanted);

/** Settings for which an organization cannot choose a default: it comes from elsewhere, or the choice is personal. */
const personalSettings = [
  "default_language",
  "enable_login_emails",
  "enable_marketing_emails",
  "allow_private_data_export",
] as const satisfies SettingName[];
type PersonalSetting = (typeof personalSettings)[number];

/** The default of every setting. */
export const defaultUserSettings = Object.fromEntries(
  settingNames.map((name) => [name, userSettings[name].default]),
) as UserSettings;

type SchemasOf<Names extends SettingName> = { [K in Names]: (typeof userSettings)[K]["schema"] };

export const settingSchemas = Object.fromEntries(
  settingNames.map((name) => [name, userSettings[name].schema]),
) as SchemasOf<SettingName>;

type NamesIn<G extends SettingGroup> = {
  [K in SettingName]: (typeof userSettings)[K]["group"] extends G ? K : never;
}[SettingName];

const schemasIn = <G extends SettingGroup>(wanted: G) =>
  Object.fromEntries(settingNamesIn(wanted).map((name) => [name, userSettings[name].schema])) as SchemasOf<NamesIn<G>>;

const choices = {
  emojiset_choices: z
    .array(z.strictObject({ key: z.string(), text: z.string() }))
    .describe("The values of emojiset, with names to show."),
  available_notification_sounds: z.array(z.string()).describe("The values of notification_sound."),
};
const timezone = z.string().describe("An IANA time zone, or empty when none was chosen.");

export const userSettingsObject = z
  .strictObject({ ...settingSchemas, timezone, ...choices })
  .meta({ id: "UserSettings" });

/** The fields of the registration response under the names of the four types of settings events. */
export const settingState = { user_settings: userSettingsObject };
export const defaultSettingState = {
  realm_user_settings_defaults: z
    .strictObject({ ...settingSchemas, ...choices })
    .meta({ id: "UserSettingsDefaults" })
    .describe("The default settings for new users."),
};
export const displaySettingState = {
  ...schemasIn("display-legacy"),
  timezone,
  emojiset_choices: choices.emojiset_choices,
};
export const notificationSettingState = {
  ...schemasIn("notification-legacy"),
  available_notification_sounds: choices.available_notification_sounds,
};

const value = z.union([z.boolean(), z.int(), z.string()]);
const languageName = z.string().optional().describe("With default_language: the name of the language.");

export const userSettingsEvent = z.strictObject({
  type: z.literal("user_settings"),
  op: z.literal("update"),
  property: z.string(),
  value,
  language_name: languageName,
});

export const displaySettingsEvent = z.strictObject({
  type: z.literal("update_display_settings"),
  user: z.string(),
  setting_name: z.string(),
  setting: value,
  language_name: languageName,
});

export const notificationSettingsEvent = z.strictObject({
  type: z.literal("update_global_notifications"),
  user: z.string(),
  notification_name: z.string(),
  setting: value,
});

export const defaultSettingsEvent = z.strictObject({
  type: z.literal("realm_user_settings_defaults"),
  op: z.literal("update"),
  property: z.string(),
  value,
});

export const settingEvents = [
  userSettingsEvent,
  displaySettingsEvent,
  notificationSettingsEvent,
  defaultSettingsEvent,
] as const;

/** Strings are sent as they are, everything else as JSON. */
type ParamOf<S extends z.ZodType> = z.ZodOptional<S extends z.ZodType<string, string> ? S : z.ZodCodec<z.ZodString, S>>;
type ParamsFor<Names extends SettingName> = { [K in Names]: ParamOf<(typeof userSettings)[K]["schema"]> };

function paramsFor<Names extends SettingName>(names: readonly Names[]): ParamsFor<Names> {
  const params = names.map((name) => {
    const { schema, description } = userSettings[name];
    return [name, (schema instanceof z.ZodEnum ? schema : json(schema)).optional().describe(description)];
  });
  return Object.fromEntries(params) as ParamsFor<Names>; // keyed by the given names
}

const targetUsers = z.strictObject({
  user_ids: list(z.int(), manyIds).default([]).describe("These users. Bots are passed over."),
  group_ids: list(z.int()).default([]).describe("The members of these user groups."),
  skip_if_already_edited: z
    .boolean()
    .default(false)
    .describe("Whether to leave alone what people have changed themselves."),
});
export type TargetUsers = z.output<typeof targetUsers>;

export const updateSettings = endpoint({
  operation: "update-settings",
  method: "PATCH",
  path: "/settings",
  auth: "user",
  scope: "account",
  area: "Settings",
  summary: "Update settings",
  description:
    "Change the caller's own settings, or those of target_users. Either all given settings are changed or, on an error, " +
    "none. Bots have no settings of their own.",
  params: {
    full_name: z.string().optional().describe("A new name."),
    email: z
      .string()
      .optional()
      .describe(
        "A new e-mail address. A confirmation link is sent there; the address changes once the link is opened.",
      ),
    old_password: z.string().optional().describe("The current password; required with new_password."),
    new_password: z.string().optional().describe("A new password."),
    timezone: timeZone.optional().describe("An IANA time zone."),
    target_users: json(targetUsers)
      .optional()
      .describe("Whose settings to change, in place of the caller's. For administrators, and not for every setting."),
    ...paramsFor(settingNames),
  },
  returns: {},
});

const olderName = (operation: string, path: string) => ({
  ...updateSettings,
  operation,
  path,
  summary: `${updateSettings.summary} (older address)`,
  description: "An older path of PATCH /settings.",
  deprecated: true,
});
export const updateDisplaySettings = olderName("update-display-settings", "/settings/display");
export const updateNotificationSettings = olderName("update-notification-settings", "/settings/notifications");

const sharedSettings = settingNames.filter(
  (name): name is Exclude<SettingName, PersonalSetting> => !(personalSettings as readonly string[]).includes(name),
);

export const updateDefaultSettings = endpoint({
  operation: "update-realm-user-settings-defaults",
  method: "PATCH",
  path: "/realm/user_settings_defaults",
  auth: "user",
  scope: "admin",
  area: "Settings",
  summary: "Update the default settings for new users",
  description:
    "Change the default settings for new users. The settings of existing users do not change. For administrators only.",
  params: paramsFor(sharedSettings),
  returns: {},
});

export const endpoints = [updateSettings, updateDisplaySettings, updateNotificationSettings, updateDefaultSettings];
