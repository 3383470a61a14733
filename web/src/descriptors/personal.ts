/** The reader's settings, grouped as a person would look for them. */
import "../text/chunks/controls.ts";
import "../text/chunks/settings.ts";
import type { SettingName } from "@skein/api/settings.ts";
import { hasPasswords } from "../store/account.ts";
import { creatableKinds, ownBots } from "../store/bots.ts";
import { part } from "../store/state.ts";
import { languageOptions } from "../text/languages.ts";
import { t, type TextKey } from "../text/t.ts";
import type { Choice, Control, Section, Setting, SettingGroup } from "./setting.ts";

/** The time zone is stored with the settings, but is none of the table's. */
const personal = (name: SettingName | "timezone", label: TextKey, control: Control, hint?: TextKey): Setting => ({
  scope: "personal",
  name,
  label,
  control,
  ...(hint === undefined ? {} : { hint }),
});

const onOff: Control = { kind: "switch" };

/** Choices stored as 1, 2, 3 …, in this order. */
const numbered = (...labels: TextKey[]): Control => ({
  kind: "choice",
  choices: labels.map((label, index): Choice => ({ value: index + 1, label })),
});

const emojisets = (): { value: string; label: string }[] =>
  (part("user_settings").value?.emojiset_choices ?? []).map(({ key, text }) => ({ value: key, label: text }));

/** Named by us where we play them; a server may have more. */
const soundNames: Readonly<Record<string, TextKey>> = { zulip: "settings.sound.chime", ding: "settings.sound.ding" };

const sounds = (): { value: string; label: string }[] => [
  ...(part("user_settings").value?.available_notification_sounds ?? []).map((value) => {
    const known = soundNames[value];
    return { value, label: known === undefined ? value : t(known) };
  }),
  { value: "none", label: t("settings.sound.none") },
];

const timeZones = (): { value: string; label: string }[] => {
  const chosen = part("user_settings").value?.timezone ?? "";
  const known = [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])];
  const zones = chosen === "" || known.includes(chosen) ? known : [chosen, ...known];
  return [
    ...(chosen === "" ? [{ value: "", label: t("settings.timezone.none") }] : []),
    ...zones.map((value) => ({ value, label: value.replaceAll("_", " ") })),
  ];
};

const appearance: SettingGroup = {
  label: "settings.appearance",
  settings: [
    personal(
      "color_scheme",
      "settings.colorScheme",
      numbered("settings.colorScheme.device", "settings.colorScheme.dark", "settings.colorScheme.light"),
    ),
    personal("high_contrast_mode", "settings.highContrast", onOff),
    personal("web_font_size_px", "settings.fontSize", { kind: "number", min: 12, max: 24, unit: "settings.pixels" }),
    personal(
      "web_line_height_percent",
      "settings.lineHeight",
      { kind: "number", min: 100, max: 200, unit: "settings.percent" },
      "settings.lineHeight.hint",
    ),
    personal("fluid_layout_width", "settings.fullWidth", onOff, "settings.fullWidth.hint"),
    personal("web_animate_image_previews", "settings.animate", {
      kind: "choice",
      choices: [
        { value: "always", label: "settings.animate.always" },
        { value: "on_hover", label: "settings.animate.onHover" },
        { value: "never", label: "settings.animate.never" },
      ],
    }),
  ],
};

const languageAndTime: SettingGroup = {
  label: "settings.languageAndTime",
  settings: [
    personal(
      "default_language",
      "settings.language",
      { kind: "list", options: languageOptions },
      "settings.language.hint",
    ),
    personal("twenty_four_hour_time", "settings.twentyFourHours", onOff),
    personal("web_suggest_update_timezone", "settings.suggestTimezone", onOff, "settings.suggestTimezone.hint"),
  ],
};

const navigation: SettingGroup = {
  label: "settings.navigation",
  settings: [
    personal("web_home_view", "settings.homeView", {
      kind: "choice",
      choices: [
        { value: "inbox", label: "settings.homeView.inbox" },
        { value: "recent_topics", label: "settings.homeView.recent" },
        { value: "all_messages", label: "settings.homeView.all" },
      ],
    }),
    personal("web_escape_navigates_to_home_view", "settings.escapeGoesHome", onOff),
    personal(
      "web_channel_default_view",
      "settings.channelView",
      numbered("settings.channelView.topics", "settings.channelView.feed"),
    ),
    personal(
      "web_stream_unreads_count_display_policy",
      "settings.channelCounts",
      numbered("settings.channelCounts.all", "settings.channelCounts.unmuted", "settings.channelCounts.none"),
    ),
    personal(
      "demote_inactive_streams",
      "settings.demote",
      numbered("settings.demote.automatic", "settings.demote.always", "settings.demote.never"),
      "settings.demote.hint",
    ),
    personal("web_left_sidebar_show_channel_folders", "settings.sidebarFolders", onOff),
    personal("web_inbox_show_channel_folders", "settings.inboxFolders", onOff),
    personal("starred_message_counts", "settings.starredCount", onOff),
  ],
};

