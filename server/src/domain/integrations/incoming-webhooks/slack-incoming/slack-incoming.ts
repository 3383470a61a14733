/** Compatible with Slack's incoming webhooks, for programs that can post to Slack. */
import { z } from "zod";
import { optionalText, readShape } from "../formatter.ts";
import type { Integration } from "../integration.ts";
import { blocks, line } from "../markdown.ts";
import { fromAttachment, slackAttachments } from "./attachments.ts";
import { fromBlock, slackBlocks } from "./blocks.ts";
import { fromMrkdwn } from "./mrkdwn.ts";

const message = z.object({
  text: optionalText,
  channel: optionalText,
  icon_emoji: optionalText,
  blocks: slackBlocks.nullish(),
  attachments: slackAttachments.nullish(),
});

const noTopic = "(no topic)";

export const slackIncoming: Integration = {
  name: "slack_incoming",
  displayName: "Slack-compatible webhook",
  clientName: "SlackIncoming",
  eventTypes: null,
  options: [],
  format({ payload }) {
    const its = readShape(message, payload);
    const rich = blocks(
      ...(its.blocks?.items ?? []).map(fromBlock),
      ...(its.attachments?.items ?? []).map(fromAttachment),
    );
    const content = rich === "" ? plain(its) : withText(its, rich);
    // In Slack the message names a channel; here the channel is in the URL, and the message's name becomes the topic.
    const topic = line(its.channel).replace(/^[#@]/, "") || noTopic;
    return { event: undefined, reports: content === "" ? [] : [{ topic, content }] };
  },
  /** Slack's response format, for programs that check it. */
  answer: (refusal) => (refusal === undefined ? { ok: true } : { ok: false, error: refusal }),
};

type Message = z.output<typeof message>;

function plain({ text, icon_emoji }: Message): string {
  const words = fromMrkdwn(text);
  const emoji = /^:[\w+-]+:$/.test(icon_emoji) ? `${icon_emoji} ` : "";
  return words === "" ? "" : emoji + words;
}

/** With blocks the text repeats them for notifications; with attachments it is the message itself. */
const withText = ({ text, blocks: built }: Message, rich: string): string =>
  built && built.total > 0 ? rich : blocks(fromMrkdwn(text), rich);
