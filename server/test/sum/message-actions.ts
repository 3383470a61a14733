import { deleteMessage, deleteTopic } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import {
  markAllAsRead,
  markChannelAsRead,
  markTopicAsRead,
  updateMessageFlags,
  updateMessageFlagsForNarrow,
} from "@skein/api/flags.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { addReaction, removeReaction } from "@skein/api/reactions.ts";
import { reportMessage, reportTypes } from "@skein/api/reports.ts";
import { addSubmessage } from "@skein/api/submessages.ts";
import { removeAttachment, uploadFile } from "@skein/api/uploads.ts";
import { act, actWithFile, type Action } from "./action.ts";
import type { Draw } from "./draw.ts";
import { picture } from "./picture.ts";

/** Without wildcard mentions, because whether they count depends on what is muted at registration. */
export const content = ({ text, random, has, word, group }: Draw): string =>
  random.oneOf([
    () => text() || "words",
    () => "/poll lunch?",
    () => `@*${group().name}* ${word()}`,
    () => `@**|${random.oneOf(has.people)?.id ?? 0}** ${word()}`,
  ])();

export const place = (draw: Draw) => {
  if (draw.random.chance(0.3)) return { type: "direct", to: draw.people(2) } as const;
  const { channel, name } = draw.topic();
  return { type: "channel", to: channel, topic: name } as const;
};

const mode = ({ random }: Draw) => random.oneOf(["change_one", "change_later", "change_all"]);
const notices = (draw: Draw) => ({
  send_notification_to_old_thread: draw.random.chance(0.2),
  send_notification_to_new_thread: draw.random.chance(0.2),
});
const someName = (draw: Draw): string => (draw.random.chance(0.2) ? `✔ ${draw.topic().name}` : draw.topic().name);

const emoji = ({ random }: Draw) => random.oneOf(["tada", "amber"]);
const op = ({ random }: Draw) => random.oneOf(["add", "remove"]);
const flag = ({ random }: Draw) => random.oneOf(["read", "read", "starred", "collapsed"]);

export const messageActions: Action[] = [
  act(reportMessage, (draw) => ({
    message_id: draw.message(),
    report_type: draw.random.oneOf(reportTypes),
    description: draw.word(),
  })),
  act(sendMessage, (draw) => ({ ...place(draw), content: content(draw) })),
  act(sendMessage, (draw) => ({ ...place(draw), content: content(draw), read_by_sender: draw.yes() })),
  act(updateMessage, (draw) => ({
    message_id: draw.message(),
    content: draw.random.oneOf([`@**|${draw.person().id}**`, "amber", "/me edits", draw.text()]),
    ...draw.maybe("topic", () => someName(draw)),
  })),
  act(updateMessage, (draw) => ({
    message_id: draw.message(),
    topic: someName(draw),
    propagate_mode: mode(draw),
    ...notices(draw),
  })),
  act(updateMessage, (draw) => ({
    message_id: draw.message(),
    stream_id: draw.channel().id,
    ...draw.maybe("topic", () => someName(draw)),
    propagate_mode: mode(draw),
    ...notices(draw),
  })),
  act(deleteMessage, ({ message }) => ({ message_id: message() })),
  act(deleteTopic, (draw) => {
    const { channel, name } = draw.topic();
    return { stream_id: channel, topic_name: name };
  }),
  act(updateMessageFlags, (draw) => ({
    messages: draw.random.some(draw.has.messages, 5).map(({ id }) => id),
    op: op(draw),
    flag: flag(draw),
  })),
  act(updateMessageFlagsForNarrow, (draw) => ({
    anchor: "newest",
    include_anchor: true,
    num_before: draw.random.below(5),
    num_after: 0,
    narrow: [{ operator: "channel", operand: draw.channel().id }],
    op: op(draw),
    flag: flag(draw),
  })),
  act(markAllAsRead, () => ({})),
  act(markChannelAsRead, ({ channel }) => ({ stream_id: channel().id })),
  act(markTopicAsRead, (draw) => {
    const { channel, name } = draw.topic();
    return { stream_id: channel, topic_name: name };
  }),
  act(addSubmessage, ({ message }) => ({
    message_id: message(),
    msg_type: "widget",
    content: '{"type":"new_option","idx":1,"option":"soup"}',
  })),
  act(addReaction, (draw) => ({ message_id: draw.message(), emoji_name: emoji(draw) })),
  act(removeReaction, (draw) => ({ message_id: draw.message(), emoji_name: emoji(draw) })),
  actWithFile(uploadFile, picture, () => ({})),
  act(removeAttachment, ({ own, has }) => ({ attachment_id: own(has.attachments) })),
];
