/** A channel's settings, and the reader's own for it. */
import "../text/chunks/channel.ts";
import "../text/chunks/channel-settings.ts";
import "../text/chunks/channel.ts";
import type { SettingName } from "@skein/api/settings.ts";
import { channelPermissions } from "../store/channel-permissions.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import type { Choice, Control, Section, Setting } from "./setting.ts";

type NotificationName =
  | "desktop_notifications"
  | "audible_notifications"
  | "push_notifications"
  | "email_notifications"
  | "wildcard_mentions_notify";

/** The reader's setting for all channels. */
const forAllChannels: Readonly<Record<NotificationName, SettingName>> = {
  desktop_notifications: "enable_stream_desktop_notifications",
  audible_notifications: "enable_stream_audible_notifications",
  push_notifications: "enable_stream_push_notifications",
  email_notifications: "enable_stream_email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
};

/** On, off, or as in all channels, which says what that is now. */
const notification = (name: NotificationName): Setting => ({
  scope: "subscription",
  name,
  label: `channelSettings.${name}`,
  control: {
    kind: "list",
    options: () => [
      {
        value: null,
        label: t(
          part("user_settings").value?.[forAllChannels[name]] === true
            ? "channelSettings.asElsewhereOn"
            : "channelSettings.asElsewhereOff",
        ),
      },
      { value: true, label: t("channelSettings.on") },
      { value: false, label: t("channelSettings.off") },
    ],
  },
});

const ofChannel = (name: ChannelSettingName, control: Control = { kind: "own" }): Setting => ({
  scope: "channel",
  name,
  label: `channelSettings.${name}`,
  control,
});

type ChannelSettingName =
  | "name"
  | "description"
  | "invite_only"
  | "history_public_to_subscribers"
  | "is_web_public"
  | "folder_id"
  | "is_default_stream"
  | "message_retention_days"
  | "is_archived";

const permissions = (group: keyof typeof channelPermissions): Setting[] =>
  channelPermissions[group].map((name) => ({
    scope: "channel",
    name,
    label: `channelSettings.${name}`,
    hint: `channelSettings.${name}Hint`,
    control: { kind: "permission" },
  }));

const policyNames = ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"] as const;

/** Which topics there are. */
export const topicsPolicies = policyNames.map((value) => ({
  value,
  label: `channelSettings.topics.${value}`,
  hint: `channelSettings.topics.${value}Hint`,
})) satisfies Choice[];

const topicsPolicy: Setting = {
  scope: "channel",
  name: "topics_policy",
  label: "channelSettings.topics_policy",
  control: { kind: "choice", choices: topicsPolicies },
};

/** None, and the folders in use. */
export const folderOptions = (): { value: number | null; label: string }[] => [
  { value: null, label: t("channelSettings.noFolder") },
  ...(part("channel_folders").value ?? [])
    .filter(({ is_archived }) => !is_archived)
    .map(({ id, name }) => ({ value: id, label: name })),
];

const maxNameLength = 60;
const maxDescriptionLength = 1024;

export const channelSections: readonly Section[] = [
  {
    id: "general",
    label: "channelSettings.general",
    icon: "settings",
    groups: [
      {
        settings: [
          ofChannel("name", { kind: "text", maxLength: maxNameLength, isRequired: true }),
          {
            ...ofChannel("description", { kind: "text", maxLength: maxDescriptionLength, rows: 3 }),
            hint: "channelSettings.descriptionHint",
          },
        ],
      },
      {
        // Three properties in one control.
        settings: [
          ofChannel("invite_only"),
          ofChannel("history_public_to_subscribers"),
          { ...ofChannel("is_web_public"), isOffered: () => part("server_web_public_streams_enabled").value === true },
        ],
      },
      {
        settings: [
          {
            ...ofChannel("folder_id", { kind: "list", options: folderOptions }),
            hint: "channelSettings.folder_idHint",
            isOffered: () => folderOptions().length > 1,
          },
          {
            ...ofChannel("is_default_stream"),
            hint: "channelSettings.is_default_streamHint",
            changedBy: "administrators",
          },
          { ...ofChannel("message_retention_days"), changedBy: "owners" },
          ofChannel("is_archived"),
        ],
      },
    ],
    items: [{ id: "email", label: "channelSettings.email" }],
  },
  {
    // As in the addresses of other clients.
    id: "subscribers",
    label: "channel.people",
    icon: "users",
    groups: [],
    items: [
      { id: "add", label: "channelSettings.add" },
      { id: "list", label: "channelSettings.subscribers" },
    ],
  },
  {
    id: "permissions",
    label: "channelSettings.permissions",
    icon: "lock",
    groups: [
      { label: "channelSettings.group.messages", settings: permissions("messages") },
      { label: "channelSettings.group.topics", settings: [topicsPolicy, ...permissions("topics")] },
      { label: "channelSettings.group.people", settings: permissions("people") },
    ],
  },
  {
    id: "personal",
    label: "channelSettings.personal",
    icon: "bell",
    groups: [
      {
        label: "channelSettings.sidebar",
        settings: [
          { scope: "subscription", name: "color", label: "channelSettings.color", control: { kind: "own" } },
          {
            scope: "subscription",
            name: "pin_to_top",
            label: "channelSettings.pin",
            control: { kind: "switch" },
          },
          {
            scope: "subscription",
            name: "is_muted",
            label: "channelSettings.mute",
            hint: "channelSettings.muteHint",
            control: { kind: "switch" },
          },
        ],
      },
      {
        label: "channelSettings.notifications",
        hint: "channelSettings.notificationsHint",
        settings: [
          notification("desktop_notifications"),
          notification("audible_notifications"),
          notification("push_notifications"),
          notification("email_notifications"),
          notification("wildcard_mentions_notify"),
        ],
      },
    ],
    items: [{ id: "leave", label: "channel.leave" }],
  },
];