const reading: SettingGroup = {
  label: "settings.reading",
  settings: [
    personal(
      "web_mark_read_on_scroll_policy",
      "settings.markRead",
      numbered("settings.markRead.always", "settings.markRead.conversations", "settings.markRead.never"),
      "settings.markRead.hint",
    ),
    personal("display_emoji_reaction_users", "settings.reactionNames", onOff, "settings.reactionNames.hint"),
    personal("receives_typing_notifications", "settings.seeTyping", onOff),
  ],
};

const writing: SettingGroup = {
  label: "settings.writing",
  settings: [
    personal("enter_sends", "settings.enterSends", onOff, "settings.enterSends.hint"),
    personal("translate_emoticons", "settings.emoticons", onOff, "settings.emoticons.hint"),
    personal("enable_drafts_synchronization", "settings.drafts", onOff, "settings.drafts.hint"),
  ],
};

const privacy: SettingGroup = {
  label: "settings.privacy",
  settings: [
    personal("presence_enabled", "settings.presence", onOff),
    personal("send_private_typing_notifications", "settings.typingDirect", onOff),
    personal("send_stream_typing_notifications", "settings.typingChannels", onOff),
    personal("send_read_receipts", "settings.readReceipts", onOff, "settings.readReceipts.hint"),
    personal("email_address_visibility", "settings.emailVisibility", {
      kind: "choice",
      choices: [
        { value: 1, label: "settings.emailVisibility.everyone" },
        { value: 2, label: "settings.emailVisibility.members" },
        { value: 5, label: "settings.emailVisibility.moderators" },
        { value: 3, label: "settings.emailVisibility.administrators" },
        { value: 4, label: "settings.emailVisibility.nobody" },
      ],
    }),
    personal("allow_private_data_export", "settings.privateExport", onOff, "settings.privateExport.hint"),
  ],
};

/** Stored for other clients: in this one they have nothing to change. */
const otherClients: SettingGroup = {
  label: "settings.otherClients",
  hint: "settings.otherClients.hint",
  settings: [
    personal("emojiset", "settings.emojiset", { kind: "list", options: emojisets }, "settings.emojiset.hint"),
    personal(
      "user_list_style",
      "settings.userList",
      numbered("settings.userList.compact", "settings.userList.status", "settings.userList.avatars"),
    ),
    personal("left_side_userlist", "settings.userListLeft", onOff),
    personal("web_navigate_to_sent_message", "settings.goToSent", onOff, "settings.goToSent.hint"),
    personal("hide_ai_features", "settings.hideAi", onOff, "settings.hideAi.hint"),
  ],
};

/** The rows of the notifications' table: each has a setting for every column. */
export interface NotificationRow {
  readonly label: TextKey;
  readonly settings: readonly Setting[];
}

export const notificationColumns = [
  "settings.column.desktop",
  "settings.column.sound",
  "settings.column.mobile",
  "settings.column.email",
] as const satisfies TextKey[];

export const notificationRows: readonly NotificationRow[] = [
  {
    label: "settings.row.direct",
    settings: [
      personal("enable_desktop_notifications", "settings.direct.desktop", onOff),
      personal("enable_sounds", "settings.direct.sound", onOff),
      personal("enable_offline_push_notifications", "settings.direct.mobile", onOff),
      personal("enable_offline_email_notifications", "settings.direct.email", onOff),
    ],
  },
  {
    label: "settings.row.followed",
    settings: [
      personal("enable_followed_topic_desktop_notifications", "settings.followed.desktop", onOff),
      personal("enable_followed_topic_audible_notifications", "settings.followed.sound", onOff),
      personal("enable_followed_topic_push_notifications", "settings.followed.mobile", onOff),
      personal("enable_followed_topic_email_notifications", "settings.followed.email", onOff),
    ],
  },
  {
    label: "settings.row.channels",
    settings: [
      personal("enable_stream_desktop_notifications", "settings.channels.desktop", onOff),
      personal("enable_stream_audible_notifications", "settings.channels.sound", onOff),
      personal("enable_stream_push_notifications", "settings.channels.mobile", onOff),
      personal("enable_stream_email_notifications", "settings.channels.email", onOff),
    ],
  },
];

const hour = 3600;

