import { writeFileSync } from 'node:fs';
import { openApiText } from './document.ts';

/** `npm run openapi`: writes the document where clients find it. */
writeFileSync(new URL('../../openapi.json', import.meta.url), openApiText());
