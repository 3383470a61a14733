import { sendMessage } from "@skein/api/routes/messages.ts";
import { beforeEach, expect, test, vi } from "vitest";

const message = { type: "channel", to: 1, topic: "logo", content: "hello" } as const;

/** The signed-in users by session token; the cookie holds the browser's current one. */
const accounts: Record<string, number> = { first: 5, again: 5, other: 6 };
let cookie = "first";
let sent: string[] = [];
const erase = vi.fn<() => Promise<void>>();
const restart = vi.spyOn(location, "replace").mockImplementation(() => undefined);

beforeEach(() => {
  vi.resetModules();
  erase.mockReset().mockResolvedValue();
  restart.mockClear();
  sent = [];
  use("first");
  vi.stubGlobal("fetch", async (path: string, { body, headers }: RequestInit = {}) => {
    if (path === "/json/users/me") return Response.json({ result: "success", msg: "", user_id: accounts[cookie] });
    if (path === "/accounts/login/") {
      use((body as URLSearchParams).get("password") ?? "");
      return Response.json({ result: "success", msg: "" });
    }
    const given = (headers as Record<string, string>)["x-csrftoken"];
    if (cookie === "") return Response.json({ result: "error", msg: "Not logged in" }, { status: 401 });
    if (given !== cookie)
      return Response.json({ result: "error", msg: "CSRF error", code: "CSRF_FAILED" }, { status: 403 });
    sent.push(given);
    return Response.json({ result: "success", msg: "", id: 1 });
  });
});

function use(token: string): void {
  cookie = token;
  document.cookie = `csrftoken=${token}`;
}

/** A separate page that knows its account. */
async function openPage() {
  const [{ call }, session, { signIn }] = await Promise.all([
    import("./call.ts"),
    import("./session.ts"),
    import("./sign-in.ts"),
  ]);
  session.bindAccount(5, erase);
  await call(sendMessage, message);
  return { send: () => call(sendMessage, message), signIn, ...session };
}

test("a new session of the same account is adopted", async () => {
  const { send } = await openPage();

  use("again");
  await send();

  expect(sent).toEqual(["first", "again"]);
  expect(erase).not.toHaveBeenCalled();
});

test("nothing is sent in another account's session: the page restarts without the first account's data", async () => {
  const { send } = await openPage();

  use("other");
  void send();

  await expect.poll(() => restart.mock.calls).toEqual([["/"]]);
  expect(erase).toHaveBeenCalledOnce();
  expect(sent).toEqual(["first"]);
});

test("logging in as someone else restarts the page, and requests that waited are not sent", async () => {
  const { send, signIn, isSignedOut } = await openPage();
  use("");
  void send();
  await expect.poll(() => isSignedOut.value).toBe(true);
  void send();

  void signIn("other@example.com", "other");

  await expect.poll(() => restart.mock.calls).toEqual([["/"]]);
  expect(erase).toHaveBeenCalledOnce();
  expect(sent).toEqual(["first"]);
});

test("logging in again resumes the page, and requests that waited are sent", async () => {
  const { send, signIn, isSignedOut } = await openPage();
  use("");
  const waiting = send();
  await expect.poll(() => isSignedOut.value).toBe(true);

  expect(await signIn("ada@example.com", "again")).toEqual({ ok: true });
  await waiting;

  expect(sent).toEqual(["first", "again"]);
  expect(restart).not.toHaveBeenCalled();
});
