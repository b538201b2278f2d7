// The connection to the tool: sends JSON messages, and queues edits until the previous edit is acknowledged.

import { merge } from "./edits.js";

/** @typedef {import("./messages.js").ToolMessage} ToolMessage */
/** @typedef {import("./messages.js").PageMessage} PageMessage */
/** @typedef {import("./messages.js").Edit} Edit */

/**
 * The kinds of disconnection from the tool: no answer, or an answer from a restarted tool that does not accept this
 * page.
 * @typedef {"gone"|"stranger"} Loss
 */

/**
 * Removes the key for the WebSocket from the address, and stores the key for other pages of this origin and for a
 * reload. Returns the key or, if the address contains no key, the stored key. Pages from other ports of this computer
 * have no access to this storage.
 */
function storeKey() {
  const key = location.hash.slice(1);
  if (key !== "") {
    localStorage.setItem("key", key);
    history.replaceState(null, "", "/");
  }
  return key || localStorage.getItem("key") || "";
}

export const GONE = "gone";
export const STRANGER = "stranger";

/**
 * Sends messages to `bridge studio`, and delivers the messages from `bridge studio`. While the tool is disconnected,
 * messages are discarded.
 */
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

  /** True if the tool is disconnected. */
  get isLost() {
    return this.loss !== null;
  }

  /** True if no message is queued and the tool has answered the last edit. */
  get isIdle() {
    return !this.isWaiting && this.outbox.length === 0;
  }

  /**
   * Connects, and reconnects whenever the connection ends.
   * @typedef {{ receive: (message: ToolMessage) => void, showConnection: (loss: Loss|null) => void }} Receiver
   * @param {Receiver} receiver `receive` is called with each message from the tool; `showConnection` is called with the
   *     reason for a disconnection, or with null when the tool is connected again.
   */
  open(receiver) {
    this.receiver = receiver;
    // The stored key may be new, because the user may have opened the address of a restarted tool in another tab.
    const path = `/live?key=${storeKey()}`;
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
   * Reports that the tool was disconnected or is connected again.
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
    if (message.type === "document") this.handleDocument(message);
    // The tool also sends `ack` after it has analyzed the document. Such a message does not acknowledge an edit.
    if (message.type === "ack" && message.revision > this.revision) {
      this.revision = message.revision;
      this.isWaiting = false;
    }
    if (message.type === "error") this.isWaiting = false;
    this.receiver?.receive(message);
    this.pump();
  }

  /**
   * Handles a document whose text has changed. Edits in the queue refer to the previous text and are discarded.
   * @param {import("./messages.js").Document} message
   */
  handleDocument(message) {
    // Without the member `document`, only the name or the saved state has changed.
    if (!("document" in message)) return;
    this.revision = message.revision;
    this.isWaiting = false;
    this.outbox = [];
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /**
   * Sends a message immediately, before queued edits. This method is for messages that must not wait, such as stop and
   * scrub.
   * @param {PageMessage} message
   */
  sendNow(message) {
    if (this.isOpen) this.socket?.send(JSON.stringify(message));
  }

  /**
   * Sends a message after the edits in the queue.
   * @param {PageMessage} message
   */
  send(message) {
    if (this.isLost) return;
    this.outbox.push(message);
    this.pump();
  }

  /**
   * Sends edits. Queued edits of one drag are combined into one message, so that a slow tool does not receive too many
   * messages.
   * @param {Edit[]} edits
   * @param {boolean} isLive true if the drag continues.
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
 * Determines why the tool has refused the WebSocket.
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
