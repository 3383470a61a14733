/** What a webhook's receiver is sent: in our own form, or in the one that receivers made for Slack understand. */
import type { MessageObject } from "@skein/api/messages.ts";
import type { User } from "../../http/sessions.ts";
import type { Delivery } from "./delivery.ts";

/** A message as its bot sees it, in both forms. */
export interface HandedMessage {
  message: Omit<MessageObject, "flags">;
  content: string;
  rendered: string;
}

interface Handing {
  bot: User;
  /** The organization's. */
  host: string;
  trigger: Delivery["trigger"];
  token: string;
  handed: HandedMessage;
}

export interface Body {
  headers: Record<string, string>;
  body: string;
}

export const genericBody = ({ bot, trigger, token, handed }: Handing): Body => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    bot_email: bot.delivery_email,
    bot_full_name: bot.full_name,
    data: handed.content,
    trigger,
    token,
    message: {
      ...handed.message,
      content: handed.content,
      content_type: "text/x-markdown",
      rendered_content: handed.rendered,
    },
  }),
});

/** Only for messages in channels: a direct one has no place in that form. */
export function slackBody({ bot, host, trigger, token, handed: { message, content } }: Handing): Body {
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
