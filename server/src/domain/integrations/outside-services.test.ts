import { expect, test } from "vitest";
import { startNode } from "../../../test/nodes.ts";
import { newRealm } from "../../../test/realm.ts";
import { integrations } from "./incoming-webhooks/integrations.ts";

test("registration reports which external services the operator has configured", async () => {
  const node = await startNode({
    environment: {
      SKEIN_ROLES: "api",
      SKEIN_GIPHY_API_KEY: "key of the operator",
      SKEIN_JITSI_SERVER_URL: "https://meet.example.com/",
    },
  });
  const [chosen, usual] = [await newRealm([node]), await newRealm()];
  const fetch = ["giphy", "tenor", "realm", "video_calls", "realm_billing"];

  expect((await chosen.admin.register([], fetch)).state).toMatchObject({
    giphy_api_key: "key of the operator",
    server_jitsi_server_url: "https://meet.example.com",
    jitsi_server_url: "https://meet.example.com",
  });
  expect((await usual.admin.register([], fetch)).state).toMatchObject({
    giphy_api_key: "",
    tenor_api_key: "",
    server_jitsi_server_url: "https://meet.jit.si",
    realm_jitsi_server_url: null,
    has_zoom_token: false,
    realm_billing: { has_pending_sponsorship_request: false },
  });
});

test("registration reports which services incoming webhooks support", async () => {
  const realm = await newRealm();

  const { state } = await realm.admin.register([], ["realm_incoming_webhook_bots"]);

  const names = state.realm_incoming_webhook_bots?.map(({ name }) => name);
  expect(names).toEqual(integrations.map(({ name }) => name));
});
