// Plays Core Haptics patterns (AHAP) on a board that `bridge serve` serves.
export { HapticPatternPlayer } from "./engine.js"
export { HapticError, HapticErrorCode, faultNames } from "./errors.js"
export { HapticEngine, HapticPattern } from "./node.js"
