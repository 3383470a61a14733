import { NoResponse } from "@skein/api/failures.ts";
import { sendMessage } from "@skein/api/routes/messages.ts";
import { getOwnUser } from "@skein/api/routes/users.ts";
import { cleanup, render, screen } from "@testing-library/preact";
import { afterEach, expect, test, vi } from "vitest";
import { call } from "../api/call.ts";
import { MaintenanceBar } from "./maintenance-bar.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test("a bar shows the operator's message from the first response that carries it to the first that does not", async () => {
  const message = "Moving house 🏠 until 22:00";
  const headers = { "Skein-Maintenance": encodeURIComponent(message) };
  const failed = { result: "error", msg: message, code: "READ_ONLY" };
  const respond = (response: Response) => vi.stubGlobal("fetch", async () => response);
  const shown = () => screen.queryByText(message);
  render(<MaintenanceBar />);

  expect(shown()).toBeNull();
  respond(Response.json(failed, { status: 503, headers }));
  await expect(call(sendMessage, { type: "direct", to: [1], content: "hello" })).rejects.toBeInstanceOf(NoResponse);
  await vi.waitFor(() => expect(shown()).toBeTruthy());
  respond(new Response("Bad gateway", { status: 502 }));
  await expect(call(getOwnUser, {})).rejects.toBeInstanceOf(NoResponse);
  expect(shown()).toBeTruthy();
  respond(Response.json({ result: "success", msg: "", user_id: 1 }));
  await call(getOwnUser, {});

  await vi.waitFor(() => expect(shown()).toBeNull());
});
