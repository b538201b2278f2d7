// The errors of the library. haptic-bridge.d.ts describes them.

/** An error in a pattern, with its place. */
export class PatternError extends Error {
  /** @param {import("./haptic-bridge.js").Remark} remark */
  constructor(remark) {
    const { line, column, message, advice } = remark;
    super(line === null ? message : `line ${line}, column ${column}: ${message}`);
    this.name = "PatternError";
    this.line = line;
    this.column = column;
    this.advice = advice;
  }
}

/** An error of a board, with the remedies. */
export class BoardError extends Error {
  /**
   * @param {string} message
   * @param {string[]} [advice]
   */
  constructor(message, advice = []) {
    super(message);
    this.name = "BoardError";
    this.advice = advice;
  }
}
