/** The page's icon with a number on it. */
const most = 99;
const plain = "/icon.svg";

const drawing = (text: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0B6B60"/>` +
  `<path d="M6 9c3-4 9-4 12 0" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/>` +
  `<rect y="11" width="32" height="21" rx="7" fill="#B3261E"/><text x="16" y="27.5" text-anchor="middle" ` +
  `font-family="system-ui, sans-serif" font-size="${text.length > 2 ? 15 : 18}" font-weight="700" fill="#fff">${text}</text></svg>`;

export function iconWithCount(count: number): string {
  if (count <= 0) return plain;
  const text = count > most ? `${most}+` : String(count);
  return `data:image/svg+xml,${encodeURIComponent(drawing(text))}`;
}
