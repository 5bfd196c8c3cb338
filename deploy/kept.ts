import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { localDirectory } from '../localstack/places.ts';
import { type Template, templateIn } from './assembly.ts';
import type { Place } from './place.ts';

/** So many of the assemblies that came through their smoke test are kept on this machine for each stack. */
const keptMax = 5;

/** All emulators have one account: of them the address tells which is meant. */
const directoryOf = ({ account, region, sdk }: Pick<Place, 'account' | 'region' | 'sdk'>): string =>
  `${sdk.endpoint === undefined ? account : new URL(sdk.endpoint).host.replace(':', '-')}/${region}`;

/** The assemblies of one stack that were deployed well from this machine, oldest first. */
export class KeptAssemblies {
  readonly #directory: string;
  readonly #stackName: string;

  constructor(place: Pick<Place, 'account' | 'region' | 'sdk'>, stackName: string, root = localDirectory) {
    this.#directory = `${root}/deployed/${directoryOf(place)}/${stackName}`;
    this.#stackName = stackName;
  }

  /** Keeps a copy as the newest; one that is kept already stays in its place. `at` in epoch milliseconds. */
  keep(assembly: string, at: number): void {
    const template = templateIn(assembly, this.#stackName);
    if (this.#all().some((kept) => this.#is(kept, template))) return;
    mkdirSync(this.#directory, { recursive: true });
    const unfinished = `${this.#directory}/unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(assembly, unfinished, { recursive: true });
    renameSync(unfinished, `${this.#directory}/${at}`);
    for (const old of this.#all().slice(0, -keptMax)) {
      // Out of the way first, so that none is left that is no longer whole.
      renameSync(old, unfinished);
      rmSync(unfinished, { recursive: true });
    }
  }

  /**
   * The one to go back to: that before what is deployed, or the newest if what is deployed is not among them, since it
   * never came through.
   */
  before(deployed: Template): string | undefined {
    const all = this.#all();
    const at = all.findIndex((kept) => this.#is(kept, deployed));
    return at === -1 ? all.at(-1) : all[at - 1];
  }

  #all(): readonly string[] {
    if (!existsSync(this.#directory)) return [];
    const names = readdirSync(this.#directory).filter((name) => /^\d+$/.test(name));
    return names
      .toSorted((left, right) => Number(left) - Number(right))
      .map((name) => `${this.#directory}/${name}`)
      .filter((kept) => isWhole(kept, this.#stackName));
  }

  #is(kept: string, template: Template): boolean {
    return isDeepStrictEqual(asGivenBack(templateIn(kept, this.#stackName)), asGivenBack(template));
  }
}

/** Something may have been deleted by hand: what is left of it cannot be deployed. */
const isWhole = (kept: string, stackName: string): boolean =>
  ['manifest.json', `${stackName}.template.json`].every((name) => existsSync(`${kept}/${name}`));

/** CloudFormation gives a template back with a question mark for each character beyond ASCII. */
const asGivenBack = (template: Template): unknown =>
  JSON.parse(JSON.stringify(template).replace(/[\u{80}-\u{10ffff}]/gu, '?'));
