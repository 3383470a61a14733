/** Generates a valid value for a parameter from its declaration. */
import { decodedSchema, type Endpoint, type WireParam } from "@skein/api/endpoint.ts";
import { groupSettingUpdate } from "@skein/api/group-setting.ts";
import { z } from "zod";
import type { Draw } from "./draw.ts";

interface Described {
  enum?: unknown[];
  anyOf?: Described[];
  type?: string;
  minimum?: number;
  maximum?: number;
}

const largest = 50;

function valueOf(described: Described, draw: Draw): unknown {
  const { random } = draw;
  if (described.enum) return random.oneOf(described.enum);
  if (described.anyOf) return valueOf(random.oneOf(described.anyOf) ?? {}, draw);
  switch (described.type) {
    case "boolean":
      return draw.yes();
    case "integer": {
      const minimum = Math.max(described.minimum ?? 0, -1);
      return minimum + random.below(Math.min(described.maximum ?? largest, largest) - minimum + 1);
    }
    case "null":
      return null;
    default:
      return draw.word();
  }
}

export function anyValue(parameter: WireParam, draw: Draw): unknown {
  const schema = decodedSchema(parameter);
  if (schema === groupSettingUpdate) return draw.groupChange();
  // A type without a JSON Schema gets a word.
  return valueOf(z.toJSONSchema(schema, { unrepresentable: "any" }) as Described, draw);
}

/** Values for one to three of an endpoint's parameters, except the given ones. */
export function anyOf(endpoint: Endpoint, draw: Draw, except: readonly string[] = []): Record<string, unknown> {
  const names = Object.keys(endpoint.params).filter((name) => !except.includes(name));
  const chosen = draw.random.shuffled(names).slice(0, 1 + draw.random.below(3));
  return Object.fromEntries(
    chosen.flatMap((name) => {
      const parameter = endpoint.params[name];
      return parameter ? [[name, anyValue(parameter, draw)]] : [];
    }),
  );
}
