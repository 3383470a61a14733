/** Decodes a page with the encoding that its header or its head names. */
const namedInHeader = /charset\s*=\s*"?([\w-]{1,40})/i;
const namedInHead = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i;
/** Browsers search this many bytes for it. */
const searchedBytes = 1024;

export function pageText(body: Buffer, contentType: string): string {
  const label =
    namedInHeader.exec(contentType)?.[1] ?? namedInHead.exec(body.toString("latin1", 0, searchedBytes))?.[1];
  return decoder(label ?? "utf-8").decode(body);
}

function decoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder(); // no encoding has that name
    throw error;
  }
}
