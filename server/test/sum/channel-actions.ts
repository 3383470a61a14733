import { archiveChannel, createChannel, topicsPolicies, updateChannel } from "@skein/api/channels.ts";
import { createChannelFolder, reorderChannelFolders, updateChannelFolder } from "@skein/api/channel-folders.ts";
import {
  addDefaultChannel,
  createDefaultChannelGroup,
  removeDefaultChannel,
  removeDefaultChannelGroup,
  updateDefaultChannelGroup,
  updateDefaultChannelGroupChannels,
} from "@skein/api/default-channels.ts";
import {
  subscribe,
  unsubscribe,
  updateSubscriptions,
  updateSubscriptionSetting,
  updateSubscriptionSettings,
} from "@skein/api/subscriptions.ts";
import { act, type Action } from "./action.ts";
import type { Draw } from "./draw.ts";

const names = (draw: Draw, most = 2) => draw.channels(most).map(({ name }) => name);
const defaultGroup = ({ random, has }: Draw): number => random.oneOf(has.defaultGroups)?.id ?? 0;

const setting = ({ channel, random, yes }: Draw) => {
  const notification = random.oneOf([
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
  ]);
  const [property, value] = random.oneOf([
    ["color", random.oneOf(["#aabbcc", "#123"])],
    [random.oneOf(["is_muted", "in_home_view", "pin_to_top"]), yes()],
    [notification, random.oneOf([true, false, null])],
  ] as const);
  return { stream_id: channel().id, property, value };
};

const permissions = ({ maybe, groupChange }: Draw) => ({
  ...maybe("can_add_subscribers_group", groupChange),
  ...maybe("can_administer_channel_group", groupChange),
  ...maybe("can_create_topic_group", groupChange),
  ...maybe("can_move_messages_within_channel_group", groupChange),
  ...maybe("can_send_message_group", groupChange),
  ...maybe("can_subscribe_group", groupChange),
});

const folders = ({ has }: Draw): number[] => has.folders.map(({ id }) => id);
const folder = (draw: Draw): number => draw.random.oneOf(folders(draw)) ?? 0;

export const channelActions: Action[] = [
  act(createChannel, (draw) => ({
    name: draw.name(),
    description: draw.text(),
    subscribers: draw.people(3),
    invite_only: draw.yes(),
    announce: draw.random.chance(0.2),
  })),
  act(subscribe, (draw) => ({
    subscriptions: [{ name: draw.name(), description: draw.text() }],
    ...draw.maybe("principals", () => draw.people(5)),
    invite_only: draw.yes(),
    ...draw.maybe("history_public_to_subscribers", draw.yes),
    is_default_stream: draw.random.chance(0.2),
    is_web_public: draw.random.chance(0.1),
    announce: draw.random.chance(0.2),
    ...draw.maybe("can_subscribe_group", draw.groupValue),
    ...draw.maybe("can_add_subscribers_group", draw.groupValue),
  })),
  act(subscribe, (draw) => ({ subscriptions: names(draw).map((name) => ({ name })) })),
  act(subscribe, (draw) => ({
    subscriptions: names(draw).map((name) => ({ name })),
    principals: draw.people(4),
    authorization_errors_fatal: draw.yes(),
  })),
  act(unsubscribe, (draw) => ({ subscriptions: names(draw) })),
  act(unsubscribe, (draw) => ({ subscriptions: names(draw), principals: draw.people(4) })),
  act(updateSubscriptions, (draw) => ({
    add: names(draw).map((name) => ({ name, color: "#445566" })),
    delete: names(draw),
  })),
  act(updateSubscriptionSetting, setting),
  act(updateSubscriptionSettings, (draw) => ({ subscription_data: [setting(draw), setting(draw)] })),
  act(updateChannel, (draw) => ({
    stream_id: draw.channel().id,
    ...draw.maybe("new_name", draw.name),
    ...draw.maybe("description", draw.text),
  })),
  act(updateChannel, (draw) => ({
    stream_id: draw.channel().id,
    ...draw.random.oneOf([
      () => ({ is_private: true, history_public_to_subscribers: draw.yes() }),
      () => ({ is_private: false }),
      () => ({ is_web_public: draw.yes() }),
      () => ({ is_default_stream: draw.yes() }),
      () => ({ message_retention_days: draw.random.oneOf([10, "unlimited", "realm_default"] as const) }),
      () => ({ is_archived: false }),
      () => ({ folder_id: draw.random.oneOf([null, folder(draw)]) }),
      () => ({ topics_policy: draw.random.oneOf(topicsPolicies) }),
    ])(),
  })),
  act(updateChannel, (draw) => ({ stream_id: draw.channel().id, ...permissions(draw) })),
  act(archiveChannel, ({ channel }) => ({ stream_id: channel().id })),
  act(addDefaultChannel, ({ channel }) => ({ stream_id: channel().id })),
  act(removeDefaultChannel, ({ channel }) => ({ stream_id: channel().id })),
  act(createChannelFolder, (draw) => ({ name: draw.name(), description: draw.text() })),
  act(updateChannelFolder, (draw) => ({
    channel_folder_id: folder(draw),
    ...draw.maybe("name", draw.name),
    ...draw.maybe("is_archived", draw.yes),
  })),
  act(reorderChannelFolders, (draw) => ({ order: folders(draw).toReversed() })),
  act(createDefaultChannelGroup, (draw) => ({
    group_name: draw.name(),
    description: draw.text(),
    stream_names: names(draw),
  })),
  act(updateDefaultChannelGroup, (draw) => ({
    group_id: defaultGroup(draw),
    ...draw.maybe("new_group_name", draw.name),
    ...draw.maybe("new_description", draw.text),
  })),
  act(updateDefaultChannelGroupChannels, (draw) => ({
    group_id: defaultGroup(draw),
    op: draw.random.oneOf(["add", "remove"]),
    stream_names: names(draw),
  })),
  act(removeDefaultChannelGroup, (draw) => ({ group_id: defaultGroup(draw) })),
];
