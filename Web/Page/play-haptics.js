// An experimental substitute for navigator.playHaptics of the proposed Web Haptics API (github.com/WICG/web-haptics).
// The substitute plays the effects on a board. The patterns are the examples for iOS in the proposal.

/** @typedef {import("./haptic-bridge.js").HapticBridge} HapticBridge */

/** @type {Record<string, string>} */
const EFFECTS = { hint: "impact-light", edge: "impact-soft", tick: "selection", align: "impact-rigid" };

/**
 * Returns the pattern of an effect.
 * @param {HapticBridge} bridge
 * @param {string} effect
 * @param {number} intensity
 */
async function patternOf(bridge, effect, intensity) {
  const pattern = JSON.parse(new TextDecoder().decode(await bridge.named(`feedback/${EFFECTS[effect]}.ahap`)));
  const control = { ParameterID: "HapticIntensityControl", Time: 0, ParameterValue: intensity };
  pattern.Pattern.unshift({ Parameter: control });
  return pattern;
}

/**
 * Defines navigator.playHaptics. As proposed, the function does not report any result, and requires that the user has
 * interacted with the page. An effect that is requested during another effect is not played.
 * @param {HapticBridge} bridge
 */
export function substitute(bridge) {
  let isPlaying = false;
  /** @param {string} effect @param {number} intensity */
  const play = async (effect, intensity) => {
    isPlaying = true;
    try {
      await bridge.play(await patternOf(bridge, effect, intensity));
    } catch {
      // A page must not learn whether anything was felt.
    } finally {
      isPlaying = false;
    }
  };
  /** @param {string} effect @param {number} [intensity] */
  const playHaptics = (effect, intensity = 1) => {
    const names = Object.keys(EFFECTS);
    if (!names.includes(effect)) throw new TypeError(`"${effect}" is not an effect: ${names.join(", ")}`);
    if (!Number.isFinite(Number(intensity))) throw new TypeError(`the intensity ${intensity} is not a finite number`);
    if (isPlaying || !navigator.userActivation.hasBeenActive) return;
    play(effect, Math.min(Math.max(Number(intensity), 0), 1));
  };
  Object.defineProperty(navigator, "playHaptics", { value: playHaptics, configurable: true });
}
