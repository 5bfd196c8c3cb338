import { describe, expect, it } from 'vitest';
import { sectionOf, withSection } from '../../bench/sections.ts';

const report = '# Report\n\nIntro.\n\n## One\n\nfirst\n\n### Detail\n\nmore\n\n## Two\n\nsecond\n';

describe('a section', () => {
  it('is what stands between its heading and the next one of its rank', () => {
    expect(sectionOf(report, 'One')).toBe('first\n\n### Detail\n\nmore');
    expect(sectionOf(report, 'Two')).toBe('second');
    expect(sectionOf(report, 'Three')).toBeUndefined();
  });

  it('takes the place of the one with its title, and leaves the others as they are', () => {
    expect(withSection(report, 'One', 'new\n')).toBe('# Report\n\nIntro.\n\n## One\n\nnew\n\n## Two\n\nsecond\n');
    expect(withSection(report, 'Two', 'second')).toBe(report);
  });

  it('that is new comes last', () => {
    expect(withSection(report, 'Three', 'third')).toBe(`${report}\n## Three\n\nthird\n`);
  });
});
