import { beforeEach, expect, test, vi } from "vitest";

const url = "/api/v1/tus/1";
const file = new File(["0123456789"], "export.zip");
let received = 0;
let isSignedIn = true;
/** The session ends with this many requests for the file. */
let requestsLeft = Infinity;
let requests: string[] = [];

beforeEach(() => {
  vi.resetModules();
  [received, isSignedIn, requestsLeft, requests] = [0, true, Infinity, []];
  document.cookie = "csrftoken=first";
  vi.stubGlobal("fetch", async (path: string, { method = "GET", body }: RequestInit = {}) => {
    if (path === "/accounts/login/") {
      isSignedIn = true;
      return Response.json({ result: "success", msg: "" });
    }
    if (path === "/json/users/me") return Response.json({ result: "success", msg: "", user_id: 5 });
    requests.push(method);
    if (requestsLeft-- === 0) isSignedIn = false;
    if (!isSignedIn) return Response.json({ result: "error", msg: "Not logged in" }, { status: 401 });
    if (method === "PATCH") received += (body as Blob).size;
    return new Response(null, { status: method === "PATCH" ? 204 : 200, headers: { "Upload-Offset": `${received}` } });
  });
});

async function openPage() {
  const [{ uploadParts }, session, { signIn }] = await Promise.all([
    import("./upload-parts.ts"),
    import("./session.ts"),
    import("./sign-in.ts"),
  ]);
  session.bindAccount(5, async () => undefined);
  const progress: number[] = [];
  return {
    upload: () => uploadParts(url, file, new AbortController().signal, (sent) => progress.push(sent)),
    progress,
    signIn,
    ...session,
  };
}

test("an upload asks where to begin, and sends the file", async () => {
  const { upload, progress } = await openPage();

  await upload();

  expect(requests).toEqual(["HEAD", "PATCH"]);
  expect(progress).toEqual([0, 10]);
});

test("an upload whose session ended asks to log in, and then continues", async () => {
  const { upload, progress, isSignedOut, signIn } = await openPage();
  requestsLeft = 1;

  const uploaded = upload();
  await expect.poll(() => isSignedOut.value).toBe(true);
  expect(requests).toEqual(["HEAD", "PATCH"]);
  await signIn("ada@example.com", "secret");
  await uploaded;

  expect(requests).toEqual(["HEAD", "PATCH", "HEAD", "PATCH"]);
  expect(progress).toEqual([0, 0, 10]);
});

test("nothing is uploaded while the page waits for somebody to log in", async () => {
  const { upload, isSignedOut, signedInAgain, signIn } = await openPage();
  void signedInAgain();
  expect(isSignedOut.value).toBe(true);

  const uploaded = upload();
  await Promise.resolve();
  expect(requests).toEqual([]);
  await signIn("ada@example.com", "secret");
  await uploaded;

  expect(requests).toEqual(["HEAD", "PATCH"]);
});
