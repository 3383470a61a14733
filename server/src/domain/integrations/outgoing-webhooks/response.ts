/** Interprets the response of an outgoing webhook: a reply to post, nothing, or an error. */
import { webhookInterfaces } from "@skein/api/bots.ts";
import { widgetContent, type WidgetContent } from "@skein/api/submessages.ts";
import { z } from "zod";
import type { OutboundResponse, OutboundError, OutboundFailure } from "../../../platform/outbound.ts";

export type WebhookResult =
  | { kind: "reply"; content: string; widget?: WidgetContent | undefined }
  | { kind: "nothing" }
  /** `summary` is shown in the conversation, `details` only to the bot's owner. */
  | { kind: "failure"; summary: string; details: string };

const text = z.union([z.string(), z.number()]).transform(String).nullish();

const genericAnswer = z.object({
  response_not_required: z.boolean().nullish(),
  content: text,
  /** The older name of `content`. */
  response_string: text,
  /** A poll, to-do list or form for the message; may also be JSON text. */
  widget_content: z.union([widgetContent, z.string().transform(parse).pipe(widgetContent)]).nullish(),
});
const slackAnswer = z.object({ text });

const nothing: WebhookResult = { kind: "nothing" };

export function interpretResponse({ status, body }: OutboundResponse, interfaceType: number): WebhookResult {
  const responseText = body.toString("utf8");
  if (status < 200 || status > 299) return failure(`The webhook responded with status ${status}.`, quote(responseText));
  if (responseText.trim() === "") return nothing;
  const answer = parse(responseText);
  if (answer === undefined) return failure("The webhook's response is not JSON.", quote(responseText));
  if (answer === "") return nothing;
  const reply = interfaceType === webhookInterfaces.slack ? slackReply(answer) : genericReply(answer);
  if (reply === undefined) return failure("The webhook's response has an unknown format.", quote(responseText));
  return reply.content.trim() === "" ? nothing : { kind: "reply", ...reply };
}

export const failure = (summary: string, details: string): WebhookResult => ({ kind: "failure", summary, details });

const withoutAnswer: Record<OutboundFailure, string> = {
  timeout: "The webhook did not respond in time.",
  unreachable: "The webhook could not be reached.",
  "too-large": "The webhook's response is too long.",
  "refused-address": "The webhook's URL is not allowed.",
  "bad-url": "The webhook's URL is not valid.",
};

/** For a request without a usable response. */
export const requestFailed = ({ failure: kind, message }: OutboundError): WebhookResult =>
  failure(withoutAnswer[kind], `Reason: ${message}.`);

interface Reply {
  content: string;
  widget?: WidgetContent | undefined;
}

function genericReply(answer: unknown): Reply | undefined {
  const { success, data } = genericAnswer.safeParse(answer);
  if (!success) return undefined;
  if (data.response_not_required) return { content: "" };
  return { content: data.content ?? data.response_string ?? "", widget: data.widget_content ?? undefined };
}

function slackReply(answer: unknown): Reply | undefined {
  const { success, data } = slackAnswer.safeParse(answer);
  return success ? { content: data.text ?? "" } : undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const maxQuoted = 500;

/** A code block that its content cannot end. */
function quote(responseText: string): string {
  const shown = responseText.slice(0, maxQuoted).replaceAll(/[`~]/g, "'").toWellFormed().replaceAll("\0", "");
  return shown.trim() === "" ? "" : `Response:\n\n\`\`\`text\n${shown}\n\`\`\``;
}
