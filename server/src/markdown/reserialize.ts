/**
 * The reference server parses a message with the thumbnail of an uploaded image and serializes it again. The visible
 * effect is that entities other than `&amp;`, `&lt;` and `&gt;` become characters.
 */
import { decodeEntities } from "./entities.ts";

const entityOrTag = /<[^>]*>|&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[0-9a-zA-Z]+);/g;
const escaped: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Decodes entities, except inside tags. */
export const reserialize = (html: string): string =>
  html.replaceAll(entityOrTag, (found) => {
    if (found.startsWith("<")) return found;
    const character = decodeEntities(found);
    return escaped[character] ?? character;
  });
