import { el, put, svg } from './dom.js';
import { count } from './format.js';

/**
 * @typedef {{ readonly name: string, readonly tone: string, readonly values: readonly (number | undefined)[] }} Line
 * @typedef {{ readonly times: readonly number[], readonly lines: readonly Line[], readonly from: number, readonly to: number }} Data
 * @typedef {Data & { readonly width: number, readonly top: number }} Frame
 */

const widthDefault = 640;
const height = 200;
const inset = { left: 40, right: 10, top: 10, bottom: 24 };

/**
 * A plot of lines over time, with its legend. Each line has a dash of its own beside its colour; what it shows is told in
 * the legend's text too.
 * @param {string} label
 */
export const plot = (label) => {
  const drawing = svg('svg', { role: 'img', 'aria-label': label, class: 'plot', height });
  const legend = el('ul', { class: 'legend' });
  return {
    element: el('div', {}, legend, drawing),
    /**
     * @param {Data} data
     * @param {(line: Line) => string} told the legend's text of a line
     */
    draw: (data, told) => {
      put(legend, ...data.lines.map((line) => el('li', {}, key(line), told(line))));
      // Drawn at the size it has, so that its text is as large as the text around it, on a phone too.
      const frame = { ...data, width: drawing.clientWidth || widthDefault, top: topOf(data) };
      put(drawing, ...axes(frame), ...data.lines.flatMap((line) => strokes(line, frame)));
    },
  };
};

/** @param {Line} line */
const key = ({ tone }) =>
  svg(
    'svg',
    { viewBox: '0 0 26 8', class: 'key', 'aria-hidden': 'true' },
    svg('line', { x1: 1, x2: 25, y1: 4, y2: 4, class: `line ${tone}` }),
  );

/**
 * The next round number: 1, 2 or 5 times a power of ten, and no less than 4, so that the grid has whole numbers.
 * @param {number} value
 */
const roundUp = (value) => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return Math.max(4, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= value) ?? value);
};

/** @param {Data} data */
const topOf = ({ lines }) => roundUp(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))));

/**
 * @param {Frame} frame
 * @param {number} time
 */
const x = ({ from, to, width }, time) =>
  inset.left + ((time - from) / (to - from)) * (width - inset.left - inset.right);

/**
 * @param {Frame} frame
 * @param {number} value
 */
const y = ({ top }, value) => height - inset.bottom - (value / top) * (height - inset.top - inset.bottom);

const minuteMs = 60_000;

/** @param {Frame} frame */
const axes = (frame) => {
  const { from, to, top, width } = frame;
  const across = [0, 0.5, 1].flatMap((part) => {
    const at = y(frame, top * part);
    return [
      svg('line', { x1: inset.left, x2: width - inset.right, y1: at, y2: at, class: 'grid' }),
      svg('text', { x: inset.left - 6, y: at + 4, 'text-anchor': 'end' }, count(top * part)),
    ];
  });
  // A phone has room for every other minute.
  const step = width < 420 ? 2 : 1;
  const along = Array.from({ length: Math.floor((to - from) / minuteMs / step) + 1 }, (_, i) => {
    const ago = i * step;
    const anchor = ago === 0 ? 'end' : to - ago * minuteMs === from ? 'start' : 'middle';
    const text = ago === 0 ? 'now' : `−${ago} min`;
    return svg('text', { x: x(frame, to - ago * minuteMs), y: height - 6, 'text-anchor': anchor }, text);
  });
  return [...across, ...along];
};

/**
 * One stroke for each stretch without a hole.
 * @param {Line} line
 * @param {Frame} frame
 */
const strokes = ({ values, tone }, frame) => {
  /** @type {string[][]} */
  const stretches = [[]];
  for (const [i, value] of values.entries()) {
    const time = frame.times[i];
    if (value === undefined || time === undefined) stretches.push([]);
    else stretches.at(-1)?.push(`${x(frame, time).toFixed(1)},${y(frame, value).toFixed(1)}`);
  }
  return stretches
    .filter((points) => points.length > 0)
    .map((points) =>
      // A single point would not show as a line.
      svg('polyline', { points: [...points, points.at(-1)].join(' '), class: `line ${tone}` }),
    );
};
