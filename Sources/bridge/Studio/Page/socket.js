// @ts-check
// The connection to the tool: messages as JSON, and edits that wait for the answer to the one before.

import { merge } from "./edits.js";

/** @typedef {import("./messages.js").ToolMessage} ToolMessage */
/** @typedef {import("./messages.js").PageMessage} PageMessage */
/** @typedef {import("./messages.js").Edit} Edit */

/**
 * How the tool can be missing: nobody answers, or one does that has been started again.
 * @typedef {"gone"|"stranger"} Loss
 */

/**
 * Takes the key that opens the WebSocket out of the address. Other pages of this origin, and this one when
 * it is loaded again, find it where no other port of this computer can look.
 */
function takeKey() {
  const key = location.hash.slice(1);
  if (key !== "") {
    localStorage.setItem("key", key);
    history.replaceState(null, "", "/");
  }
  return key || localStorage.getItem("key") || "";
}

export const GONE = "gone";
export const STRANGER = "stranger";

/** Sends messages to `bridge studio` and passes on what it says. While it is missing, nothing waits to be sent. */
export class Connection {
  constructor() {
    this.revision = 0;
    /** @type {PageMessage[]} */
    this.outbox = [];
    this.isWaiting = false;
    /** @type {Loss|null} */
    this.loss = null;
    /** @type {WebSocket|null} */
    this.socket = null;
    /** @type {Receiver|null} */
    this.receiver = null;
  }

  /** Whether the tool is missing. */
  get isLost() {
    return this.loss !== null;
  }

  /** Whether everything that was sent has been answered. */
  get isIdle() {
    return !this.isWaiting && this.outbox.length === 0;
  }

  /**
   * Connects, and again whenever the connection ends.
   * @typedef {{ receive: (message: ToolMessage) => void, showConnection: (loss: Loss|null) => void }} Receiver
   * @param {Receiver} receiver receives each message of the tool, how the tool is missing, and null when it is there
   *     again.
   */
  open(receiver) {
    this.receiver = receiver;
    // Another tab may have been opened with the key of a tool that was started anew.
    const path = `/live?key=${takeKey()}`;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    let wasOpen = false;
    const socket = new WebSocket(`${scheme}://${location.host}${path}`);
    this.socket = socket;
    socket.addEventListener("open", () => { wasOpen = true; });
    socket.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    socket.addEventListener("close", async () => {
      this.outbox = [];
      this.isWaiting = false;
      this.report(wasOpen ? GONE : await lossAt(path));
      setTimeout(() => this.open(receiver), 1000);
    });
  }

  /**
   * Reports how the tool is missing, when that has changed.
   * @param {Loss|null} loss
   */
  report(loss) {
    if (this.loss === loss) return;
    this.loss = loss;
    this.receiver?.showConnection(loss);
  }

  /** @param {ToolMessage} message */
  receive(message) {
    if (message.type === "hello") this.report(null);
    if (message.type === "document") this.noteDocument(message);
    // The tool also says how the document is when it has been analysed; that is no answer to an edit.
    if (message.type === "ack" && message.revision > this.revision) {
      this.revision = message.revision;
      this.isWaiting = false;
    }
    if (message.type === "error") this.isWaiting = false;
    this.receiver?.receive(message);
    this.pump();
  }

  /**
   * Another text counts: what has not been sent was about the one before.
   * @param {import("./messages.js").Document} message
   */
  noteDocument(message) {
    // Without a document, only its name or whether it is saved is another one.
    if (!("document" in message)) return;
    this.revision = message.revision;
    this.isWaiting = false;
    this.outbox = [];
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Sends a message at once, before any edit that waits. For what must not wait: play, stop, gain.
   * @param {PageMessage} message
   */
  sendNow(message) {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  /**
   * Sends a message after the edits that were made before it.
   * @param {PageMessage} message
   */
  send(message) {
    if (this.isLost) return;
    this.outbox.push(message);
    this.pump();
  }

  /**
   * Sends edits. Edits of one drag that have not left yet become one message, so a slow tool is not flooded.
   * @param {Edit[]} edits
   * @param {boolean} isLive whether the drag goes on.
   */
  sendEdits(edits, isLive) {
    if (this.isLost) return;
    const last = this.outbox.at(-1);
    if (last?.type === "edit" && last.live) {
      merge(last.edits, edits);
      last.live = isLive;
    } else {
      this.outbox.push({ type: "edit", revision: this.revision, edits: [...edits], live: isLive });
    }
    this.pump();
  }

  pump() {
    while (!this.isWaiting && this.isOpen) {
      const message = this.outbox.shift();
      if (!message) return;
      if (message.type === "edit") {
        message.revision = this.revision;
        this.isWaiting = true;
      }
      this.sendNow(message);
    }
  }
}

/**
 * Asks why the tool has opened no WebSocket.
 * @param {string} path
 * @returns {Promise<Loss>}
 */
async function lossAt(path) {
  try {
    return (await fetch(path)).status === 403 ? STRANGER : GONE;
  } catch {
    return GONE;
  }
}
