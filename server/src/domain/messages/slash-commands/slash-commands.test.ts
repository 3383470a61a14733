import { createBot } from "@skein/api/bots.ts";
import { runSlashCommand } from "@skein/api/slash-commands.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";

test.each([
  ["/dark", "color_scheme", 2],
  ["/night", "color_scheme", 2],
  ["/light", "color_scheme", 3],
  ["/day", "color_scheme", 3],
  ["/fluid-width", "fluid_layout_width", true],
])("%s sets %s for the user who runs it", async (command, property, value) => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["user_settings"]);

  const { msg } = success(await realm.admin.call(runSlashCommand, { command }));
  const again = success(await realm.admin.call(runSlashCommand, { command }));

  expect(await queue.next()).toEqual({ type: "user_settings", op: "update", property, value });
  expect(msg).toContain("Switched to");
  expect(again.msg).toContain("already");
  const { state } = await realm.admin.register([], ["user_settings"]);
  expect(state.user_settings).toMatchObject({ [property]: value });
});

test("one command undoes the other", async () => {
  const realm = await newRealm();

  for (const command of ["/fluid-width", "/fixed-width"]) success(await realm.admin.call(runSlashCommand, { command }));

  const { state } = await realm.admin.register([], ["user_settings"]);
  expect(state.user_settings?.fluid_layout_width).toBe(false);
});

test("a ping gets a response, and an unknown command is refused", async () => {
  const realm = await newRealm();
  const run = (command: string) => realm.admin.call(runSlashCommand, { command });

  expect(await run("/ping")).toEqual({ result: "success", msg: "" });
  expect(await run("dark")).toMatchObject({ msg: "There should be a leading slash in the zcommand." });
  expect(await run("/dance")).toMatchObject({ code: "BAD_REQUEST", msg: "No such command: dance" });
});

test("a bot cannot choose a theme", async () => {
  const realm = await newRealm();
  const { api_key, user_id } = success(await realm.admin.call(createBot, { full_name: "Robot", short_name: "robot" }));
  const { delivery_email } = await realm.ctx.db
    .selectFrom("users")
    .select("delivery_email")
    .where("id", "=", user_id)
    .executeTakeFirstOrThrow();
  const [node] = realm.nodes;
  const bot = node && realm.client(node, { email: delivery_email, apiKey: api_key });

  expect(await bot?.call(runSlashCommand, { command: "/dark" })).toMatchObject({
    msg: "This endpoint does not accept bot requests.",
  });
});
