/** A broken promise: the guarantee's number, and what was seen. It ends the run. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly guarantee: string;

  constructor(guarantee: string, detail: string) {
    super(`${guarantee}: ${detail}`);
    this.guarantee = guarantee;
  }
}

export const promise = (guarantee: string, holds: boolean, detail: () => string): void => {
  if (!holds) throw new Violation(guarantee, detail());
};
