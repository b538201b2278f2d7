// Links that contain a pattern: #pattern= and the name of a pattern, its text, or its bytes in base64url.

/** Matches text that is probably a name, not the bytes of a file. */
const NAME = /^[a-z][a-z-]{0,30}$/;
/** The longest link, in characters. Chromium does not open links of 1.6 million characters. */
const LONGEST = 1_000_000;

/**
 * The pattern that a link contains: the name of a pattern in the library, or the bytes of a file.
 * @typedef {{ name: string }|{ bytes: Uint8Array }} Linked
 */

/**
 * Reads the part of an address after #. Returns null if the address contains no pattern.
 * @param {string} hash
 * @param {string[]} names the patterns of the library.
 * @returns {Linked|null}
 * @throws {Error} with a text for the user if the link is damaged.
 */
export function readLink(hash, names) {
  // A link may have other parts after an &, but a text may also contain &.
  const match = /^#pattern=((?:\{|%7B).*|[^&]*)/is.exec(hash);
  if (!match) return null;
  if (match[1].length > LONGEST) throw new Error("the link is too long: open the file instead");
  const text = decoded(match[1]);
  const name = names.find((known) => nameOf(known) === text);
  if (name !== undefined) return { name };
  if (NAME.test(text)) throw new Error(`the library contains no pattern with the name in the link, ${text}`);
  if (/^\s*\{/.test(text)) return { bytes: new TextEncoder().encode(text) };
  if (!/^[A-Za-z0-9_-]+={0,2}$/.test(text)) throw new Error("the link contains no pattern: it may be truncated");
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return { bytes: Uint8Array.from(bytes, (character) => character.charCodeAt(0)) };
  } catch {
    throw new Error("the link contains no pattern: it may be truncated");
  }
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("the link is damaged: a % is not followed by two digits");
  }
}

/**
 * Returns the part after # of an address that contains a pattern.
 * @param {Uint8Array} bytes
 * @throws {Error} with a text for the user if the pattern is too large.
 */
export function linkTo(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  const link = `#pattern=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  if (link.length > LONGEST) throw new Error("the pattern is too large for a link: send the file instead");
  return link;
}

/**
 * Returns the name of a pattern in the library, without its folder and extension.
 * @param {string} path
 */
export function nameOf(path) {
  return path.replace(/^.*\//, "").replace(/\.ahap$/, "");
}
