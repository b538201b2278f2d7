// The messages between the page and `bridge studio`. `make page-messages` writes this file.

export interface Named {
  name: string;
  meaning: string;
}

export interface Hello {
  type: "hello";
  folder: string;
  files: string[];
  current?: string;
  named: Named[];
}

export interface Files {
  type: "files";
  files: string[];
}

export interface Finding {
  line?: number;
  column?: number;
  entry?: number;
  severity: string;
  message: string;
  fix?: string;
}

export interface Document {
  type: "document";
  file: string;
  isReadOnly: boolean;
  cause: "open" | "edit" | "undo" | "redo" | "save" | "rename" | "disk" | "lost" | "emptied" | "unreadable";
  revision: number;
  isSaved: boolean;
  canUndo: boolean;
  canRedo: boolean;
  duration: number;
  diagnostics: Finding[];
  document?: unknown;
}

export interface Acknowledgement {
  type: "ack";
  revision: number;
  isSaved: boolean;
  canUndo: boolean;
  canRedo: boolean;
  duration: number;
  diagnostics: Finding[];
}

export interface Closed {
  type: "closed";
}

export interface Conflict {
  type: "conflict";
  file: string;
  text: string;
}

export interface Problem {
  type: "error";
  message: string;
  advice?: string;
  about?: "file" | "edit" | "playing";
}

export interface Settings {
  isOn: boolean;
  gain: number;
  muted: boolean;
  studioGain: number;
}

export interface Board {
  type: "board";
  path: string;
  name: string;
  isVirtual: boolean;
  actuator: string;
  felt: boolean;
  why?: string;
  unmeasured?: string;
  settings: Settings;
}

export interface Position {
  type: "position";
  time: number;
  isPlaying: boolean;
}

export interface Rest {
  type: "rest";
  verified: boolean;
  text: string;
}

export interface Design {
  type: "design";
  times: number[];
  intensity: number[];
  sharpness: number[];
}

export interface Occurrence {
  time: number;
  duration: number;
}

export interface Loss {
  message: string;
  count: number;
  places: Occurrence[];
}

export interface Energy {
  times: number[];
  level: number[];
}

export interface Prediction {
  type: "prediction";
  actuator: string;
  kind: "board" | "lra" | "erm";
  rated: number;
  times: number[];
  acceleration: number[];
  losses: Loss[];
  lossCount: number;
  eventCount: number;
  energy?: Energy;
}

export interface MeasuredEvent {
  time: number;
  isTap: boolean;
  designed?: number;
  predicted?: number;
  measured?: number;
  jnd?: number;
  predictionJND?: number;
  later?: number;
}

export interface Measured {
  place: string;
  times: number[];
  acceleration: number[];
  events: MeasuredEvent[];
  eventCount: number;
  summary: string[];
  warnings: string[];
}

export interface Measurement {
  type: "measurement";
  isRunning: boolean;
  result?: Measured;
}

export interface Score {
  trials: number;
  correct: number;
  p: number;
  isRunning: boolean;
  last?: "right" | "wrong";
}

export interface Comparison {
  type: "abx";
  state: Score;
}

/** A message from the tool. */
export type ToolMessage =
  | Hello
  | Files
  | Document
  | Acknowledgement
  | Closed
  | Conflict
  | Problem
  | Board
  | Position
  | Rest
  | Design
  | Prediction
  | Measurement
  | Comparison;

/** An operation of JSON Patch (RFC 6902). */
export type Edit =
  | { path: string; op: "add"; value: unknown }
  | { path: string; op: "replace"; value: unknown }
  | { path: string; op: "remove" };

/** A message from the page. */
export type PageMessage =
  | { type: "open"; file: string; mayLose?: boolean }
  | { type: "edit"; revision: number; edits: Edit[]; live?: boolean }
  | { type: "undo" }
  | { type: "redo" }
  | { type: "save" }
  | { type: "saveAs"; file: string }
  | { type: "new"; file: string; mayLose?: boolean }
  | { type: "rename"; file: string; to: string }
  | { type: "delete"; file: string }
  | { type: "reload"; file: string }
  | { type: "keep"; file: string }
  | { type: "snapshot"; slot: "A" | "B" }
  | { type: "swap"; slot: "A" | "B" }
  | { type: "play"; from?: number; to?: number; loop?: boolean; rate?: number; gain?: number }
  | { type: "scrub"; at: number }
  | { type: "hold"; at: number }
  | { type: "stop" }
  | { type: "measure" }
  | { type: "abx"; action: "start" }
  | { type: "abx"; action: "play"; which: "A" | "B" | "X" }
  | { type: "abx"; action: "answer"; answer: "A" | "B" }
  | { type: "abx"; action: "end" }
  | { type: "gain"; value: number }
  | { type: "mute"; on: boolean };
