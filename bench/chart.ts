/** A bar chart as SVG, readable on a light and on a dark page and by a screen reader. */
import { figure } from "./statistics.ts";

export interface Bar {
  label: string;
  value: number;
  /** Our figure, or the baseline it is compared with. */
  kind: "ours" | "baseline";
}

export interface Chart {
  title: string;
  unit: string;
  bars: Bar[];
  /** The target, in the unit of the bars: drawn as a line across them. */
  bar?: { value: number; label: string };
}

const width = 640;
const labelWidth = 210;
const valueWidth = 90;
const rowHeight = 30;
const top = 48;

export function drawChart({ title, unit, bars, bar }: Chart): string {
  const highest = Math.max(...bars.map(({ value }) => value), bar?.value ?? 0);
  const scale = (value: number) => (highest === 0 ? 0 : (value / highest) * (width - labelWidth - valueWidth));
  const bottom = top + bars.length * rowHeight;
  const height = bottom + (bar ? 30 : 10);
  const rows = bars.map(({ label, value, kind }, index) => {
    const y = top + index * rowHeight;
    const length = Math.max(1, scale(value)).toFixed(1);
    return [
      `  <text x="${labelWidth - 10}" y="${y + 18}" text-anchor="end">${escape(label)}</text>`,
      `  <rect class="${kind}" x="${labelWidth}" y="${y + 4}" width="${length}" height="20" rx="2"/>`,
      `  <text x="${(labelWidth + Number(length) + 8).toFixed(1)}" y="${y + 18}">${figure(value)}</text>`,
    ].join("\n");
  });
  const described = bars.map(({ label, value }) => `${label}: ${figure(value)} ${unit}`).join("; ");
  const target = bar ? `; the bar is ${figure(bar.value)} ${unit}` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
  <title id="title">${escape(title)}</title>
  <desc id="desc">${escape(described + target)}.</desc>
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 15px }
    .ours { fill: #2f6fbf }
    .baseline { fill: #9aa4af }
    line { stroke: #b3341f; stroke-width: 2; stroke-dasharray: 5 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .ours { fill: #6ca8f0 }
      .baseline { fill: #6b7580 }
      line { stroke: #ff8a70 }
    }
  </style>
  <text class="title" x="10" y="24">${escape(title)} (${escape(unit)})</text>
${rows.join("\n")}
${bar ? drawLine(labelWidth + scale(bar.value), bottom, bar.label) : ""}</svg>
`;
}

function drawLine(x: number, bottom: number, label: string): string {
  const at = x.toFixed(1);
  const anchor = x > width / 2 ? "end" : "start";
  return `  <line x1="${at}" y1="${top - 4}" x2="${at}" y2="${bottom + 6}"/>
  <text x="${at}" y="${bottom + 22}" text-anchor="${anchor}">${escape(label)}</text>
`;
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
