import { consequences } from "../areas.ts";
import type { Config } from "../config.ts";
import type { TxContext } from "../context.ts";
import { Consequences } from "../domain/messages/send/consequence.ts";
import { createMemory } from "../memory.ts";
import { SecretBox } from "../platform/secret-box.ts";

/** What a command needs for changes that send messages. */
export const txContext = (config: Config): TxContext => ({
  config,
  consequences: new Consequences(consequences),
  memory: createMemory(config),
  secretBox: new SecretBox(config.secret, config.secondSecret),
});
