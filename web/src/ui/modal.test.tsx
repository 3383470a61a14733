import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { useState } from "preact/hooks";
import { afterEach, expect, test, vi } from "vitest";
import { Modal } from "./modal.tsx";

afterEach(cleanup);

test("a modal is named, and returns focus when it closes", async () => {
  const showModal = vi.spyOn(HTMLDialogElement.prototype, "showModal");
  function Page() {
    const [isOpen, setOpen] = useState(false);
    const close = () => setOpen(false);
    return (
      <>
        <button onClick={() => setOpen(true)}>Open</button>
        {isOpen && (
          <Modal label="Pictures" onClose={close}>
            <button onClick={close}>Close</button>
          </Modal>
        )}
      </>
    );
  }
  render(<Page />);

  await userEvent.click(screen.getByRole("button", { name: "Open" }));
  expect(screen.getByRole("dialog", { name: "Pictures" })).toBeTruthy();
  expect(showModal).toHaveBeenCalledOnce();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));

  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Open" }));
});

test("Escape requests closing; canceling a file field inside the modal does not", () => {
  const onClose = vi.fn<() => void>();
  render(
    <Modal label="Send a file" onClose={onClose}>
      <input type="file" aria-label="File" />
    </Modal>,
  );
  const dialog = screen.getByRole<HTMLDialogElement>("dialog");

  fireEvent(screen.getByLabelText("File"), new Event("cancel", { bubbles: true }));
  expect(onClose).not.toHaveBeenCalled();
  const isClosedByBrowser = fireEvent(dialog, new Event("cancel", { cancelable: true }));

  expect(onClose).toHaveBeenCalledOnce();
  expect(isClosedByBrowser).toBe(false);
  expect(dialog.open).toBe(true);
});

test("a click beside a modal closes it, unless it keeps what was typed", () => {
  const { rerender } = render(
    <Modal label="Palette" onClose={() => {}}>
      …
    </Modal>,
  );
  expect(screen.getByRole("dialog").getAttribute("closedby")).toBe("any");

  rerender(
    <Modal label="Palette" onClose={() => {}} keepsOnOutsidePress>
      …
    </Modal>,
  );
  expect(screen.getByRole("dialog").getAttribute("closedby")).toBe("closerequest");
});
