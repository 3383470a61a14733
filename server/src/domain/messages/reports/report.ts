/** Reports a message to the moderators: the notification bot quotes it in the organization's channel for reports. */
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { emptyTopicDisplayName, maxTopicLength } from "@skein/api/messages.ts";
import type { reportMessage, ReportType } from "@skein/api/reports.ts";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { silentMention } from "../../base/mention-syntax.ts";
import { truncate } from "../../base/truncate.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { invalidMessages } from "../access.ts";
import { findQuotedMessage, pathTo, quotation, type QuotedMessage } from "../quoted-message.ts";
import { sendNotice } from "../send/notice.ts";

export const reportTypeNames: Readonly<Record<ReportType, string>> = {
  spam: "Spam",
  harassment: "Harassment",
  inappropriate: "Inappropriate content",
  norms: "Violates community norms",
  other: "Other reason",
};

export async function report(
  tx: Tx,
  ctx: TxContext,
  reporter: User,
  { message_id, report_type, description = "" }: ParamsOf<typeof reportMessage>,
): Promise<void> {
  const { realm } = reporter;
  const message = Number.isSafeInteger(message_id) ? await findQuotedMessage(tx, reporter, message_id) : undefined;
  if (!message) throw invalidMessages();
  const channelId = realm.moderation_request_channel_id;
  if (channelId === null) throw new ApiError("Message reporting is not enabled in this organization.");
  if (report_type === "other" && description.trim() === "") throw new ApiError("An explanation is required.");
  const url = realmUrlWithoutRequest(ctx.config, realm) + pathTo(message, reporter);
  const text = [
    `${silentMention(reporter)} reported [a message](${url}) by ${silentMention(message.sender)} ${placeOf(message)}.`,
    `- **Reason:** ${reportTypeNames[report_type]}`,
    ...(description.trim() === "" ? [] : ["- **Explanation:**", "", quotation(description)]),
    "",
    message.widget === null ? quotation(message.content) : `The message is a ${message.widget}.`,
  ].join("\n");
  const topic = truncate(`${message.sender.full_name} moderation`, maxTopicLength, "…");
  await sendNotice(tx, ctx, realm, "notification-bot", { channelId, topic }, text);
}

/** A name that would break the link is written as plain text. */
function placeOf({ channel, topic }: QuotedMessage): string {
  if (!channel) return "in a direct message";
  const breaksLink = /[*>@`]|\]\(/;
  const isPlain = topic === "" || breaksLink.test(channel.name) || breaksLink.test(topic);
  return isPlain ? `in ${channel.name} > ${topic || emptyTopicDisplayName}` : `in #**${channel.name}>${topic}**`;
}
