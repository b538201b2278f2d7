// The clock of the page's worker in the tests. The clock advances by a few milliseconds at a time, only while the
// worker runs, and not faster than the real clock, so that the worker behaves in the same way on a busy computer. The
// clock is loaded before the worker.

/** The shortest and the longest duration of a step. A step ends when a timer is due. */
const SHORTEST_MS = 1;
const LONGEST_MS = 5;
/** The longest delay for which the clock compensates, in milliseconds. */
const BEHIND_MOST_MS = 100;

const real = performance.now.bind(performance);
const sleep = setTimeout.bind(self);
const channel = new MessageChannel();
/** @type {Map<number, { time: number, run: () => void }>} */
const timers = new Map();
let latest = 0;
let now = real();
/** The sum of the delays for which the clock has not compensated. */
let omitted = 0;

/**
 * The functions that are awaited in each step, with its duration in microseconds.
 * @type {((duration: number) => Promise<void>)[]}
 */
self.steps = [];

performance.now = () => now;

self.setTimeout = (run, delay = 0) => {
  latest += 1;
  timers.set(latest, { time: now + delay, run });
  return latest;
};

self.clearTimeout = (timer) => {
  timers.delete(timer);
};

/** Lets the worker process its other events. */
function turn() {
  return new Promise((resolve) => {
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(null);
  });
}

async function step() {
  await turn();
  const due = Math.min(...[...timers.values()].map(({ time }) => time));
  const duration = Math.ceil(Math.min(Math.max(due - now, SHORTEST_MS), LONGEST_MS));
  now += duration;
  for (const advance of self.steps) await advance(duration * 1000);
  for (const [timer, { time, run }] of timers) {
    if (time > now) continue;
    timers.delete(timer);
    run();
  }
}

async function live() {
  for (;;) {
    const behind = real() - omitted - now;
    omitted += Math.max(0, behind - BEHIND_MOST_MS);
    if (behind >= SHORTEST_MS) await step();
    else await new Promise((resolve) => sleep(resolve, SHORTEST_MS));
  }
}

live();
