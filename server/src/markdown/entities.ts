import { decodeHTMLStrict } from "entities/decode";

/** Decodes entities as a browser does. Those without a semicolon are escaped when HTML is written (escape.ts). */
export const decodeEntities = (text: string): string => (text.includes("&") ? decodeHTMLStrict(text) : text);
