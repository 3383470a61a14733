// @vitest-environment node
import { expect, test } from "vitest";
import { nextOption, nextTask, widgetOf } from "./widget-state.ts";

const owner = 5;
const stepOf = (sender_id: number, content: unknown) => ({ sender_id, content: JSON.stringify(content) });
const poll = stepOf(owner, { widget_type: "poll", extra_data: { question: "Lunch?", options: ["rice", "soup"] } });
const list = stepOf(owner, {
  widget_type: "todo",
  extra_data: { task_list_title: "", tasks: [{ task: "ship", desc: "soon" }] },
});

test("votes count once per person and can be withdrawn", () => {
  const vote = (user: number, key: string, value: number) => stepOf(user, { type: "vote", key, vote: value });
  const state = widgetOf(owner, [
    poll,
    vote(1, "canned,0", 1),
    vote(1, "canned,0", 1),
    vote(2, "canned,0", 1),
    vote(2, "canned,0", -1),
    vote(3, "nowhere", 1),
    stepOf(9, { type: "new_option", idx: 1, option: "pizza" }),
    stepOf(8, { type: "new_option", idx: 1, option: "rice" }),
    vote(2, "9,1", 1),
  ]);

  expect(state).toEqual({
    kind: "poll",
    question: "Lunch?",
    options: [
      { key: "canned,0", text: "rice", voters: [1] },
      { key: "canned,1", text: "soup", voters: [] },
      { key: "9,1", text: "pizza", voters: [2] },
    ],
  });
});

test("only the person who asked can change the question", () => {
  const ask = (user: number, question: string) => stepOf(user, { type: "question", question });
  expect(widgetOf(owner, [poll, ask(owner, "Dinner?"), ask(2, "Mine?")])).toMatchObject({ question: "Dinner?" });
});

test("tasks are added, completed and reopened", () => {
  const strike = (key: string) => stepOf(2, { type: "strike", key });
  const added = stepOf(2, { type: "new_task", key: 3, task: "test", desc: "", completed: false });
  const state = widgetOf(owner, [list, added, strike("0,canned"), strike("3,2"), strike("3,2")]);

  expect(state).toEqual({
    kind: "todo",
    title: "",
    tasks: [
      { key: "0,canned", text: "ship", description: "soon", isDone: true },
      { key: "3,2", text: "test", description: "", isDone: false },
    ],
  });
});

test("a message without a widget has none, and invalid steps are ignored", () => {
  expect(widgetOf(owner, [])).toBeUndefined();
  expect(widgetOf(owner, [stepOf(owner, { widget_type: "other" })])).toBeUndefined();
  expect(widgetOf(owner, [poll, { sender_id: 1, content: "{" }, stepOf(1, null)])).toMatchObject({
    question: "Lunch?",
  });
});

test("a new option or task gets an unused number", () => {
  const option = { text: "", voters: [] };
  expect(
    nextOption({
      kind: "poll",
      question: "",
      options: [
        { ...option, key: "canned,3" },
        { ...option, key: "7,7" },
      ],
    }),
  ).toBe(8);
  expect(nextTask({ kind: "todo", title: "", tasks: [] })).toBe(1);
});

test("a bot's question has its heading and choices; one without choices is plain text", () => {
  const form = (extra_data: unknown) => widgetOf(owner, [stepOf(owner, { widget_type: "zform", extra_data })]);
  const choices = [
    { type: "multiple_choice", short_name: "A", long_name: "Blue whale", reply: "answer q1 A" },
    { type: "multiple_choice", short_name: "B", long_name: "", reply: "answer q1 B" },
    { type: "multiple_choice", short_name: "C", long_name: "No reply" },
    "nonsense",
  ];

  expect(form({ type: "choices", heading: "Largest animal?", choices })).toEqual({
    kind: "choices",
    heading: "Largest animal?",
    choices: [
      { name: "A", text: "Blue whale", reply: "answer q1 A" },
      { name: "B", text: "B", reply: "answer q1 B" },
    ],
  });
  expect(form({ type: "choices", heading: "Nothing", choices: [] })).toBeUndefined();
  expect(form({ type: "other", choices })).toBeUndefined();
  expect(form(null)).toBeUndefined();
});
