/** The common layout of the server's HTML pages (reference and accounts): no scripts, accessible, light and dark mode. */

export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** The exact content of the style element, so that a page's CSP can allow it alone by hash. */
export const style = `
:root { color-scheme: light dark;
  --app: light-dark(#f3f5f4, #131615); --surface: light-dark(#ffffff, #191d1c); --code: light-dark(#f0f3f1, #222827);
  --text: light-dark(#1a1f1d, #e6ebe9); --text-2: light-dark(#48514e, #b3bdb9); --text-3: light-dark(#5f6865, #96a29e);
  --link: light-dark(#0a6459, #69d2c2); --accent: light-dark(#0b6b60, #4cc4b2); --on-accent: light-dark(#ffffff, #04211c);
  --danger: light-dark(#b3261e, #ff8f85);
  --border: light-dark(#7e8884, #75817d); --line: light-dark(#d8ddda, #303735); --focus: light-dark(#0b57d0, #8ab4f8); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--surface);
  overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 12px; background: var(--code); border: 1px solid var(--line); border-radius: 6px; }
.card { display: flex; flex-direction: column; align-items: center; min-height: 100vh; min-height: 100dvh;
  padding: clamp(24px, 10vh, 112px) 16px 24px; background: var(--app); }
.card > * { width: 100%; max-width: 25rem; }
.brand { display: flex; align-items: center; gap: 12px; margin: 0 0 20px; font-size: 1.125rem; font-weight: 600; }
.brand > :last-child { min-width: 0; }
.brand img, .mark { flex: none; width: 40px; height: 40px; border-radius: 10px; }
.mark { display: grid; place-items: center; font-size: 1.25rem; color: var(--on-accent); background: var(--accent); }
.card main { padding: 28px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.card h1 { margin: 0 0 8px; font-size: 1.375rem; }
.card main > p { margin: 0 0 12px; color: var(--text-2); }
.card main > :last-child { margin-bottom: 0; }
.card strong { color: var(--text); }
form { display: grid; gap: 16px; margin: 20px 0 16px; }
.field { display: grid; gap: 4px; }
.card main > .field { margin-bottom: 16px; }
.field > div { display: flex; justify-content: space-between; gap: 12px; }
label { font-size: 0.875rem; font-weight: 600; }
.field a { font-size: 0.875rem; }
input { width: 100%; min-height: 44px; padding: 8px 12px; font: inherit; color: inherit; background: var(--surface);
  border: 1px solid var(--border); border-radius: 6px; }
input[type="checkbox"] { width: 20px; min-height: 20px; margin: 0 8px 0 0; vertical-align: middle; }
input[readonly] { color: var(--text-2); background: var(--app); }
input[aria-invalid="true"] { border: 2px solid var(--danger); padding: 7px 11px; }
.hint, .wrong { margin: 0; font-size: 0.875rem; }
.hint { color: var(--text-3); }
.wrong { font-weight: 600; color: var(--danger); }
button, .button { display: block; width: 100%; min-height: 44px; padding: 10px 16px; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 6px;
  cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.08); }
.card main > .problem { margin: 16px 0; padding: 10px 14px; border-left: 4px solid var(--danger); border-radius: 4px;
  background: var(--app); color: var(--text); }
.aside { padding-top: 16px; border-top: 1px solid var(--line); font-size: 0.875rem; }
.card footer { margin-top: 16px; text-align: center; font-size: 0.8125rem; color: var(--text-3); }
@media (max-width: 30rem) { .card { padding: 24px 12px; } .card main { padding: 20px; } }
@media (prefers-reduced-motion: no-preference) { button, .button { transition: filter 120ms ease-out; } }
`;

interface Shell {
  title: string;
  /** The kind of page, for its styling. */
  kind: "reference" | "card";
  /** HTML. */
  body: string;
  /** Constants: nothing is ever interpolated into them. */
  style?: string;
  script?: string;
}

/** The complete page around a body. */
export const shell = ({ title, kind, body, style: ownStyle = style, script = "" }: Shell): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<style>${ownStyle}</style>
</head>
<body class="${kind}">
${body}${script === "" ? "" : `\n<script>${script}</script>`}
</body>
</html>
`;
