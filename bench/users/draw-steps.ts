/** The CPU time of each step by process, as stacked bars in SVG, readable on a light and on a dark page. */
import { figure } from "../statistics.ts";
import { coresOf } from "./baseline.ts";
import { whatBroke, type StepResult } from "./verdict.ts";

const width = 720;
const labelWidth = 110;
const valueWidth = 230;
const rowHeight = 34;
const top = 76;
const colors = ["#2f6fbf", "#6ca8f0", "#8250df", "#bf8700", "#1a7f37", "#d1600f", "#9aa4af"];

/** The api processes together, then the others in their order. */
function partsOf({ cpu }: StepResult): [string, number][] {
  const api = cpu.filter(([name]) => name.startsWith("api")).reduce((sum, [, cores]) => sum + cores, 0);
  return [["api", api], ...cpu.filter(([name]) => !name.startsWith("api"))];
}

export function drawSteps(results: readonly StepResult[]): string {
  const highest = Math.max(0.01, ...results.map(coresOf));
  const scale = (cores: number) => (cores / highest) * (width - labelWidth - valueWidth);
  const height = top + results.length * rowHeight + 10;
  const names = partsOf(results[0] ?? ({ cpu: [] as [string, number][] } as StepResult)).map(([name]) => name);
  const described = results
    .map(
      (result) =>
        `${result.users} users: ${partsOf(result)
          .map(([name, cores]) => `${name} ${figure(cores)}`)
          .join(", ")}`,
    )
    .join("; ");
  const rows = results.map((result, index) => {
    const y = top + index * rowHeight;
    let x = labelWidth;
    const bars = partsOf(result).map(([, cores], part) => {
      const length = scale(cores);
      const bar = `  <rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="22" fill="${colors[part % colors.length]}"/>`;
      x += length;
      return bar;
    });
    const isCarried = whatBroke(result).length === 0;
    return [
      `  <text x="${labelWidth - 10}" y="${y + 16}" text-anchor="end">${result.users.toLocaleString("en-US")}</text>`,
      ...bars,
      `  <text x="${(x + 8).toFixed(1)}" y="${y + 16}">${figure(coresOf(result))} cores, mean ${figure(result.all.mean)} ms${isCarried ? "" : ", not carried"}</text>`,
    ].join("\n");
  });
  const legend = names.map((name, index) => {
    const x = 10 + index * 100;
    return `  <rect x="${x}" y="38" width="12" height="12" fill="${colors[index % colors.length]}"/>\n  <text x="${x + 17}" y="49">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
  <title id="title">CPU time by process and number of active users</title>
  <desc id="desc">${described}.</desc>
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 15px }
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
  </style>
  <text class="title" x="10" y="24">CPU time by number of active users (cores)</text>
${legend.join("\n")}
${rows.join("\n")}
</svg>
`;
}
