import "../../text/chunks/organization.ts";
import { byName, channelsById, type Channel } from "../../store/channels.ts";
import { isGuest } from "../../store/roles.ts";
import { part } from "../../store/state.ts";
import { t } from "../../text/t.ts";
import type { Control, Section } from "../setting.ts";
import { byOwners, explained, onOff, setting, type OrganizationSetting } from "./describe.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const limit: Control = {
  kind: "period",
  presets: [2 * minute, 10 * minute, hour, day, 7 * day, 30 * day],
  unlimited: null,
  unit: "seconds",
};
const orUnlimited = { toRequest: (value: unknown) => (value === null || value === -1 ? "unlimited" : value) };

/** Channels that the reader can see, and none. One that is stored but hidden from the reader is named as such. */
const channel = (name: OrganizationSetting, isFit: (channel: Channel) => boolean = () => true): Control => ({
  kind: "list",
  options: () => {
    const stored = part(`realm_${name}` as "realm_signup_announcements_stream_id").value ?? -1; // of the same kind
    const known = [...channelsById.value.values()]
      .filter((each) => each.stream_id === stored || (!each.is_archived && isFit(each)))
      .toSorted(byName)
      .map((each) => ({ value: each.stream_id, label: `#${each.name}` }));
    const hidden =
      stored < 0 || channelsById.value.has(stored) ? [] : [{ value: stored, label: t("organization.hiddenChannel") }];
    return [{ value: -1, label: t("organization.noChannel") }, ...known, ...hidden];
  },
});

const named = (choices: () => Readonly<Record<string, { id: number; name: string }>> | undefined): Control => ({
  kind: "list",
  options: () => Object.values(choices() ?? {}).map(({ id, name }) => ({ value: id, label: name })),
});

const sendsDigests = (): boolean => part("settings_send_digest_emails").value === true;

export const messagesSection: Section = {
  id: "messages",
  label: "organization.messages",
  icon: "message-square",
  isShown: () => !isGuest(),
  groups: [
    {
      label: "organization.messages.editing",
      settings: [
        setting("allow_message_editing", onOff),
        explained("message_content_edit_limit_seconds", limit, {
          ...orUnlimited,
          isOffered: () => part("realm_allow_message_editing").value !== false,
        }),
        setting("message_edit_history_visibility_policy", {
          kind: "choice",
          choices: [
            { value: "all", label: "organization.history.all", hint: "organization.history.all.hint" },
            { value: "moves", label: "organization.history.moves", hint: "organization.history.moves.hint" },
            { value: "none", label: "organization.history.none", hint: "organization.history.none.hint" },
          ],
        }),
      ],
    },
    {
      label: "organization.messages.deleting",
      settings: [
        explained("message_content_delete_limit_seconds", limit, orUnlimited),
        explained(
          "message_retention_days",
          { kind: "period", presets: [30, 90, 180, 365, 730], unlimited: -1, unit: "days" },
          {
            ...byOwners,
            ...orUnlimited,
            // A longer period, or none, deletes nothing.
            confirm: (value, old) =>
              typeof value === "number" && value > 0 && !(typeof old === "number" && old > 0 && value >= old)
                ? {
                    title: "organization.retention.title",
                    text: "organization.retention.text",
                    values: { count: value },
                    action: "organization.retention.action",
                  }
                : undefined,
          },
        ),
      ],
    },
    {
      label: "organization.messages.moving",
      hint: "organization.messages.moving.hint",
      settings: [
        setting("move_messages_within_stream_limit_seconds", limit, orUnlimited),
        setting("move_messages_between_streams_limit_seconds", limit, orUnlimited),
      ],
    },
    {
      label: "organization.messages.content",
      settings: [
        explained("mandatory_topics", onOff),
        explained("default_code_block_language", { kind: "text", maxLength: 50 }),
        explained("inline_image_preview", onOff, {
          isOffered: () => part("server_inline_image_preview").value === true,
        }),
        explained("inline_url_embed_preview", onOff, {
          isOffered: () => part("server_inline_url_embed_preview").value === true,
        }),
        explained(
          "gif_rating_policy",
          named(() => part("gif_rating_policy_options").value),
          {
            isOffered: () => (part("giphy_api_key").value ?? "") !== "",
          },
        ),
      ],
    },
    {
      label: "organization.messages.privacy",
      settings: [explained("enable_read_receipts", onOff), explained("presence_disabled", onOff)],
    },
    {
      label: "organization.messages.mail",
      settings: [
        explained("message_content_allowed_in_email_notifications", onOff),
        explained("digest_emails_enabled", onOff, { isOffered: sendsDigests }),
        setting(
          "digest_weekday",
          {
            kind: "choice",
            choices: [
              { value: 0, label: "organization.day.monday" },
              { value: 1, label: "organization.day.tuesday" },
              { value: 2, label: "organization.day.wednesday" },
              { value: 3, label: "organization.day.thursday" },
              { value: 4, label: "organization.day.friday" },
              { value: 5, label: "organization.day.saturday" },
              { value: 6, label: "organization.day.sunday" },
            ],
          },
          { isOffered: sendsDigests },
        ),
      ],
    },
    {
      label: "organization.messages.announcements",
      settings: [
        explained("send_channel_events_messages", onOff),
        explained("new_stream_announcements_stream_id", channel("new_stream_announcements_stream_id")),
        explained("signup_announcements_stream_id", channel("signup_announcements_stream_id")),
        explained(
          "moderation_request_channel_id",
          channel("moderation_request_channel_id", ({ invite_only }) => invite_only),
        ),
      ],
    },
    {
      label: "organization.messages.calls",
      settings: [
        explained(
          "video_chat_provider",
          named(() => part("realm_available_video_chat_providers").value),
        ),
        explained(
          "jitsi_server_url",
          { kind: "text", maxLength: 200, type: "url", empty: null },
          { toRequest: (value) => value ?? "default", isOffered: () => part("realm_video_chat_provider").value === 1 },
        ),
      ],
    },
  ],
};
