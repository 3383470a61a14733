import { signal } from "@preact/signals";
import { cleanup, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Toasts } from "./toast.tsx";
import { FloatBoundary } from "./error-boundary.tsx";

beforeEach(() => void vi.stubGlobal("reportError", vi.fn()));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test("a dialog that crashes is closed, the page keeps working, and it can be opened again", async () => {
  const isOpen = signal(true);
  let isFaulty = true;
  function Inside() {
    if (isFaulty) throw new Error("a dialog's fault");
    return <p>open</p>;
  }
  const set = (to: boolean) => () => {
    isOpen.value = to;
  };
  const Page = () => (
    <>
      <button type="button">page</button>
      {isOpen.value && (
        <FloatBoundary onClose={set(false)} onRetry={set(true)}>
          <Inside />
        </FloatBoundary>
      )}
      <Toasts />
    </>
  );

  render(<Page />);
  expect(await screen.findByText("Something went wrong")).toBeTruthy();
  expect(isOpen.value).toBe(false);
  expect(screen.getByRole("button", { name: "page" })).toBeTruthy();
  isFaulty = false;
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));

  expect(await screen.findByText("open")).toBeTruthy();
});
