/** Bots: accounts for programs, each with an owner who is responsible for it. */
import { z } from "zod";
import { endpoint, fewValues, json } from "./endpoint.ts";
import { powerfulRoles, role } from "./users.ts";

export const botTypes = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3, embedded: 4 } as const;
export const webhookInterfaces = { generic: 1, slack: 2 } as const;
export const maxWebhookUrlLength = 2000;

const configData = z.record(z.string(), z.string()).describe("Settings of the bot, by name.");

const webhookService = z.strictObject({
  base_url: z.string().describe("The URL to which messages for the bot are posted."),
  interface: z.int().describe("The format of these requests: 1 generic, 2 Slack-compatible."),
  token: z.string().describe("Included in each of these requests, so that the receiver can verify its origin."),
});

const embeddedService = z.strictObject({ service_name: z.string(), config_data: configData });

const defaults = {
  default_sending_stream: z.string().nullable().describe("The channel it writes to when it names none; null: none."),
  default_events_register_stream: z
    .string()
    .nullable()
    .describe("The channel its event queues are about when it asks for nothing else; null: all it receives."),
  default_all_public_streams: z
    .boolean()
    .describe("Whether its event queues carry the messages of every public channel unless it asks otherwise."),
};

export const botObject = z
  .strictObject({
    user_id: z.int(),
    email: z.string(),
    full_name: z.string(),
    bot_type: z.int().nullable().describe("1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded."),
    is_active: z.boolean(),
    owner_id: z.int().nullable().describe("The owner; null when there is none."),
    api_key: z
      .string()
      .describe(
        "Its key; empty when a new one is needed, and when the bot is an organization owner and the caller is not.",
      ),
    avatar_url: z.string(),
    ...defaults,
    services: z
      .array(z.union([webhookService, embeddedService]))
      .describe("One entry for outgoing webhook and embedded bots."),
  })
  .meta({ id: "Bot" });
export type BotObject = z.output<typeof botObject>;

const area = "Bots";
const botId = json(z.int()).describe("The bot.");
const channelName = z.string().optional();

export const getBots = endpoint({
  operation: "get-bots",
  method: "GET",
  path: "/bots",
  auth: "user",
  scope: "account",
  area,
  summary: "Get own bots",
  description: "The caller's active bots with their API keys.",
  params: {},
  returns: {
    bots: z.array(
      z.strictObject({
        username: z.string().describe("Its e-mail address."),
        full_name: z.string(),
        api_key: botObject.shape.api_key,
        avatar_url: z.string(),
        ...defaults,
      }),
    ),
  },
});

export const createBot = endpoint({
  operation: "create-bot",
  method: "POST",
  path: "/bots",
  auth: "user",
  scope: "account",
  area,
  summary: "Create a bot",
  description:
    "Create a bot owned by the caller. This requires can_create_bots_group or, for bots that can only send " +
    "messages, can_create_write_only_bots_group.",
  file: "An avatar.",
  fileIsOptional: true,
  params: {
    full_name: z.string().describe("Its name, as others see it."),
    short_name: z.string().describe("The first part of its e-mail address, to which -bot is added."),
    bot_type: json(z.int())
      .default(botTypes.generic)
      .describe("1 generic; 2 incoming webhook, which can only send messages; 3 outgoing webhook; 4 embedded."),
    payload_url: json(z.string())
      .default("")
      .describe("For outgoing webhooks: the URL to which messages for the bot are posted."),
    interface_type: json(z.int())
      .default(webhookInterfaces.generic)
      .describe("For outgoing webhooks: the format of these requests, 1 generic or 2 Slack-compatible."),
    service_name: z.string().optional().describe("For outgoing webhooks a name of the service; else the integration."),
    config_data: json(configData, fewValues).default({}).describe("Settings the integration asks for."),
    default_sending_stream: channelName.describe("The channel it writes to when it names none."),
    default_events_register_stream: channelName.describe(
      "The channel its event queues are about when it asks for nothing else.",
    ),
    default_all_public_streams: json(z.boolean())
      .default(false)
      .describe("Whether its event queues carry the messages of every public channel unless it asks otherwise."),
  },
  returns: {
    user_id: z.int().describe("The new bot."),
    api_key: z.string().describe("Its key."),
    avatar_url: z.string(),
    ...defaults,
  },
});

