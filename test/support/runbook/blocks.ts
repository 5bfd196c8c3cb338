/** One fenced block of commands in a Markdown file, and what the file says of its output. */
export interface Block {
  /** The heading that it stands under. */
  readonly section: string;
  /** `local`: for the stack on one's own machine only. `aws`: for the AWS command line. */
  readonly kind: 'any' | 'local' | 'aws';
  /** Line of the file, from 1, of the first command. */
  readonly line: number;
  readonly text: string;
  /** The output as it stands in the next block, if that is one of text or JSON. */
  readonly expected: { readonly kind: 'text' | 'json'; readonly text: string } | undefined;
}

const kinds: Readonly<Record<string, Block['kind']>> = { sh: 'any', 'sh local': 'local', 'sh aws': 'aws' };

/** All blocks of commands, in the order of the file. */
export const blocksOf = (markdown: string): readonly Block[] => {
  const blocks: Block[] = [];
  let section = '';
  const fences = /^## (.+)$|^```([^\n]*)\n([\s\S]*?)^```$/gm;
  for (const { 0: whole, 1: heading, 2: info = '', 3: text = '', index } of markdown.matchAll(fences)) {
    if (heading !== undefined) {
      section = heading;
      continue;
    }
    const kind = kinds[info];
    if (kind !== undefined) {
      const line = markdown.slice(0, index).split('\n').length + 1;
      blocks.push({ section, kind, line, text, expected: undefined });
      continue;
    }
    const last = blocks.at(-1);
    if (info !== 'text' && info !== 'json') throw new Error(`nothing is known of blocks like ${whole.split('\n')[0]}`);
    if (last === undefined || last.section !== section) throw new Error(`an output without commands in ${section}`);
    if (last.expected === undefined) blocks.splice(-1, 1, { ...last, expected: { kind: info, text } });
  }
  return blocks;
};

/** The variables that a block demands from its reader: `${NAME:?…}`. */
export const demandsOf = ({ text }: Block): readonly string[] =>
  [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);

const plain = (text: string): string =>
  text
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ $/gm, '');

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * Whether an output is what was written down. Ids, times and the width of columns do not count; `…` stands for whatever
 * comes there, and on a line of its own for any number of lines.
 */
export const fits = (output: string, expected: string): boolean => {
  const lines = plain(expected).trimEnd().split('\n');
  const pattern = lines.map((line) => (line === '…' ? '(?:.*\\n)*' : `${line.split('…').map(escaped).join('.*')}\\n`));
  return new RegExp(`^${pattern.join('')}$`).test(`${plain(output).trimEnd()}\n`);
};

/** What an answer has that the written one has not, or of another type, as paths. */
export const unwritten = (answer: unknown, written: unknown, path = ''): readonly string[] => {
  if (typeof answer !== typeof written) return [path];
  if (Array.isArray(answer)) {
    return answer.flatMap((one) => (Array.isArray(written) ? unwritten(one, written[0], `${path}/0`) : [path]));
  }
  if (typeof answer !== 'object' || answer === null) return [];
  const known = new Map(Object.entries(written ?? {}));
  return Object.entries(answer).flatMap(([name, value]) =>
    known.has(name) ? unwritten(value, known.get(name), `${path}/${name}`) : [`${path}/${name}`],
  );
};
