import { fileURLToPath } from 'node:url';

/** The project's root, whatever directory a command was started in; without a slash at its end. */
export const projectRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Everything that runs and tests leave behind lies under here, and may be deleted when nothing runs. */
export const localDirectory = `${projectRoot}/.local`;

/** The emulator takes any key pair; these are the ones that its own documentation uses. */
export const emulatorCredentials = { accessKeyId: 'test', secretAccessKey: 'test' } as const;
export const emulatorRegion = 'us-east-1';
