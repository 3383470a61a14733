/** Setting up the first organization of a server. */
import { expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { startOwnServer } from "../../../../test/own-server.ts";
import { newRealm } from "../../../../test/realm.ts";
import { TestBrowser } from "../../../../test/test-browser.ts";

const wanted = {
  organization: "Harbor & Sons",
  full_name: "Mira Mole",
  email: "mira@example.com",
  password: "Basalt-7f3a-tide",
};

/** Two nodes on an empty database. */
async function emptyServer() {
  const first = await startOwnServer();
  const { databaseUrl, logName } = first.ctx.config;
  const environment = { SKEIN_DATABASE_URL: databaseUrl, SKEIN_LOG_NAME: logName, SKEIN_ROLES: "api" };
  const second = await startNode({ environment });
  const nodes = [first, second];
  const tokens = nodes.map(({ setupUrl }) => new URL(setupUrl ?? "").searchParams.get("token") ?? "");
  return { nodes, tokens, host: "chat.example.com" };
}

test("the token that the server printed creates the first organization, once", async () => {
  const server = await emptyServer();
  const [one = "", two = ""] = server.tokens;
  const browser = new TestBrowser(server);
  const send = (form: Record<string, string>, node = 0) => browser.send("/setup/", { ...wanted, ...form }, { node });

  expect(one).toMatch(/^[\w-]{43}$/);
  expect(two).not.toBe(one);
  expect((await browser.open("/login/")).html).toContain('<a href="/setup/">');
  expect((await browser.open("/setup")).html).toContain('<label for="token">');
  const page = await browser.open(`/setup/?token=${one}`);
  expect(page.html).toContain(`<input type="hidden" name="token" value="${one}">`);

  for (const token of ["", "x".repeat(43)]) {
    const refused = await send({ token });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain("This is not the token that the server printed.");
  }
  for (const [form, field] of [
    [{ organization: " " }, "organization"],
    [{ organization: "x".repeat(41) }, "organization"],
    [{ full_name: "*" }, "full_name"],
    [{ email: "nonsense" }, "email"],
    [{ password: "123456" }, "password"],
  ] as const)
    expect(await send({ token: one, ...form })).toMatchObject({
      status: 400,
      html: expect.stringContaining(`id="${field}-wrong"`),
    });
  const forged = await browser.open("/setup/", { method: "POST", form: { ...wanted, token: one } });
  expect(forged.status).toBe(403);

  const many = await Promise.all([
    send({ token: one }, 0),
    send({ token: two, email: "other@example.com" }, 1),
    send({ token: one, email: "third@example.com" }, 1),
  ]);

  expect(many.filter(({ location }) => location === "/")).toHaveLength(1);
  const realms = await server.nodes[0]?.ctx.db.selectFrom("realms").select(["name", "host"]).execute();
  expect(realms).toEqual([{ name: "Harbor & Sons", host: null }]);
  for (const node of [0, 1]) {
    expect(await send({ token: two }, node)).toMatchObject({ status: 303, location: "/login/" });
    expect(await browser.call("GET", "/users/me", {}, { node })).toMatchObject({ is_owner: true });
  }
  const { subscriptions } = await browser.call("GET", "/users/me/subscriptions");
  expect(subscriptions).toMatchObject([{ name: "general" }]);
  const greeting = { anchor: "newest", num_before: "1", num_after: "0", narrow: '[["is","dm"]]' };
  expect((await browser.call("GET", "/messages", greeting))["messages"]).toEqual([
    expect.objectContaining({ flags: ["starred"] }),
  ]);
});

test("a server that has an organization offers no setup and prints no token", async () => {
  const realm = await newRealm();
  const browser = new TestBrowser(realm);

  for (const node of realm.nodes) expect(node.setupUrl).toBeUndefined();
  expect(await browser.open("/setup/")).toMatchObject({ status: 303, location: "/login/" });
  expect(await browser.send("/setup/", { ...wanted, token: "" })).toMatchObject({ status: 303, location: "/login/" });
});
