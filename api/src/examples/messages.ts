import { channels, people } from "./demo.ts";
import { act, type Examples, from, take } from "./example.ts";

const message = take(
  "message_id",
  "sendMessage",
  { type: "channel", to: channels.engineering, topic: "API examples", content: "Shall we try *this*?" },
  ".id",
);
const poll = take(
  "message_id",
  "sendMessage",
  { type: "channel", to: channels.random, topic: "Lunch", content: "/poll Where do we eat?\nThe noodle place" },
  ".id",
);
const topic = take(
  "message_id",
  "sendMessage",
  { type: "channel", to: channels.random, topic: "Old experiment", content: "This can go." },
  ".id",
);

export const messages = {
  sendMessage: {
    params: { type: "channel", to: "engineering", topic: "API examples", content: "Hello from the **API**! :wave:" },
  },
  getMessages: {
    params: {
      anchor: "newest",
      num_before: 2,
      num_after: 0,
      narrow: [
        { operator: "channel", operand: "engineering" },
        { operator: "has", operand: "link" },
      ],
    },
  },
  renderMessage: { params: { content: "Thanks, @**Maya Cohen**! See #**design**." } },
  getMessage: { first: [message], params: { message_id: from("message_id") } },
  updateMessage: { first: [message], params: { message_id: from("message_id"), content: "Shall we try **that**?" } },
  deleteMessage: { first: [message], params: { message_id: from("message_id") } },
  matchNarrow: {
    first: [message],
    params: { msg_ids: [from("message_id")], narrow: [{ operator: "search", operand: "try" }] },
  },
  getMessageHistory: { first: [message], params: { message_id: from("message_id") } },
  deleteTopic: { first: [topic], params: { stream_id: channels.random, topic_name: "Old experiment" } },
  addReaction: { first: [message], params: { message_id: from("message_id"), emoji_name: "tada" } },
  removeReaction: {
    first: [message, act("addReaction", { message_id: from("message_id"), emoji_name: "octopus" })],
    params: { message_id: from("message_id"), emoji_name: "octopus" },
  },
  reportMessage: {
    first: [
      message,
      act("subscribe", { subscriptions: [{ name: "moderation" }], invite_only: true }),
      take("channel_id", "getChannelId", { stream: "moderation" }, ".stream_id"),
      act("updateRealm", { moderation_request_channel_id: from("channel_id") }),
    ],
    params: { message_id: from("message_id"), report_type: "norms", description: "Let us stay on topic." },
  },
  addSubmessage: {
    first: [poll],
    params: {
      message_id: from("message_id"),
      msg_type: "widget",
      content: '{"type":"new_option","idx":1,"option":"The market"}',
    },
  },
  updateMessageFlags: {
    first: [message],
    params: { messages: [from("message_id")], op: "add", flag: "starred" },
  },
  updateMessageFlagsForNarrow: {
    params: {
      anchor: "newest",
      num_before: 20,
      num_after: 0,
      narrow: [{ operator: "channel", operand: "design" }],
      op: "add",
      flag: "read",
    },
  },
  markAllAsRead: { params: {} },
  markChannelAsRead: { params: { stream_id: channels.design } },
  markTopicAsRead: { params: { stream_id: channels.general, topic_name: "Questions for the all-hands" } },
  getReadReceipts: { first: [message], params: { message_id: from("message_id") } },
  getMessagesSummary: {
    params: { narrow: [{ operator: "channel", operand: "engineering" }] },
    refused: "The demo's server has no language model.",
  },
} satisfies Examples;

const tomorrow = 1924992000;
const scheduled = take("scheduled_message_id", "createScheduledMessage", {
  type: "channel",
  to: channels.general,
  topic: "Reminders",
  content: "The report is due today.",
  scheduled_delivery_timestamp: tomorrow,
});
const reminder = take("reminder_id", "createReminder", {
  message_id: from("message_id"),
  scheduled_delivery_timestamp: tomorrow,
});
const draft = take(
  "draft_id",
  "createDrafts",
  { drafts: [{ type: "stream", to: [channels.general], topic: "Ideas", content: "What if we" }] },
  ".ids[0]",
);
const snippet = take("saved_snippet_id", "createSavedSnippet", { title: "Thanks", content: "Thank you, merged!" });

export const writing = {
  getScheduledMessages: { params: {} },
  createScheduledMessage: {
    params: {
      type: "channel",
      to: channels.general,
      topic: "Reminders",
      content: "The report is due today.",
      scheduled_delivery_timestamp: tomorrow,
    },
  },
  updateScheduledMessage: {
    first: [scheduled],
    params: { scheduled_message_id: from("scheduled_message_id"), content: "The report is due at noon." },
  },
  deleteScheduledMessage: {
    first: [scheduled],
    params: { scheduled_message_id: from("scheduled_message_id") },
  },
  getReminders: { params: {} },
  createReminder: {
    first: [message],
    params: {
      message_id: from("message_id"),
      scheduled_delivery_timestamp: tomorrow,
      note: "Ask again if nobody has answered.",
    },
  },
  deleteReminder: { first: [message, reminder], params: { reminder_id: from("reminder_id") } },
  getNavigationViews: { params: {} },
  addNavigationView: { params: { fragment: "narrow/is/starred", is_pinned: true } },
  editNavigationView: {
    first: [act("addNavigationView", { fragment: "inbox", is_pinned: false })],
    params: { fragment: "inbox", is_pinned: true },
  },
  removeNavigationView: {
    first: [act("addNavigationView", { fragment: "recent", is_pinned: false })],
    params: { fragment: "recent" },
  },
  getDrafts: { params: {} },
  createDrafts: {
    params: {
      drafts: [
        { type: "stream", to: [channels.general], topic: "Ideas", content: "What if we" },
        { type: "private", to: [people.maya], topic: "", content: "Do you have a minute" },
      ],
    },
  },
  editDraft: {
    first: [draft],
    params: {
      draft_id: from("draft_id"),
      draft: { type: "stream", to: [channels.general], topic: "Ideas", content: "What if we met outside?" },
    },
  },
  deleteDraft: { first: [draft], params: { draft_id: from("draft_id") } },
  getSavedSnippets: { params: {} },
  createSavedSnippet: { params: { title: "Welcome", content: "Welcome, and ask us anything!" } },
  editSavedSnippet: {
    first: [snippet],
    params: { saved_snippet_id: from("saved_snippet_id"), content: "Thank you! It is merged." },
  },
  deleteSavedSnippet: { first: [snippet], params: { saved_snippet_id: from("saved_snippet_id") } },
  setTypingStatus: { params: { op: "start", to: [people.maya] } },
  setEditTypingStatus: { first: [message], params: { message_id: from("message_id"), op: "start" } },
} satisfies Examples;