/** The first group is the table; the others are drawn below it. */
const notifications: readonly SettingGroup[] = [
  { label: "settings.notifyAbout", settings: notificationRows.flatMap(({ settings }) => settings) },
  {
    label: "settings.everyone",
    hint: "settings.everyone.hint",
    settings: [
      personal("wildcard_mentions_notify", "settings.wildcards", onOff),
      personal("enable_followed_topic_wildcard_mentions_notify", "settings.wildcardsFollowed", onOff),
    ],
  },
  {
    label: "settings.desktop",
    settings: [
      personal("notification_sound", "settings.sound", { kind: "list", options: sounds }),
      personal("pm_content_in_desktop_notifications", "settings.quoteDirect", onOff),
      personal(
        "desktop_icon_count_display",
        "settings.iconCount",
        numbered(
          "settings.iconCount.all",
          "settings.iconCount.followed",
          "settings.iconCount.direct",
          "settings.iconCount.none",
        ),
      ),
    ],
  },
  {
    label: "settings.mobile",
    settings: [
      personal("enable_online_push_notifications", "settings.mobileAlways", onOff, "settings.mobileAlways.hint"),
    ],
  },
  {
    label: "settings.email",
    settings: [
      personal(
        "email_notifications_batching_period_seconds",
        "settings.batching",
        { kind: "period", presets: [60, 120, 300, 600, 1800, hour, 3 * hour, 24 * hour], unit: "seconds" },
        "settings.batching.hint",
      ),
      personal("message_content_in_email_notifications", "settings.quoteInEmail", onOff),
      personal(
        "realm_name_in_email_notifications_policy",
        "settings.nameInSubject",
        numbered("settings.nameInSubject.several", "settings.nameInSubject.always", "settings.nameInSubject.never"),
      ),
      personal("enable_login_emails", "settings.loginEmails", onOff),
      personal("enable_digest_emails", "settings.digest", onOff, "settings.digest.hint"),
      personal("enable_marketing_emails", "settings.marketing", onOff),
    ],
  },
  {
    label: "settings.topics",
    settings: [
      personal(
        "automatically_follow_topics_policy",
        "settings.autoFollow",
        numbered("settings.auto.participate", "settings.auto.send", "settings.auto.start", "settings.auto.never"),
      ),
      personal("automatically_follow_topics_where_mentioned", "settings.followMentioned", onOff),
      personal("resolved_topic_notice_auto_read_policy", "settings.resolvedNotices", {
        kind: "choice",
        choices: [
          { value: "always", label: "settings.resolvedNotices.always" },
          { value: "except_followed", label: "settings.resolvedNotices.exceptFollowed" },
          { value: "never", label: "settings.resolvedNotices.never" },
        ],
      }),
      personal(
        "automatically_unmute_topics_in_muted_streams_policy",
        "settings.autoUnmute",
        numbered("settings.auto.participate", "settings.auto.send", "settings.auto.start", "settings.auto.never"),
      ),
    ],
  },
];

const timeZone: Setting = personal(
  "timezone",
  "settings.timezone",
  { kind: "list", options: timeZones },
  "settings.timezone.hint",
);

export const personalSections: readonly Section[] = [
  {
    id: "profile",
    label: "settings.profile",
    icon: "user",
    groups: [{ settings: [timeZone] }],
    items: [
      { id: "picture", label: "settings.picture" },
      { id: "name", label: "settings.name" },
      { id: "status", label: "settings.status" },
      { id: "profile-fields", label: "settings.fields" },
    ],
  },
  {
    id: "preferences",
    label: "settings.preferences",
    icon: "settings",
    groups: [appearance, languageAndTime, navigation, reading, writing, privacy, otherClients],
  },
  {
    id: "notifications",
    label: "settings.notifications",
    icon: "bell",
    groups: notifications,
    items: [
      { id: "test-notification", label: "settings.test" },
      { id: "channel-notifications", label: "settings.channelExceptions" },
    ],
  },
  {
    id: "account",
    label: "settings.account",
    icon: "lock",
    groups: [],
    items: [
      { id: "email", label: "settings.changeEmail" },
      { id: "password", label: "settings.changePassword" },
      { id: "deactivate", label: "settings.deactivate" },
    ],
  },
  {
    id: "api-keys",
    label: "settings.apiKeys",
    icon: "key-round",
    groups: [],
    items: [
      { id: "api-keys", label: "settings.createKey" },
      { id: "replace-keys", label: "settings.replaceKeys", isOffered: hasPasswords },
    ],
  },
  {
    id: "sessions",
    label: "settings.sessions",
    icon: "globe",
    groups: [],
    items: [{ id: "sessions", label: "settings.signOutOthers" }],
  },
  {
    id: "muted",
    label: "settings.muted",
    icon: "volume-x",
    groups: [],
    items: [
      { id: "muted-topics", label: "settings.mutedTopics" },
      { id: "muted-channels", label: "settings.mutedChannels" },
      { id: "muted-people", label: "settings.mutedPeople" },
    ],
  },
  {
    id: "alert-words",
    label: "settings.alertWords",
    icon: "at-sign",
    groups: [],
    items: [{ id: "alert-words", label: "settings.addAlertWord" }],
  },
  {
    id: "uploads",
    label: "settings.uploads",
    icon: "paperclip",
    groups: [],
    items: [{ id: "uploads", label: "settings.deleteUploads" }],
  },
  {
    id: "bots",
    label: "bots.title",
    icon: "bot",
    groups: [],
    items: [{ id: "bots", label: "bots.create" }],
    isShown: () => ownBots().length > 0 || creatableKinds().length > 0,
  },
  {
    id: "keyboard",
    label: "settings.keyboard",
    icon: "keyboard",
    groups: [],
    items: [
      { id: "single-keys", label: "settings.singleKeys" },
      { id: "keys", label: "keys.title" },
    ],
  },
];
