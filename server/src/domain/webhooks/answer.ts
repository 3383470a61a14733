/** What a webhook's receiver answers: something the bot is to say, nothing, or something nobody can use. */
import { webhookInterfaces } from "@skein/api/bots.ts";
import { z } from "zod";
import type { OutboundAnswer } from "../../platform/outbound.ts";

export type Verdict =
  | { kind: "reply"; content: string; widget?: Widget | undefined }
  | { kind: "nothing" }
  /** `summary` is for everybody in the conversation, `details` for the bot's owner. */
  | { kind: "failure"; summary: string; details: string };

const text = z.union([z.string(), z.number()]).transform(String).nullish();
const choice = z.object({ type: z.string(), short_name: z.string(), long_name: z.string(), reply: z.string() });
const widget = z.discriminatedUnion("widget_type", [
  z.object({
    widget_type: z.literal("zform"),
    extra_data: z.object({ type: z.literal("choices"), heading: z.string(), choices: z.array(choice) }),
  }),
  z.object({
    widget_type: z.literal("poll"),
    extra_data: z.object({ question: z.string().default(""), options: z.array(z.string()).default([]) }),
  }),
  z.object({
    widget_type: z.literal("todo"),
    extra_data: z.object({
      task_list_title: z.string().default(""),
      tasks: z.array(z.object({ task: z.string(), desc: z.string().default("") })).default([]),
    }),
  }),
]);
type Widget = z.output<typeof widget>;

const genericAnswer = z.object({
  response_not_required: z.boolean().nullish(),
  content: text,
  /** The older name of `content`. */
  response_string: text,
  /** A poll, a to-do list or a form to come with it; as JSON text, too. */
  widget_content: z.union([widget, z.string().transform(parse).pipe(widget)]).nullish(),
});
const slackAnswer = z.object({ text });

const nothing: Verdict = { kind: "nothing" };

export function judge({ status, body }: OutboundAnswer, interfaceType: number): Verdict {
  const said = body.toString("utf8");
  if (status < 200 || status > 299) return failure(`The webhook answered with status ${status}.`, quote(said));
  if (said.trim() === "") return nothing;
  const answer = parse(said);
  if (answer === undefined) return failure("The webhook's answer is not JSON.", quote(said));
  if (answer === "") return nothing;
  const reply = interfaceType === webhookInterfaces.slack ? slackReply(answer) : genericReply(answer);
  if (reply === undefined) return failure("The webhook's answer has an unknown form.", quote(said));
  return reply.content.trim() === "" ? nothing : { kind: "reply", ...reply };
}

export const failure = (summary: string, details: string): Verdict => ({ kind: "failure", summary, details });

interface Reply {
  content: string;
  widget?: Widget | undefined;
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

/** A code block nothing inside can end. */
function quote(said: string): string {
  const shown = said.slice(0, maxQuoted).replaceAll(/[`~]/g, "'").toWellFormed().replaceAll("\0", "");
  return shown.trim() === "" ? "" : `It said:\n\n\`\`\`text\n${shown}\n\`\`\``;
}
