// The library that plays AHAP patterns on a haptic board from a web page.
//
//     import { connect } from "./haptic-bridge.js";
//
//     button.onclick = async () => {
//       const board = await connect();
//       const { late } = await board.play(await (await fetch("heartbeat.ahap")).text());
//       await board.close();
//     };
//
// The files in the folder that `make web` creates must be served together, from the same origin as the page.

/** A remark on a pattern file. */
export interface Remark {
  severity: "error" | "repair" | "warning" | "note";
  rule: string;
  /** The location in the file, counted from 1; null if the remark concerns the file as a whole. */
  line: number | null;
  column: number | null;
  message: string;
  advice: string;
}

/** An opened pattern. */
export interface PatternFacts {
  /** The duration in seconds. */
  duration: number;
  /** The duration of `samples` in seconds, including the last release or tap. */
  shown: number;
  events: number;
  /** The format of a file that was converted to AHAP; null for an AHAP file. */
  format: string | null;
  /** The number of events that only a loudspeaker can play. */
  sounds: number;
  remarks: Remark[];
}

/** An event that the actuator does not render exactly. */
export interface Loss {
  rule: string;
  /** The time of the event in seconds. */
  time: number;
  line: number | null;
  column: number | null;
  message: string;
}

/** A pattern that was compiled for an actuator. */
export interface StreamFacts {
  bytes: number;
  /** The time from the beginning of the drive until the vibration is felt, in seconds. */
  lead: number;
  /** The duration including the last release, in seconds. */
  rendered: number;
  exact: number;
  degraded: number;
  notPlayed: number;
  losses: Loss[];
}

/** An actuator in the list of known actuators. */
export interface KnownActuator {
  name: string;
  description: string;
}

/** An actuator of the board. */
export interface Actuator {
  index: number;
  /** "LRA", "ERM", or "none" if the actuator is not configured. */
  kind: string;
  name: string | null;
  state: string;
  canPlay: boolean;
  isLocked: boolean;
}

/** The remedy for a board whose firmware is older than the firmware that the page contains. */
export interface Update {
  /** The version of the firmware that the page contains. */
  firmware: string;
  /** The command that writes this firmware to the board. */
  command: string;
  /** The name of the board for `bridge flash` if its boot loader is a drive, so that the firmware is copied as a UF2
      file. */
  drive: string | null;
}

/** The end of a playback. */
export interface PlayResult {
  type: "played" | "stopped";
  /**
   * The number of late writes, the number of skipped taps, and the number of intervals in which the board had no
   * events.
   */
  late: number;
  skipped: number;
  underruns: number;
  /** An upper bound on the lateness of all writes, in microseconds. */
  latestAtMost: number;
}

/** The end of a configuration or a calibration. */
export interface SetUpResult {
  type: "setUp";
  /** A text for the user that describes the change, and states whether the change is stored on the board. */
  message: string;
}

/** A report from the board. A `HapticBridge` dispatches each report as an event "report", in its `detail`. */
export type Report =
  | { type: "board"; kind: string; firmware: string; actuators: Actuator[]; update: Update | null }
  /**
   * The session has ended. After a reset of the board, another session begins automatically. If the worker was replaced
   * because it failed, no pattern is open.
   */
  | { type: "ended"; message: string; wasReset: boolean; wasReplaced?: boolean }
  | { type: "faults"; message: string; advice: string[] }
  /**
   * The pattern plays. The time at which the stream of the pattern began, in microseconds on the clock of
   * `performance.timeOrigin + performance.now()`; the beginning of the pattern is felt after the lead of the stream.
   */
  | { type: "playing"; time: number }
  | PlayResult
  | SetUpResult
  | { type: "failed"; message: string | null; advice: string[] }
  /**
   * Writes on the bus of the virtual board: for each write, the time in microseconds, the register's value, and the
   * drive.
   */
  | { type: "levels"; values: Float64Array };

/** A pattern: the text of an AHAP file, the bytes of a file, or an object that JSON can represent. */
export type PatternSource = string | Blob | ArrayBuffer | ArrayBufferView | object;

export interface ConnectOptions {
  /** True for the virtual board, which needs no hardware. */
  virtual?: boolean;
  /** False for a virtual board whose actuator is not configured yet. */
  isConfigured?: boolean;
  /**
   * True to define `navigator.playHaptics`, an experimental substitute for the function of the proposed Web Haptics API
   * (github.com/WICG/web-haptics). The substitute plays on this board. If the proposal changes, the substitute also
   * changes.
   */
  experimentalPlayHaptics?: boolean;
}

