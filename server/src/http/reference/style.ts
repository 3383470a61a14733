/** The style of the reference. It is a constant, so that the pages' policy can allow it by its hash. */
export const referenceStyle = `
:root { color-scheme: light dark;
  --surface: light-dark(#ffffff, #161a19); --side: light-dark(#f6f8f7, #121514); --code: light-dark(#f3f6f4, #1d2221);
  --text: light-dark(#1a1f1d, #e6ebe9); --text-2: light-dark(#48514e, #b3bdb9); --text-3: light-dark(#5f6865, #96a29e);
  --link: light-dark(#0a6459, #69d2c2); --accent: light-dark(#0b6b60, #4cc4b2); --here: light-dark(#e0efec, #1f3531);
  --line: light-dark(#dde2df, #2b3230); --border: light-dark(#7e8884, #75817d); --focus: light-dark(#0b57d0, #8ab4f8);
  --danger: light-dark(#b3261e, #ff8f85); --string: light-dark(#0b6e3b, #8fd6a5); --number: light-dark(#8a3b00, #f0b27a);
  --key: light-dark(#6b2fa0, #cfa8f5); --comment: light-dark(#626b68, #8f9b97);
  --get: light-dark(#0a5c9c, #7cc0f5); --post: light-dark(#0b6e3b, #7fd39b); --change: light-dark(#8a4b00, #efb366); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 16px; }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; color: var(--text); background: var(--surface); overflow-wrap: break-word; }
a { color: var(--link); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { margin: 0 0 8px; font-size: 1.75rem; }
h2 { margin: 40px 0 8px; font-size: 1.1875rem; }
h3 { margin: 24px 0 4px; font-size: 1rem; }
h1 code, h2 code { font-size: 0.875em; }
p { margin: 0 0 12px; max-width: 44rem; }
code, pre { font: 0.8125rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
:not(pre) > code { padding: 1px 4px; background: var(--code); border-radius: 4px; overflow-wrap: anywhere; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 12px; top: 12px; z-index: 2; padding: 8px 12px; background: var(--surface); }
.top { display: none; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
.side { grid-column: 1; grid-row: 1; position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 0 16px 20px;
  background: var(--side); border-right: 1px solid var(--line); font-size: 0.875rem; }
.head { position: sticky; top: 0; z-index: 1; margin: 0 -16px; padding: 20px 16px 1px; background: var(--side); }
.side .name { display: flex; align-items: center; gap: 10px; margin: 0 0 16px; font-size: 1rem; font-weight: 600; color: inherit;
  text-decoration: none; }
.side .name img { width: 28px; height: 28px; }
.search { display: flex; gap: 6px; margin: 0 0 16px; }
.search input { flex: 1; min-width: 0; min-height: 36px; padding: 6px 10px; font: inherit; color: inherit; background: var(--surface);
  border: 1px solid var(--border); border-radius: 6px; }
.search button { padding: 6px 10px; font: inherit; color: inherit; background: none; border: 1px solid var(--border);
  border-radius: 6px; cursor: pointer; }
.side summary { padding: 6px 8px; font-weight: 600; cursor: pointer; border-radius: 6px; }
.side ul { margin: 0 0 8px; padding: 0; list-style: none; }
.side li a { display: block; padding: 4px 8px 4px 20px; color: var(--text-2); text-decoration: none; border-radius: 6px; }
.side li a:hover, .side summary:hover { background: var(--here); color: var(--text); }
.side li a[aria-current] { background: var(--here); color: var(--text); font-weight: 600; }
main { grid-column: 2; grid-row: 1; min-width: 0; padding: 40px clamp(16px, 4vw, 56px) 80px; max-width: 96rem; }
.lead { font-size: 1.0625rem; color: var(--text-2); }
.route { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin: 0 0 16px; }
.method { padding: 1px 6px; font: 600 0.75rem/1.6 ui-monospace, monospace; border: 1px solid; border-radius: 4px; }
.GET { color: var(--get); } .POST, .PUT { color: var(--post); } .PATCH { color: var(--change); } .DELETE { color: var(--danger); }
.two > div:first-child > :is(h2, p):first-child { margin-top: 8px; }
.two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(24rem, 34rem); gap: 0 48px; align-items: start; }
.beside { position: sticky; top: 16px; max-height: calc(100vh - 32px); overflow-y: auto; padding-bottom: 4px; }
.fields { margin: 0 0 12px; border-top: 1px solid var(--line); }
.fields > div { padding: 12px 0; border-bottom: 1px solid var(--line); }
.fields dt { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 10px; }
.fields dt code { font-weight: 600; }
.fields dd { margin: 4px 0 0; color: var(--text-2); max-width: 44rem; }
.type, .note { font-size: 0.8125rem; color: var(--text-3); }
.type { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.required { font-size: 0.75rem; font-weight: 600; color: var(--danger); }
.scroll { margin-bottom: 16px; overflow-x: auto; }
.names th code { overflow-wrap: normal; }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; }
th, td { padding: 8px 16px 8px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--text-3); font-weight: 600; }
th[scope="row"] { font-weight: inherit; }
.links { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 12px; padding: 0; list-style: none; }
.links a { display: inline-block; padding: 3px 10px; border: 1px solid var(--line); border-radius: 999px; font-size: 0.875rem;
  text-decoration: none; }
.links a:hover { background: var(--here); }
.list { margin: 0; padding: 0; list-style: none; }
.list li { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 12px; padding: 6px 0; border-bottom: 1px solid var(--line); }
.list .type { margin-left: auto; }
.code { margin: 0 0 16px; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--code); }
.code figcaption { display: flex; align-items: center; gap: 8px; min-height: 36px; padding: 4px 12px; font-size: 0.8125rem;
  font-weight: 600; color: var(--text-3); border-bottom: 1px solid var(--line); }
.code pre { margin: 0; padding: 12px; overflow-x: auto; max-height: 28rem; }
.code pre code { white-space: pre; }
.copy { margin-left: auto; padding: 2px 8px; font: inherit; color: var(--link); background: none; border: 1px solid transparent;
  border-radius: 6px; cursor: pointer; }
.copy:hover { border-color: var(--line); }
.tabs { border: 0; margin: 0; padding: 0; min-width: 0; }
.tabs > legend { padding: 0; font-weight: 600; font-size: 0.875rem; margin-bottom: 6px; }
.tabs > input { position: absolute; opacity: 0; }
.tabs > label { display: inline-block; padding: 4px 12px; margin: 0 4px 8px 0; font-size: 0.875rem; border: 1px solid var(--line);
  border-radius: 6px; cursor: pointer; }
.tabs > input:checked + label { background: var(--here); border-color: var(--accent); font-weight: 600; }
.tabs > input:focus-visible + label { outline: 2px solid var(--focus); outline-offset: 2px; }
.tabs:has(.use-curl:checked) .in-typescript, .tabs:has(.use-typescript:checked) .in-curl { display: none; }
.c { color: var(--comment); font-style: italic; } .s { color: var(--string); } .k { color: var(--key); } .n { color: var(--number); }
.status { padding: 0 6px; border: 1px solid; border-radius: 4px; color: var(--post); }
.status.refused { color: var(--danger); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)); gap: 12px; margin: 16px 0 0; padding: 0;
  list-style: none; }
.cards a { display: block; height: 100%; padding: 14px 16px; border: 1px solid var(--line); border-radius: 8px; text-decoration: none;
  color: var(--text-2); font-size: 0.875rem; }
.cards a:hover { border-color: var(--accent); }
.cards b { display: block; color: var(--link); font-size: 1rem; }
@media (max-width: 75rem) { .two { grid-template-columns: minmax(0, 1fr); } .beside { position: static; max-height: none; order: -1; } }
@media (max-width: 50rem) { .page { display: block; } .side { position: static; height: auto; border: 0;
    border-top: 1px solid var(--line); padding: 20px 16px 60px; } .side li a { padding-block: 8px; } .head { position: sticky; top: 0; z-index: 1; margin: 0 -16px; padding: 20px 16px 1px; background: var(--side); }
.side .name { display: none; } .head { position: static; padding-top: 0; }
  main { padding: 20px 16px 48px; } h1 { font-size: 1.5rem; }
  .top { display: flex; justify-content: space-between; padding: 12px 16px; background: var(--side); border-bottom: 1px solid var(--line); }
  .top a:first-child { font-weight: 600; color: inherit; text-decoration: none; } }
@media print { .side, .copy { display: none; } .page { display: block; } }
`;
