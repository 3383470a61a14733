/** What all plain pages share, the reference and those of accounts. Plain HTML: no script, readable by keyboard and screen reader, light and dark. */

export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** All of what the style element holds, so that a page can name it as the only style it allows. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#d0d0d8, #44444e); --shade: light-dark(#f4f4f7, #26262c); }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif;
  color: light-dark(#1c1c22, #e8e8ee); background: light-dark(#ffffff, #17171b); }
a { color: light-dark(#0b57a4, #8cc2ff); }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.75rem; background: var(--shade); border: 1px solid var(--line); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:nth-child(2) { overflow-wrap: anywhere; }
th[scope="row"] { font-weight: inherit; }
label, input, button { display: block; }
input, button { margin: 0.25rem 0 1rem; padding: 0.5rem 0.75rem; font: inherit; }
input { width: 24rem; max-width: 100%; box-sizing: border-box; border: 1px solid var(--line); }
.problem { padding: 0.75rem; border-left: 0.25rem solid light-dark(#b3261e, #ff8a80); background: var(--shade); }
`;

export const frame = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Skein</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;

/** Rows of name, type and text under a heading. */
export function table(heading: string, rows: readonly [name: string, type: string, text: string][]): string {
  const body = rows.map(
    ([name, type, text]) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code></th>` +
      `<td><code>${escapeHtml(type)}</code></td><td>${escapeHtml(text)}</td></tr>`,
  );
  return `<table><thead><tr><th scope="col">${escapeHtml(heading)}</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${body.join("\n")}
</tbody></table>`;
}