/** An error in a pattern. Its message begins with the location. */
export class PatternError extends Error {
  readonly line: number | null;
  readonly column: number | null;
  readonly advice: string;
}

/** An error from a board or its port. */
export class BoardError extends Error {
  readonly advice: string[];
}

/** The profile of the connected board, for `samples` and `losses`. */
export const BOARD: number;
/** The profile that keeps all fields of a pattern. */
export const DESIGN: number;

/** A page's connection to a board. */
export class HapticBridge extends EventTarget {
  /** The board that is connected; null if there is none. */
  readonly board: Extract<Report, { type: "board" }> | null;
  /** The connection in progress; null if there is none. */
  readonly connecting: Promise<void> | null;
  /** Returns the names of the patterns in the library, and the known actuators. */
  load(): Promise<{ names: string[]; actuators: KnownActuator[] }>;
  /**
   * Asks the user for a port and connects. Must be called from the handler of a click or key. If the same connection is
   * in progress, the call waits for it; a connection in progress with other options is abandoned, and rejects with a
   * `DOMException` whose name is "AbortError". A board that is already connected is disconnected.
   */
  connect(options?: ConnectOptions): Promise<void>;
  /**
   * Plays a pattern until the actuator is at rest. Rejects with a `PatternError` or a `BoardError`, for example while
   * an actuator is being configured or calibrated.
   */
  play(ahap: PatternSource, options?: { loop?: boolean }): Promise<PlayResult>;
  /** Brings the actuators to rest immediately. A pending `play` then resolves, even if its pattern has not begun. */
  stop(): Promise<void>;
  /** Stops a pattern, even before it begins, and waits until the actuators are at rest. */
  finish(): Promise<void>;
  /** Sets the gain, 0 to 1, with immediate effect. Rejects with a `TypeError` if the value is not a number. */
  setGain(value: number): Promise<void>;
  /**
   * Configures an actuator as one of the known actuators, given by its index in the list, and stores the configuration
   * on the board. The values of a different actuator may damage the connected actuator. Rejects with a `TypeError` or a
   * `RangeError` if an argument is not an integer from 0 to 254.
   */
  configure(actuator: number, known: number): Promise<SetUpResult>;
  /**
   * Calibrates the driver to its actuator, which vibrates for about a second, and stores the result on the board.
   * The actuator must be mounted as it will be used; `stop` ends the calibration.
   */
  calibrate(actuator: number): Promise<SetUpResult>;
  /**
   * Opens a pattern without playing it. A pattern that is playing is stopped. `playOpen` waits until the pattern is
   * open. Rejects with a `BoardError` while an actuator is being configured or calibrated.
   */
  open(ahap: PatternSource): Promise<PatternFacts>;
  /** Plays the open pattern. */
  playOpen(options?: { loop?: boolean }): Promise<PlayResult>;
  /** Returns the file of a pattern in the library; no bytes if no pattern has this name. */
  named(name: string): Promise<Uint8Array>;
  /** Returns the open pattern as it is compiled for a profile, with its losses. */
  losses(profile?: number): Promise<StreamFacts>;
  /**
   * Returns the open pattern as a compiled file (.hbes). `bridge play` plays this file in the same way as this page.
   */
  compiledFile(profile?: number): Promise<Uint8Array>;
  /** Returns the levels of `count` equal intervals of the open pattern, followed by their sharpnesses, 0 to 255. */
  samples(profile: number, count: number): Promise<Uint8Array>;
  /**
   * Returns the greatest acceleration that a model of the connected actuator predicts in each of `count` equal
   * intervals of the open pattern. 255 is the acceleration at full level.
   */
  prediction(count: number): Promise<Uint8Array>;
  /** Begins the sound of the open pattern, or of its loop, at a time in seconds. */
  beginSound(isLoop: boolean, start: number): Promise<void>;
  /** Returns the next samples of the sound, -1 to 1, at 48,000 per second; no samples after its end. */
  nextSound(count: number): Promise<Float32Array>;
  /** Returns the firmware for the connected board as a UF2 file; no bytes if its boot loader is not a drive. */
  firmware(): Promise<Uint8Array>;
  /**
   * Abandons a connection in progress, brings the actuators to rest and closes the port. The pattern remains open for
   * the next board.
   */
  disconnect(): Promise<void>;
  /** Disconnects and frees all resources. Afterwards, no pattern is open, and `connect` starts another worker. */
  close(): Promise<void>;
}

/** Connects to a board. Must be called from the handler of a click or key, unless `virtual` is true. */
export function connect(options?: ConnectOptions): Promise<HapticBridge>;
