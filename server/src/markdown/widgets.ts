/** Polls and to-do lists: messages that begin with a command carry data besides their text. */

export interface Poll {
  widget_type: "poll";
  extra_data: { question: string; options: string[] };
}

export interface TodoList {
  widget_type: "todo";
  extra_data: { task_list_title: string; tasks: { task: string; desc: string }[] };
}

/** The content of such a message's first submessage; undefined for any other message. */
export function widgetSubmessage(content: string): Poll | TodoList | undefined {
  const [, command, first = "", rest = ""] = /^\/(poll|todo)(?=\s|$)([^\n]*)(?:\n([^]*))?$/.exec(content) ?? [];
  if (command === undefined) return undefined;
  const entries = rest
    .split("\n")
    .map(withoutBullet)
    .filter((entry) => entry !== "");
  return command === "poll"
    ? { widget_type: "poll", extra_data: { question: first.trim(), options: entries } }
    : { widget_type: "todo", extra_data: { task_list_title: first.trim(), tasks: entries.map(toTask) } };
}

const withoutBullet = (line: string): string => line.trim().replace(/^[-*]\s*/, "");

function toTask(entry: string): { task: string; desc: string } {
  const [task = "", ...desc] = entry.split(": ");
  return { task: task.trim(), desc: desc.join(": ").trim() };
}
