import { cleanup, render } from "@testing-library/preact";
import { afterEach, expect, test, vi } from "vitest";
import { replaceState } from "../store/state.ts";
import { useMessages } from "./use-messages.ts";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Rows({ ids }: { ids: number[] }) {
  useMessages(ids);
  return null;
}

test("messages that are being fetched are not requested again when more are shown", async () => {
  const asked: unknown[] = [];
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  replaceState({ user_id: 5 });
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(JSON.parse(new URL(path, location.origin).searchParams.get("message_ids") ?? "[]"));
    await answer;
    return Response.json({ result: "success", msg: "", messages: [] });
  });
  const { rerender } = render(<Rows ids={[1, 2]} />);
  await vi.waitFor(() => expect(asked).toEqual([[1, 2]]));

  rerender(<Rows ids={[1, 2, 3]} />);

  await vi.waitFor(() => expect(asked).toEqual([[1, 2], [3]]));
  resolve();
});
