/**
 * Polls, task lists and choices. A message's first submessage says which it is; each further one is a step someone took; the
 * sum is shown. Invalid steps (from another client or version) are ignored. Pure.
 */

export interface Submessage {
  sender_id: number;
  /** JSON text. */
  content: string;
}

export interface PollOption {
  key: string;
  text: string;
  /** Who voted for it, in the order of their votes. */
  voters: readonly number[];
}

export interface Poll {
  kind: "poll";
  question: string;
  options: readonly PollOption[];
}

export interface Task {
  key: string;
  text: string;
  description: string;
  isDone: boolean;
}

export interface TaskList {
  kind: "todo";
  title: string;
  tasks: readonly Task[];
}

export interface Choice {
  /** A letter or word that stands for it. */
  name: string;
  text: string;
  /** What a click sends. */
  reply: string;
}

/** A bot's question with predefined answers. */
export interface Choices {
  kind: "choices";
  heading: string;
  choices: readonly Choice[];
}

type Step = Record<string, unknown>;

function parsed(content: string): Step {
  try {
    const step: unknown = JSON.parse(content);
    return typeof step === "object" && step !== null ? (step as Step) : {}; // each field is checked before use
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const stepOf = (value: unknown): Step => (typeof value === "object" && value !== null ? (value as Step) : {}); // as above

export type Widget = Poll | TaskList | Choices;

export function widgetOf(messageSenderId: number, submessages: readonly Submessage[]): Widget | undefined {
  const [first, ...rest] = submessages;
  if (first === undefined) return undefined;
  const { widget_type, extra_data } = parsed(first.content);
  const start = stepOf(extra_data);
  const steps = rest.map(({ sender_id, content }) => ({ sender_id, step: parsed(content) }));
  if (widget_type === "poll") return poll(start, steps, messageSenderId);
  if (widget_type === "zform") return choices(start);
  return widget_type === "todo" ? taskList(start, steps, messageSenderId) : undefined;
}

/** Undefined for another kind of form and for one without choices: then the message's text is shown. */
function choices(start: Step): Choices | undefined {
  const offered = listOf(start["choices"])
    .map(stepOf)
    .flatMap(({ short_name, long_name, reply }): Choice[] => {
      const text = textOf(long_name) || textOf(short_name);
      return textOf(reply) === "" || text === "" ? [] : [{ name: textOf(short_name), text, reply: textOf(reply) }];
    });
  if (start["type"] !== "choices" || offered.length === 0) return undefined;
  return { kind: "choices", heading: textOf(start["heading"]), choices: offered };
}

interface SentStep {
  sender_id: number;
  step: Step;
}

function poll(start: Step, steps: readonly SentStep[], owner: number): Poll {
  let question = textOf(start["question"]);
  const texts = new Map(listOf(start["options"]).map((text, index) => [`canned,${index}`, textOf(text)]));
  const votes = new Map<string, Set<number>>();
  for (const { sender_id, step } of steps) {
    const key = textOf(step["key"]);
    if (step["type"] === "question" && sender_id === owner) question = textOf(step["question"]);
    else if (step["type"] === "new_option") {
      const option = textOf(step["option"]);
      if (![...texts.values()].includes(option)) texts.set(`${sender_id},${String(step["idx"])}`, option);
    } else if (step["type"] === "vote" && texts.has(key)) {
      const voters = votes.get(key) ?? new Set();
      if (step["vote"] === 1) voters.add(sender_id);
      else voters.delete(sender_id);
      votes.set(key, voters);
    }
  }
  return {
    kind: "poll",
    question,
    options: Array.from(texts, ([key, text]) => ({ key, text, voters: [...(votes.get(key) ?? [])] })),
  };
}

function taskList(start: Step, steps: readonly SentStep[], owner: number): TaskList {
  let title = textOf(start["task_list_title"]);
  const tasks = new Map<string, Task>();
  const add = (key: string, task: Step): void => {
    const text = textOf(task["task"]);
    if (text === "" || Array.from(tasks.values()).some((each) => each.text === text)) return;
    tasks.set(key, { key, text, description: textOf(task["desc"]), isDone: task["completed"] === true });
  };
  for (const [index, task] of listOf(start["tasks"]).entries()) add(`${index},canned`, task as Step); // as above
  for (const { sender_id, step } of steps) {
    if (step["type"] === "new_task_list_title" && sender_id === owner) title = textOf(step["title"]);
    else if (step["type"] === "new_task") add(`${String(step["key"])},${sender_id}`, step);
    else if (step["type"] === "strike") {
      const task = tasks.get(textOf(step["key"]));
      if (task) tasks.set(task.key, { ...task, isDone: !task.isDone });
    }
  }
  return { kind: "todo", title, tasks: [...tasks.values()] };
}

/** The number of a new option: keys are `sender,number`, the initial ones `canned,number`. */
export const nextOption = ({ options }: Poll): number => beyond(options.map(({ key }) => key.split(",")[1]));

/** The number of a new task: keys are `number,sender`. */
export const nextTask = ({ tasks }: TaskList): number => beyond(tasks.map(({ key }) => key.split(",")[0]));

const beyond = (numbers: (string | undefined)[]): number =>
  Math.max(0, ...numbers.map(Number).filter(Number.isFinite)) + 1;
