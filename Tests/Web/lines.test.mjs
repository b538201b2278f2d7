// Tests of a serial port of WebSerial with a virtual board at its other end, and of links.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { SITE, load } from "./rig.mjs";

const { SerialLine } = await import(path.join(SITE, "lines.js"));
const { Session } = await import(path.join(SITE, "session.js"));
const { linkTo, readLink } = await import(path.join(SITE, "links.js"));

/** A serial port of WebSerial. A virtual board runs at its other end in real time. */
class FakePort {
  constructor(board) {
    this.board = board;
    this.unsentMost = 0;
    this.calls = [];
  }

  async open(options) {
    this.calls.push(["open", options]);
    this.board.functions.startBoard(true, clock());
    this.readable = new ReadableStream({
      start: (controller) => {
        this.timer = setInterval(() => {
          const bytes = this.board.runBoard(clock());
          if (bytes.length > 0) controller.enqueue(bytes);
        }, 1);
      },
      cancel: () => clearInterval(this.timer),
    });
    this.writable = new WritableStream({
      write: (bytes) => {
        const now = clock();
        this.unsentMost = Math.max(this.unsentMost, this.board.functions.unsentToBoard(now) + bytes.length);
        this.board.sendToBoard(bytes, now);
      },
    });
  }

  async setSignals(signals) {
    this.calls.push(["setSignals", signals]);
  }

  async close() {
    this.calls.push(["close"]);
  }
}

function clock() {
  return performance.now() * 1000;
}

/** Connects a session to a port, and passes bytes between them as the worker does. */
async function connected(port) {
  const reports = [];
  const waiting = [];
  let session = null;
  let timer;
  const pump = () => {
    clearTimeout(timer);
    if (!session) return;
    for (const report of session.pump(clock())) {
      reports.push(report);
      for (const { type, resolve } of waiting) if (report.type === type) resolve(report);
    }
    timer = setTimeout(pump, Math.max(0, (session.deadline(clock()) - clock()) / 1000));
  };
  const line = new SerialLine(port, clock, (problem) => {
    assert.equal(problem, null);
    pump();
  });
  await line.open();
  const wasm = await load();
  session = new Session(wasm, line, 255, clock());
  pump();
  const until = (type) => new Promise((resolve) => waiting.push({ type, resolve }));
  const end = async () => {
    clearTimeout(timer);
    await session.close();
    session = null;
  };
  return { wasm, until, end, pump };
}

test("a serial port is opened as by the native tool, plays, and never contains more than 128 bytes", async () => {
  const port = new FakePort(await load());
  const { wasm, until, end, pump } = await connected(port);
  await until("board");
  wasm.open(wasm.namedPattern("samples/rain.ahap"));
  wasm.functions.play(false, clock());
  pump();
  const { underruns } = await until("played");
  await end();
  assert.equal(underruns, 0);
  assert.ok(port.unsentMost <= 128, `${port.unsentMost} bytes`);
  assert.deepEqual(port.calls, [
    ["open", { baudRate: 250_000, bufferSize: 4096 }],
    ["setSignals", { dataTerminalReady: true, requestToSend: true }],
    ["close"],
  ]);
});

test("a port that refuses its control signals is not mistaken for a port without permission", async () => {
  const port = new FakePort(await load());
  port.setSignals = async () => {
    throw new DOMException("Failed to set control signals.", "NetworkError");
  };
  const line = new SerialLine(port, clock, () => {});
  await assert.rejects(line.open(), { name: "Error", message: /refuses the signals DTR and RTS/ });
  await line.close();
  await port.readable.cancel();
  assert.deepEqual(port.calls.at(-1), ["close"]);
});

test("a link contains a name, a text or bytes", () => {
  const names = ["samples/heartbeat.ahap"];
  const text = (linked) => new TextDecoder().decode(linked.bytes);
  assert.equal(readLink("", names), null);
  assert.equal(readLink("#other", names), null);
  assert.deepEqual(readLink("#pattern=heartbeat", names), { name: "samples/heartbeat.ahap" });
  assert.equal(text(readLink("#pattern=%7B%22Pattern%22%3A%5B%5D%7D", names)), '{"Pattern":[]}');
  assert.deepEqual(readLink("#pattern=heartbeat&play", names), { name: "samples/heartbeat.ahap" });
  assert.equal(text(readLink('#pattern={"a":"&"}', names)), '{"a":"&"}');
  assert.equal(text(readLink(`#pattern=${encodeURIComponent(btoa("{}{}"))}&other`, names)), "{}{}");
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  assert.deepEqual(readLink(linkTo(bytes), names).bytes, bytes);
  assert.throws(() => linkTo(new Uint8Array(1e6)), /too large for a link/);
  assert.throws(() => readLink("#pattern=hartbeat", names), /no pattern of the name in the link, hartbeat/);
});

test("a damaged link is rejected", () => {
  for (const hash of ["#pattern=", "#pattern=<img src=x>", "#pattern=%", "#pattern=a", `#pattern=${"a".repeat(3e6)}`]) {
    assert.throws(() => readLink(hash, []), /link/, hash.slice(0, 30));
  }
});
