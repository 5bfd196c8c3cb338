import { mkdirSync, writeFileSync } from 'node:fs';
import { localDirectory } from '../localstack/places.ts';
import { billOfMaterials } from './bill-of-materials.ts';

// `npm run sbom`: the same bill as in a package, for whoever wants it alone.
mkdirSync(localDirectory, { recursive: true });
writeFileSync(`${localDirectory}/sbom.cdx.json`, billOfMaterials());
