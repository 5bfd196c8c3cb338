import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Goes into each process of a function in a soak. Left alone, the collector of a process with so much memory around it
 * lets the heap grow for minutes before it comes; made to come, it leaves what is really held, and a leak shows.
 */
const everyMs = 5_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setInterval(collect, everyMs).unref();
