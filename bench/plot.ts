import type { Result } from './result.ts';
import { type Target, targetsOf } from './targets.ts';

const width = 640;
const labelWidth = 260;
const rowHeight = 26;
const scale = (width - labelWidth - 60) / 2;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const bar = ({ what, value, limit, holds }: Target, i: number): string => {
  const y = 30 + i * rowHeight;
  const length = Math.min(value, 2) * scale;
  const mark = labelWidth + Math.min(Number(limit.slice(2)), 2) * scale;
  return [
    `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escaped(what)}</text>`,
    `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="16" fill="${holds ? '#4c8c6b' : '#b5533c'}"/>`,
    `<line x1="${mark}" y1="${y - 3}" x2="${mark}" y2="${y + 19}" stroke="#222" stroke-width="2"/>`,
    `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 13}">${value.toFixed(2)}</text>`,
  ].join('\n');
};

/** The ratios to the peer as bars, each with its target as a mark. */
export const plotOf = (result: Result): string => {
  const ratios = targetsOf(result).filter(({ what }) => !/^(refusal|replay)/.test(what));
  const height = 50 + ratios.length * rowHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="8" y="16">Sluice as a ratio of the peer; the mark is the target</text>
${ratios.map(bar).join('\n')}
</svg>
`;
};
