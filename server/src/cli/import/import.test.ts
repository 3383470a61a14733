import { getMessages } from "@skein/api/fetch-messages.ts";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { channelOf, sendToChannel } from "../../../test/actions.ts";
import { Commands } from "../../../test/commands.ts";
import { newRealm, success, type TestRealm } from "../../../test/realm.ts";

const shortNameOf = ({ host }: TestRealm): string => host.split(".")[0] ?? "";

async function organizationWith(content: string): Promise<{ skein: Commands; file: string }> {
  const realm = await newRealm();
  await sendToChannel(realm.admin, await channelOf([realm.admin], "court"), { content });
  const file = join(await mkdtemp(join(inject("scratchFolder"), "moved-")), "export.tar.gz");
  const skein = new Commands(realm.ctx);
  await skein.text("realm", "export", "--realm", shortNameOf(realm), "--everything", "--output", file);
  return { skein, file };
}

test("an organization is exported, inspected and imported into another, once", async () => {
  const { skein, file } = await organizationWith("to be");
  const copy = await newRealm();
  const run = () => skein.json("import", "run", file, "--realm", shortNameOf(copy));

  expect(await skein.json("import", "inspect", file)).toMatchObject({ source: "skein", messages: { total: 1 } });
  expect(await run()).toMatchObject({ imported: { messages: 1, channels: 1 } });
  expect(await run()).toMatchObject({ imported: { messages: 0, channels: 0 } });

  const narrow = [{ operator: "channel", operand: "court" }];
  const page = { anchor: "newest", num_before: 10, num_after: 0, narrow, apply_markdown: false };
  const { messages } = success(await copy.admin.call(getMessages, page));
  expect(messages.map(({ content }) => content)).toEqual(["to be"]);
});

test("an export of a second organization is refused", async () => {
  const [first, second] = [await organizationWith("to be"), await organizationWith("or not")];
  const copy = await newRealm();
  const run = (file: string) => first.skein.json("import", "run", file, "--realm", shortNameOf(copy));

  await run(first.file);

  await expect(run(second.file)).rejects.toThrow("exports of a different organization were imported before");
});
