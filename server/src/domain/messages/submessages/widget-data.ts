/** What may be added to a poll or to-do list, and by whom. */
import { z } from "zod";
import { ApiError } from "../../../errors.ts";

interface Change {
  data: z.ZodType;
  /** The error for anybody but the author. */
  refusal?: string;
}

const changes: Record<string, Record<string, Change>> = {
  poll: {
    vote: { data: z.strictObject({ type: z.string(), key: z.string(), vote: z.literal([1, -1]) }) },
    new_option: { data: z.strictObject({ type: z.string(), idx: z.int(), option: z.string() }) },
    question: {
      data: z.strictObject({ type: z.string(), question: z.string() }),
      refusal: "You can't edit a question unless you are the author.",
    },
  },
  todo: {
    new_task: {
      data: z.strictObject({
        type: z.string(),
        key: z.int(),
        task: z.string(),
        desc: z.string(),
        completed: z.boolean(),
      }),
    },
    strike: { data: z.strictObject({ type: z.string(), key: z.string() }) },
    new_task_list_title: {
      data: z.strictObject({ type: z.string(), title: z.string() }),
      refusal: "You can't edit the task list title unless you are the author.",
    },
  },
};

const anyChange = z.object({ type: z.string() });
const widgetStart = z.object({ widget_type: z.string() });

/** `first` is the message's first submessage; throws when `content` cannot be added to it. */
export function checkWidgetData(first: string, content: unknown, isAuthor: boolean): void {
  const kind = widgetStart.safeParse(JSON.parse(first)).data?.widget_type ?? "";
  const known = Object.hasOwn(changes, kind) ? changes[kind] : undefined;
  if (!known) return;
  const type = anyChange.safeParse(content).data?.type;
  if (type === undefined) throw invalid(kind);
  const change = Object.hasOwn(known, type) ? known[type] : undefined;
  if (!change) throw new ApiError(`Unknown type for ${kind} data: ${type}`);
  if (change.refusal !== undefined && !isAuthor) throw new ApiError(change.refusal);
  if (!change.data.safeParse(content).success) throw invalid(kind);
}

const invalid = (kind: string) => new ApiError(`Invalid ${kind} data`);
