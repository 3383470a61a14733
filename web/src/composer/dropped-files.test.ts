import { expect, test, vi } from "vitest";
import { areFilesOver, startDropping } from "./dropped-files.ts";

function drag(type: string, types: string[], more: Record<string, unknown> = {}): Event {
  const event = new Event(type, { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer: { types, files: ["a file"] }, relatedTarget: null, ...more });
  document.body.dispatchEvent(event);
  return event;
}

test("files dropped anywhere are accepted, and the browser never navigates to them", () => {
  const take = vi.fn<(files: FileList) => boolean>(() => true);
  const refuse = vi.fn<() => void>();
  const stop = startDropping(take, refuse);

  const over = drag("dragover", ["Files"]);
  const wasOver = areFilesOver.value;
  const drop = drag("drop", ["Files"]);

  expect([over.defaultPrevented, wasOver, drop.defaultPrevented, areFilesOver.value]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(take.mock.calls).toEqual([[["a file"]]]);
  take.mockReturnValue(false);
  expect(drag("drop", ["Files"]).defaultPrevented).toBe(true);
  expect(refuse).toHaveBeenCalledTimes(1);
  stop();
});

test("dragged text is ignored, and so are files that a composer handled itself", () => {
  const take = vi.fn<(files: FileList) => boolean>(() => true);
  const stop = startDropping(take, () => undefined);

  const text = drag("drop", ["text/plain"]);
  const taken = new Event("drop", { bubbles: true, cancelable: true });
  Object.assign(taken, { dataTransfer: { types: ["Files"], files: [] } });
  taken.preventDefault();
  dispatchEvent(taken);

  expect(text.defaultPrevented).toBe(false);
  expect(take).not.toHaveBeenCalled();
  stop();
});
