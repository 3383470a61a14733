import { channels, people } from "./demo.ts";
import { act, type Examples, from, take } from "./example.ts";

const createChannel = (name: string) => act("subscribe", { subscriptions: [{ name }] });

/** Creates a group of default channels. Its id is known from registration only. */
const newGroup = (group_name: string) => [
  act("createDefaultChannelGroup", { group_name, description: "For everyone who builds it.", stream_names: [] }),
  take(
    "group_id",
    "register",
    { event_types: ["message"], fetch_event_types: ["default_stream_groups"] },
    ".realm_default_stream_groups[0].id",
  ),
];

export const channelExamples = {
  createChannel: {
    params: { name: "seed library", description: "Who has which seeds.", subscribers: [people.owner, people.maya] },
  },
  createChannelFolder: { params: { name: "Company", description: "What concerns *everybody*." } },
  getChannelFolders: { params: {} },
  reorderChannelFolders: {
    first: [
      act("createChannelFolder", { name: "Product" }),
      take("order", "getChannelFolders", { include_archived: true }, ".channel_folders[].id"),
    ],
    params: { order: from("order") },
  },
  updateChannelFolder: {
    first: [take("channel_folder_id", "createChannelFolder", { name: "Projects" }, ".channel_folder_id")],
    params: { channel_folder_id: from("channel_folder_id"), name: "Our projects" },
  },
  getChannels: { params: { include_public: true } },
  getChannel: { params: { stream_id: channels.engineering } },
  updateChannel: { params: { stream_id: channels.random, description: "Everything else, *and cake*." } },
  archiveChannel: {
    first: [createChannel("spring campaign"), take("stream_id", "getChannelId", { stream: "spring campaign" })],
    params: { stream_id: from("stream_id") },
  },
  getChannelId: { params: { stream: "engineering" } },
  getSubscribers: { params: { stream_id: channels.engineering } },
  getChannelEmailAddress: { params: { stream_id: channels.engineering } },
  getTopics: { params: { stream_id: channels.engineering } },
  createBigBlueButtonCall: {
    params: { meeting_name: "Daily stand-up" },
    refused: "The demo's server has no BigBlueButton.",
  },
  createConstructorGroupsCall: {
    params: {},
    refused: "The demo's server is not connected to Constructor Groups.",
  },
  createNextcloudTalkCall: {
    params: { room_name: "Planning" },
    refused: "The demo's server is not connected to Nextcloud.",
  },
  createZoomCall: { params: { is_video_call: true }, refused: "The demo's server is not connected to Zoom." },
  subscribe: {
    params: {
      subscriptions: [{ name: "field trials", description: "What grows where." }],
      principals: [people.owner, people.maya],
    },
  },
  getSubscriptions: { params: {} },
  unsubscribe: {
    first: [createChannel("beekeeping")],
    params: { subscriptions: ["beekeeping"] },
  },
  updateSubscriptions: { params: { add: [{ name: "compost", color: "#76ce90" }], delete: ["support"] } },
  updateSubscriptionSettings: {
    params: { subscription_data: [{ stream_id: channels.design, property: "pin_to_top", value: true }] },
  },
  updateSubscriptionSetting: { params: { stream_id: channels.design, property: "color", value: "#76ce90" } },
  getUserChannels: { params: { user_id: people.maya } },
  getSubscriptionStatus: { params: { user_id: people.maya, stream_id: channels.engineering } },
  addDefaultChannel: { params: { stream_id: channels.design } },
  removeDefaultChannel: {
    first: [act("addDefaultChannel", { stream_id: channels.infrastructure })],
    params: { stream_id: channels.infrastructure },
  },
  createDefaultChannelGroup: {
    params: { group_name: "Newcomers", description: "A good place to begin.", stream_names: ["support"] },
  },
  updateDefaultChannelGroup: {
    first: newGroup("Product"),
    params: { group_id: from("group_id"), new_group_name: "Builders" },
  },
  removeDefaultChannelGroup: { first: newGroup("Gardeners"), params: { group_id: from("group_id") } },
  updateDefaultChannelGroupChannels: {
    first: newGroup("Visitors"),
    params: { group_id: from("group_id"), op: "add", stream_names: ["mobile"] },
  },
  updateUserTopic: {
    params: { stream_id: channels.general, topic: "Questions for the all-hands", visibility_policy: 3 },
  },
  muteTopic: { params: { stream_id: channels.random, topic: "Lunch", op: "add" } },
} satisfies Examples;
