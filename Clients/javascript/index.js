// Plays Core Haptics patterns (AHAP) on a board that `bridge serve` serves.
export { HapticEngine, HapticPatternPlayer } from "./engine.js"
export { HapticError, HapticErrorCode, faultNames } from "./errors.js"
export { HapticPattern } from "./pattern.js"
