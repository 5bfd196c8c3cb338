/** What stands under the heading `## title`, up to the next one; undefined if there is no such heading. */
export const sectionOf = (markdown: string, title: string): string | undefined => {
  const found = partsOf(markdown).find((part) => part.startsWith(headingOf(title)));
  return found?.slice(headingOf(title).length).trim();
};

/** The text with this section in the place of the one with the same title, or at its end if there was none. */
export const withSection = (markdown: string, title: string, body: string): string => {
  const section = `${headingOf(title)}\n${body.trim()}`;
  const parts = partsOf(markdown);
  const at = parts.findIndex((part) => part.startsWith(headingOf(title)));
  const next = at < 0 ? [...parts, section] : parts.with(at, section);
  return `${next.map((part) => part.trim()).join('\n\n')}\n`;
};

const headingOf = (title: string): string => `## ${title}\n`;

/** What stands before the first heading, and then each heading with what belongs to it. */
const partsOf = (markdown: string): readonly string[] => markdown.split(/^(?=## )/m);
