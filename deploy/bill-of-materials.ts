import { execFileSync } from 'node:child_process';
import { projectRoot } from '../localstack/places.ts';
import packageJson from '../package.json' with { type: 'json' };

/**
 * All that is locked, as CycloneDX JSON. Without the serial number and the time that npm gives to each of its runs, and by
 * the project's name, not by its directory's: the same lockfile has the same bill. The npm that wrote it is named in it.
 */
export const billOfMaterials = (): string => {
  const kind = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const bill = JSON.parse(
    execFileSync('npm', ['sbom', ...kind], { cwd: projectRoot, maxBuffer: 64 * 2 ** 20 }).toString(),
  );
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  bill.metadata.component.name = packageJson.name;
  return `${JSON.stringify(bill, null, 2)}\n`;
};