export const updateBot = endpoint({
  operation: "update-bot",
  method: "PATCH",
  path: "/bots/{bot_id}",
  auth: "user",
  scope: "account",
  stepUp: { role: powerfulRoles },
  area,
  summary: "Update a bot",
  description: "Change a bot. For its owner and for administrators.",
  file: "A new avatar.",
  fileIsOptional: true,
  params: {
    bot_id: botId,
    full_name: z.string().optional().describe("A new name."),
    short_name: z
      .string()
      .optional()
      .describe("The first part of another e-mail address, to which -bot is added; the old one stops working."),
    role: json(role)
      .optional()
      .describe("A new role. For administrators. A bot that becomes an owner needs a new key."),
    bot_owner_id: json(z.int()).optional().describe("The new owner."),
    config_data: json(configData, fewValues).optional().describe("Settings to add or change."),
    service_payload_url: json(z.string()).optional().describe("The URL to which messages for the bot are posted."),
    service_interface: json(z.int())
      .optional()
      .describe("The format of these requests: 1 generic, 2 Slack-compatible."),
    default_sending_stream: channelName.describe("The channel it writes to when it names none; empty: none."),
    default_events_register_stream: channelName.describe(
      "The channel its event queues are about when it asks for nothing else; empty: all it receives.",
    ),
    default_all_public_streams: json(z.boolean())
      .optional()
      .describe("Whether its event queues carry the messages of every public channel unless it asks otherwise."),
  },
  returns: {
    full_name: z.string(),
    avatar_url: z.string(),
    ...defaults,
    service_payload_url: z.string().nullable().describe("As given; null when it was not."),
    service_interface: z.int().nullable().describe("As given; null when it was not."),
    config_data: configData.nullable().describe("As given; null when it was not."),
    bot_owner: z.string().optional().describe("The owner's e-mail address; absent when there is no owner."),
  },
});

export const deactivateBot = endpoint({
  operation: "deactivate-bot",
  method: "DELETE",
  path: "/bots/{bot_id}",
  auth: "user",
  scope: "account",
  area,
  summary: "Deactivate a bot",
  description: "Deactivate a bot. For its owner and for administrators.",
  params: { bot_id: botId },
  returns: {},
});

export const getBotApiKey = endpoint({
  operation: "get-bot-api-key",
  method: "GET",
  path: "/bots/{bot_id}/api_key",
  auth: "user",
  scope: "account",
  area,
  summary: "Get a bot's API key",
  description: "The API key of a bot. For its owner and for administrators.",
  params: { bot_id: botId },
  returns: { api_key: botObject.shape.api_key },
});

export const regenerateBotApiKey = endpoint({
  operation: "regenerate-bot-api-key",
  method: "POST",
  path: "/bots/{bot_id}/api_key/regenerate",
  auth: "user",
  scope: "account",
  area,
  summary: "Regenerate a bot's API key",
  description: "Create a new API key for a bot; the old one stops working. For its owner and for administrators.",
  params: { bot_id: botId },
  returns: { api_key: z.string().describe("The new key.") },
});

const { user_id, email: _, bot_type: __, ...changeable } = botObject.shape;

export const realmBotEvents = [
  z
    .strictObject({ type: z.literal("realm_bot"), op: z.literal("add"), bot: botObject })
    .describe("A bot was created, or the reader became its owner. For its owner and for administrators."),
  z
    .strictObject({
      type: z.literal("realm_bot"),
      op: z.literal("update"),
      bot: z.strictObject({ user_id, ...z.strictObject(changeable).partial().shape }),
    })
    .describe("A bot changed; only changed fields are present. For its owner and for administrators."),
  z
    .strictObject({ type: z.literal("realm_bot"), op: z.literal("delete"), bot: z.strictObject({ user_id }) })
    .describe("The reader is no longer the bot's owner."),
] as const;

export const botState = {
  realm_bots: z.array(botObject).describe("The bots the caller may administer, by ID: for administrators all of them."),
};

export const embeddedBotState = {
  realm_embedded_bots: z
    .array(z.strictObject({ name: z.string(), config: z.record(z.string(), z.string()) }))
    .describe("The available embedded bots."),
};

const webhookOption = z.strictObject({
  key: z.string().describe("The parameter of the address."),
  label: z.string().describe("For people to read."),
  validator: z.string().describe("check_bool or check_string: what the value has to be."),
});

export const incomingWebhookState = {
  realm_incoming_webhook_bots: z
    .array(
      z.strictObject({
        name: z.string().describe("Part of the address that deliveries go to."),
        display_name: z.string().describe("For people to read."),
        all_event_types: z.array(z.string()).nullable().describe("Kinds of events to choose from; null: no choice."),
        url_options: z.array(webhookOption).describe("What can be set in the address."),
        config_options: z
          .array(webhookOption)
          .describe("The same, where clients of older levels look for it. Bots are made without options."),
      }),
    )
    .describe("The services whose deliveries incoming webhooks understand."),
};

export const endpoints = [getBots, createBot, updateBot, deactivateBot, getBotApiKey, regenerateBotApiKey];
