/** The request body of an outgoing webhook: in Zulip's format, or in Slack's. */
import type { MessageObject } from "@skein/api/messages.ts";
import type { User } from "../../../identity/account.ts";
import type { Delivery } from "./delivery.ts";

/** A message as the bot sees it, in both formats. */
export interface WebhookMessage {
  message: Omit<MessageObject, "flags">;
  content: string;
  rendered: string;
}

interface DeliveryDetails {
  bot: User;
  /** The organization's host. */
  host: string;
  trigger: Delivery["trigger"];
  token: string;
  delivered: WebhookMessage;
}

export interface Body {
  headers: Record<string, string>;
  body: string;
}

export const genericBody = ({ bot, trigger, token, delivered }: DeliveryDetails): Body => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    bot_email: bot.delivery_email,
    bot_full_name: bot.full_name,
    data: delivered.content,
    trigger,
    token,
    message: {
      ...delivered.message,
      content: delivered.content,
      content_type: "text/x-markdown",
      rendered_content: delivered.rendered,
    },
  }),
});

/** Only for channel messages; Slack's format has no direct messages. */
export function slackBody({ bot, host, trigger, token, delivered: { message, content } }: DeliveryDetails): Body {
  const fields = {
    token,
    team_id: `T${bot.realm_id}`,
    team_domain: host,
    channel_id: `C${message.stream_id}`,
    channel_name: typeof message.display_recipient === "string" ? message.display_recipient : "",
    thread_ts: String(message.timestamp),
    timestamp: String(message.timestamp),
    user_id: `U${message.sender_id}`,
    user_name: message.sender_full_name,
    text: content,
    trigger_word: trigger,
    service_id: String(bot.id),
  };
  return {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  };
}
