import { fireEvent, render, screen } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { ChoicesWidget } from "./widgets.tsx";

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
