/** Messages of every kind, rendered as the server does it. */
import { codeHighlighter } from "../../../server/src/domain/messages/markdown/highlight.ts";
import { mathRenderer } from "../../../server/src/domain/messages/markdown/math.ts";
import type { MarkdownContext, UploadedImage } from "../../../server/src/markdown/context.ts";
import { renderMarkdown } from "../../../server/src/markdown/render.ts";

const texts: Record<string, string> = {
  text: "Plain words, **bold**, *italic*, ~~gone~~ and `inline code`. A link to https://example.com/release-notes and [a named one](https://example.com/plan).\nA second line of the same paragraph.",
  mentions:
    "@**Ada Lovelace** and @**Bo Larsen**: the @*designers* agreed with @_**Grace Hopper** in #**design** and #**design>logo colours**. @**all** please look before <time:2026-03-05T14:00:00Z>. :tada: :heart: 👀 :parrot:",
  lists:
    "# Release 2.4\nWhat is left:\n* migrate the *old* topics\n  * test on a copy\n  * keep a backup\n* tell people\n\n1. Freeze on Monday\n2. Ship on Tuesday\n\n### Smaller heading\n> Quoted words of somebody\n> on two lines\n\nand an answer.\n\n---\nThe end.",
  table:
    "| name | owner | days |\n|:--|:-:|--:|\n| Sign-in page | Ada | 3 |\n| Local copy | Grace | 12 |\n| Keyboard | Bo | 5 |",
  code: '```python\n# The longest line decides how wide this gets\n@dataclass\nclass Message:\n    sender: str\n    content: str = "hello"\n\n    def words(self) -> int:\n        """Count."""\n        return len(self.content.split()) + 42\n```\n\n```\nno language at all\n```',
  code2:
    '```typescript\nexport async function send(text: string, retries = 3): Promise<void> {\n  for (let attempt = 0; attempt < retries; attempt++) {\n    const answer = await fetch(`/json/messages?attempt=${attempt}`, { method: "POST", body: text }); // never twice\n    if (answer.ok) return;\n  }\n  throw new Error("not sent");\n}\n```\n\n```diff\n-const limit = 10;\n+const limit = 20;\n```',
  math: "Energy $$E = mc^2$$ inline, over $$\\mathbb{R}^n$$.\n```math\n\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2} \\qquad \\begin{aligned} a &= b + c \\\\ &= d \\end{aligned}\n```",
  spoiler: "```spoiler The end of the *story*\nThe butler did it, with `code`.\n```",
  pictures:
    "[logo.png](/user_uploads/2/ab/logo.png) and [wide.png](/user_uploads/2/ab/wide.png)\n[coming.png](/user_uploads/2/ab/coming.png)",
};

const context: MarkdownContext = {
  realmUrl: "http://localhost",
  users: [
    { user_id: 1, full_name: "Ada Lovelace" },
    { user_id: 2, full_name: "Bo Larsen" },
    { user_id: 3, full_name: "Grace Hopper" },
  ],
  groups: [{ id: 7, name: "designers" }],
  channels: [{ stream_id: 5, name: "design", topics: new Map([["logo colours", 12]]) }],
  realmEmoji: [{ name: "parrot", source_url: "/user_avatars/2/emoji/parrot.svg" }],
  uploads: new Map<string, UploadedImage>([
    ["2/ab/logo.png", picture(640, 480)],
    ["2/ab/wide.png", picture(1600, 400)],
    ["2/ab/coming.png", { width: 800, height: 500, content_type: "image/png" }],
  ]),
};

function picture(width: number, height: number) {
  return { width, height, content_type: "image/png", thumbnail_url: `/pictures/${width}x${height}.svg` };
}

export const samples = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      renderMarkdown(text, { ...context, highlight: codeHighlighter(), renderMath: mathRenderer() }).html,
    ]),
  );
