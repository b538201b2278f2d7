// Composes the page's texts about errors, boards and updates.

import { BoardError, PatternError } from "./haptic-bridge.js";

/** @typedef {import("./haptic-bridge.js").Report} Report */

/** @param {unknown} error */
export function inWords(error) {
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof BoardError ? error.advice : error instanceof PatternError ? [error.advice] : [];
  return [message, ...advice].filter((text) => text !== "").join("; ");
}

/** @param {number} count @param {string} noun */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {import("./haptic-bridge.js").PlayResult} result */
export function endInWords({ type, late, skipped, underruns }) {
  const troubles = [[late, "late"], [skipped, "taps skipped"], [underruns, "gaps"]]
    .filter(([count]) => Number(count) > 0).map(([count, what]) => `${count} ${what}`);
  return `${type === "played" ? "Played" : "Stopped"}: ${troubles.join(", ") || "everything was on time"}.`;
}

/** @param {Extract<Report, { type: "board" }>} board */
export function boardInWords({ kind, firmware, actuators }) {
  const parts = actuators.map(({ index, name, kind: type, state }) => {
    const what = type === "none" ? "not configured" : `${name || type}, ${state}`;
    return actuators.length > 1 ? `actuator ${index}: ${what}` : what;
  });
  return `${kind}, firmware ${firmware}: ${parts.join("; ")}`;
}

/**
 * @param {string} present
 * @param {import("./haptic-bridge.js").Update} update
 */
export function updateInWords(present, { firmware, command, drive }) {
  const words = `The board has the firmware ${present}; this page contains ${firmware}. To update it, run ${command}.`;
  return drive ? `${words} Or download the firmware, hold the button BOOTSEL of the board (BOOT on some boards) while `
    + "you plug it in, and copy the file to the drive RPI-RP2 that appears. The board keeps its settings." : words;
}
