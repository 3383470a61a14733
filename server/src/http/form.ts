/**
 * Parameters as they arrive: names and texts, from the query, a urlencoded body or a multipart body, on every method
 * alike. A name in the body wins over the same name in the query; of several equal names the first counts.
 */
import { Busboy } from "@fastify/busboy";
import { ApiError } from "../errors.ts";

export type Form = Map<string, string>;

const maxFields = 5000;
const maxFieldBytes = 10 * 1024 ** 2;

export function readPairs(text: string, into: Form): void {
  if (text === "") return;
  const known = into.size;
  const earlier = known > 0 ? new Set(into.keys()) : undefined;
  for (const [name, value] of new URLSearchParams(text)) {
    if (earlier?.has(name) || into.has(name)) continue;
    if (into.size - known >= maxFields) throw new ApiError("Too many parameters");
    into.set(name, value);
  }
}

/** The fields of a multipart body. Files among them are read past: no endpoint here takes one. */
export async function readMultipart(contentType: string, body: NodeJS.ReadableStream): Promise<Form> {
  const form: Form = new Map();
  const malformed = () => new ApiError("Malformed multipart body");
  return new Promise((resolve, reject) => {
    const fail = () => {
      body.resume();
      reject(malformed());
    };
    let parser: InstanceType<typeof Busboy>;
    try {
      parser = new Busboy({
        headers: { "content-type": contentType },
        limits: { fields: maxFields, fieldSize: maxFieldBytes, parts: maxFields },
      });
    } catch {
      fail();
      return;
    }
    parser.on("field", (name, value) => {
      if (!form.has(name)) form.set(name, value);
    });
    parser.on("file", (_name, file) => file.resume());
    // A form without any field, as client libraries send it, is no complete multipart body; it is an empty form.
    parser.on("error", () => (form.size === 0 ? resolve(form) : fail()));
    parser.on("finish", () => resolve(form));
    body.on("error", fail);
    body.pipe(parser);
  });
}
