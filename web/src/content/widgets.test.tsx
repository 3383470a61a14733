import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { ChoicesWidget, PollWidget, TaskListWidget } from "./widgets.tsx";

afterEach(cleanup);

const state = {
  kind: "choices",
  heading: "Largest animal?",
  choices: [
    { name: "A", text: "Blue whale", reply: "answer q1 A" },
    { name: "B", text: "Elephant", reply: "answer q1 B" },
  ],
} as const;

test("clicking a choice sends its reply, and choices are disabled where the reader may not post", () => {
  const onChoose = vi.fn<(reply: string) => void>();
  const { rerender } = render(<ChoicesWidget state={state} onChoose={onChoose} />);

  fireEvent.click(screen.getByRole("button", { name: "B Elephant" }));

  expect(screen.getByRole("group", { name: "Largest animal?" })).toBeTruthy();
  expect(onChoose.mock.calls).toEqual([["answer q1 B"]]);
  rerender(<ChoicesWidget state={state} onChoose={undefined} />);
  expect(screen.getAllByRole("button").every((button) => (button as HTMLButtonElement).disabled)).toBe(true);
});

const poll = { kind: "poll", question: "Which?", options: [] } as const;
const list = { kind: "todo", title: "Chores", tasks: [] } as const;
type Step = Record<string, unknown>;

test("an author changes the question of a poll and the title of a list; Escape changes nothing", async () => {
  const onStep = vi.fn<(step: Step) => void>();
  const { rerender } = render(<PollWidget state={poll} userId={5} isAuthor nameOf={() => "Ada"} onStep={onStep} />);

  await userEvent.click(screen.getByRole("button", { name: "Edit question" }));
  await userEvent.keyboard("Which one?{Enter}");
  await vi.waitFor(() => expect(document.activeElement?.matches("button[aria-label='Edit question']")).toBe(true));
  await userEvent.keyboard("{Enter}nonsense{Escape}");
  await screen.findByRole("heading", { name: "Which?" });
  await userEvent.keyboard("{Enter}{Enter}");

  rerender(<TaskListWidget state={list} isAuthor onStep={onStep} />);
  await userEvent.click(screen.getByRole("button", { name: "Edit title" }));
  await userEvent.keyboard("Errands{Enter}");
  expect(onStep.mock.calls).toEqual([
    [{ type: "question", question: "Which one?" }],
    [{ type: "new_task_list_title", title: "Errands" }],
  ]);
});

test("others cannot change them", () => {
  const onStep = vi.fn<(step: Step) => void>();
  const { rerender } = render(
    <PollWidget state={poll} userId={6} isAuthor={false} nameOf={() => "Ada"} onStep={onStep} />,
  );
  expect(screen.queryByRole("button", { name: "Edit question" })).toBeNull();
  rerender(<TaskListWidget state={list} isAuthor={false} onStep={onStep} />);
  expect(screen.queryByRole("button", { name: "Edit title" })).toBeNull();
});
