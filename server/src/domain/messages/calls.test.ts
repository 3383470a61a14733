import {
  createBigBlueButtonCall,
  createConstructorGroupsCall,
  createNextcloudTalkCall,
  createZoomCall,
} from "@skein/api/calls.ts";
import { getMessagesSummary } from "@skein/api/summaries.ts";
import { expect, test } from "vitest";
import { newRealm } from "../../../test/realm.ts";

test("services without credentials return the errors clients know", async () => {
  const { admin } = await newRealm();
  const refused = (msg: string) => ({ result: "error", code: "BAD_REQUEST", msg });

  expect(await admin.call(createBigBlueButtonCall, { meeting_name: "plans" })).toEqual(
    refused("BigBlueButton is not configured."),
  );
  expect(await admin.call(createZoomCall, {})).toEqual(refused("Zoom credentials have not been configured"));
  expect(await admin.call(createConstructorGroupsCall, {})).toEqual(refused("Constructor Groups is not configured."));
  expect(await admin.call(createNextcloudTalkCall, { room_name: "plans" })).toEqual(
    refused("Nextcloud Talk is not configured."),
  );
  expect(await admin.call(getMessagesSummary, { narrow: [] })).toEqual(
    refused("AI features are not enabled on this server."),
  );
  const { state } = await admin.register([], ["realm"]);
  expect(state.server_can_summarize_topics).toBe(false);
});
