// Detects a worker that no longer answers, although the computer gives it time to run.

/** The interval at which the worker is asked for an answer, in milliseconds. */
export const ASK_MS = 125;
/**
 * The number of intervals for which a worker may run without an answer, and the number of bytes in a file for which one
 * more interval is allowed.
 */
const SILENT_MOST = 5;
const BYTES_PER_ASK = 1 << 17;
/**
 * The duration of the measurement of how busy this computer is, and the shortest gap that counts as time spent on other
 * programs, in milliseconds.
 */
const MEASURED_MS = 8;
const GAP_MS = 2;

/** Returns the fraction of the time for which this computer runs a program that never waits. */
function share() {
  const begun = performance.now();
  let [now, gaps] = [begun, 0];
  while (now < begun + MEASURED_MS) {
    const next = performance.now();
    if (next - now >= GAP_MS) gaps += next - now;
    now = next;
  }
  return 1 - gaps / (now - begun);
}

export class Watch {
  /**
   * @param {() => void} ask asks the worker for an answer.
   * @param {() => void} lose is called when the worker does not answer.
   */
  constructor(ask, lose) {
    this.ask = ask;
    this.lose = lose;
    this.hasAnswered = false;
    /** The number of intervals for which the worker has run without an answer. */
    this.silent = 0;
    /** The number of additional intervals for the open file. */
    this.patience = 0;
    /** @type {ReturnType<typeof setInterval>|undefined} */
    this.timer = undefined;
  }

  /**
   * Records an answer. The first answer shows that the worker has loaded its scripts, and therefore starts the checks.
   */
  answer() {
    this.hasAnswered = true;
    this.timer ??= setInterval(() => this.check(), ASK_MS);
  }

  /** @param {number} count the size of the file that is opened. */
  expectFile(count) {
    this.patience = count / BYTES_PER_ASK;
  }

  /**
   * Checks whether the worker has answered since the last interval. Time during which the page sleeps is not counted,
   * because the page's timers do not run then.
   */
  check() {
    if (this.hasAnswered) {
      this.hasAnswered = false;
      this.silent = 0;
      this.ask();
      return;
    }
    this.silent += share();
    if (this.silent > SILENT_MOST + this.patience) this.lose();
  }

  end() {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
