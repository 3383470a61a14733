import { getAttachments, removeAttachment } from "@skein/api/uploads.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchAs, statusFor, uploadAs } from "../../../../test/files.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success } from "../../../../test/realm.ts";
import { S3Server } from "../../../../test/s3-server.ts";

let store: S3Server;
beforeAll(async () => {
  store = await S3Server.start();
});
afterAll(() => store.stop());

const nodeWithBucket = () =>
  startNode({
    environment: {
      SKEIN_S3_BUCKET: store.bucket,
      SKEIN_S3_ENDPOINT: store.endpoint,
      SKEIN_S3_REGION: store.region,
      SKEIN_S3_ACCESS_KEY: store.keys.accessKey,
      SKEIN_S3_SECRET_KEY: store.keys.secretKey,
      SKEIN_ROLES: "api,relay",
    },
  });

test("files in a bucket are served by all nodes, like those in a folder", async () => {
  const realm = await newRealm([await nodeWithBucket(), await nodeWithBucket()]);
  const content = Buffer.alloc(9 * 1024 ** 2, "abc");

  const url = await uploadAs(realm.admin, { name: "a.bin", content });

  const key = url.replace("/user_uploads/", "uploads/");
  // Nodes share the files of their web client there, too.
  expect([...store.objects.keys()].filter((each) => !each.startsWith("web-assets/"))).toEqual([key]);
  for (const _ of realm.nodes) {
    const fetched = await fetchAs(realm.admin, url);
    expect(Buffer.from(await fetched.arrayBuffer()).equals(content)).toBe(true);
  }
  const part = await fetchAs(realm.admin, url, { headers: { range: "bytes=3-5" } });
  expect([part.status, await part.text()]).toEqual([206, "abc"]);
  const { attachments } = success(await realm.admin.call(getAttachments, {}));
  success(await realm.admin.call(removeAttachment, { attachment_id: attachments[0]?.id ?? 0 }));
  expect(await statusFor(realm.admin, url)).toBe(404);
});
