/**
 * Thrown where a list is asked to go on from a place that it cannot have. Cursors carry no secret, so a caller can make
 * one up whose digest is right; what it says must not reach a service as a mistake of ours.
 */
export class UnfitPosition extends Error {
  override readonly name = 'UnfitPosition';
}
