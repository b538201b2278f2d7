// Describes items and their changes as text.

/** @typedef {import("./model.js").Item} Item */
/** @typedef {import("./model.js").Entry} Entry */

/**
 * Returns a description of an item.
 * @param {Item} item
 * @param {number|null} [point] the index of a control point; null for the whole item.
 */
export function describe(item, point = null) {
  const seconds = (/** @type {number} */ time) => `${time.toFixed(3)} s`;
  if (item.kind === "tap") {
    return `Tap at ${seconds(item.time)}, intensity ${item.intensity.toFixed(2)}, `
      + `sharpness ${item.sharpness.toFixed(2)}`;
  }
  if (item.kind === "buzz") {
    return `Buzz at ${seconds(item.time)} for ${seconds(item.duration)}, intensity ${item.intensity.toFixed(2)}, `
      + `sharpness ${item.sharpness.toFixed(2)}`;
  }
  if (item.kind === "curve" && point !== null) {
    const { time, value } = item.points[point];
    return `Point ${point + 1} of ${item.points.length} of a curve of ${nameOf(item.parameter)}, `
      + `at ${seconds(time)}, ${value.toFixed(2)}`;
  }
  if (item.kind === "curve") {
    return `Curve of ${nameOf(item.parameter)} with ${item.points.length} points, from ${seconds(item.time)}`;
  }
  if (item.kind === "parameter") return `${nameOf(item.parameter)} becomes ${item.value}, at ${seconds(item.time)}`;
  return item.kind === "audio" ? `Sound at ${seconds(item.time)}` : `Unknown entry at ${seconds(item.time)}`;
}

/**
 * Returns a description of the difference between two versions of a pattern.
 * @typedef {{ entries: Entry[], items: Item[] }} Version
 * @type {(before: Version, after: Version) => string}
 */
export function difference(before, after) {
  const [old, now] = [before, after].map(({ entries }) => entries.map((entry) => JSON.stringify(entry)));
  if (old.length === now.length) {
    const changed = after.items.filter(({ index }) => old[index] !== now[index]);
    return changed.length === 1 ? `now ${inSentence(describe(changed[0]))}` : `${changed.length} events changed`;
  }
  const [more, less] = now.length > old.length ? [after, before] : [before, after];
  const count = more.items.length - less.items.length;
  const verb = more === after ? "restored" : "removed";
  if (count > 1) return `${count} events are ${verb}`;
  const known = more === after ? [now, old] : [old, now];
  const at = known[0].findIndex((text, index) => text !== known[1][index]);
  return `${inSentence(describe(more.items[at]))} is ${verb}`;
}

/**
 * Returns a description of a measured event: its levels, and their differences from the design and the prediction.
 * @type {(event: import("./messages.js").MeasuredEvent) => string}
 */
export function measuredInWords({ time, isTap, designed, predicted, measured, jnd, predictionJND, later }) {
  const name = `${isTap ? "Tap" : "Buzz"} at ${time.toFixed(3)} s`;
  if (measured === undefined || designed === undefined) return `${name}: not designed to be felt`;
  const parts = [`measured ${measured.toFixed(2)}`, `designed ${designed.toFixed(2)}${inJND(jnd)}`];
  if (predicted !== undefined) parts.push(`predicted ${predicted.toFixed(2)}${inJND(predictionJND)}`);
  if (later === undefined) parts.push("no onset found");
  else parts.push(`${Math.abs(later).toFixed(2)} ms ${later < 0 ? "earlier" : "later"} than predicted`);
  return `${name}: ${parts.join(", ")}`;
}

/** @type {(difference: number|undefined) => string} */
function inJND(difference) {
  return difference === undefined ? "" : ` (${difference.toFixed(1)} JND)`;
}

/** @type {(words: string) => string} */
function inSentence(words) {
  return words[0].toLowerCase() + words.slice(1);
}

/**
 * Returns the display name of a parameter, for example "intensity" for HapticIntensityControl.
 * @type {(parameter: string) => string}
 */
export function nameOf(parameter) {
  return parameter.replace(/^Haptic|Control$/g, "").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

/**
 * Returns the names of the lanes, which include the names of the predicted actuators and the number of affected events.
 * @param {import("./messages.js").Prediction[]} predictions
 * @param {import("./timeline.js").Losses} losses
 * @param {boolean} isMeasured true if the measured acceleration is also shown.
 * @returns {Partial<Record<import("./view.js").LaneName, string>>}
 */
export function laneNames(predictions, { on, count, of, kinds }, isMeasured) {
  const actuators = predictions.map(({ actuator }) => actuator).join(" (line) and ");
  const source = predictions.length > 0 ? `, predicted for ${actuators}` : "";
  const dashed = predictions.length > 1 ? " (dashed)" : "";
  const thick = isMeasured ? "; measured (thick line)" : "";
  const rest = kinds.length > 0 ? `the sharpness of ${kinds[0].count} events` : "none are known";
  const words = count > 0 ? `${count} of ${of} events not felt as designed` : rest;
  return {
    intensity: "Intensity", sharpness: "Sharpness", acceleration: `Acceleration (g)${source}${dashed}${thick}`,
    losses: on ? `Losses on ${on}: ${words}` : `Losses: ${words}`,
    energy: predictions.some(({ energy }) => energy) ? "Energy left" : "Energy: no limit",
  };
}
