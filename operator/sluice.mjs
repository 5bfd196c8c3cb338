#!/usr/bin/env node
// Starts the command line on the project's own Node 24, whatever the machine has. Plain JavaScript for Node 20 and
// later without any package, since the machine's Node runs it.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const cli = fileURLToPath(new URL('cli.ts', import.meta.url));

if (existsSync(node)) {
  const child = spawn(node, [cli, ...process.argv.slice(2)], { stdio: 'inherit' });
  // The child decides what a signal means, and this process ends as the child does. Each is handed on once: a second one
  // could meet the child as it ends, when it listens no more, and turn a good end into a bad one.
  const handedOn = new Set();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => handedOn.has(signal) || (handedOn.add(signal) && child.kill(signal)));
  child.on('error', (error) => {
    console.error(`${node} cannot be run: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
} else {
  console.error('The packages of this clone are not installed. Run in it: node localstack/bootstrap.mjs --node-only');
  process.exit(1);
}
