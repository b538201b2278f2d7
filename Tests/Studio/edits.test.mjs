// Tests of edits as JSON Patch operations (RFC 6902), and of the messages that contain them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { change, merge, pointer, stepsOf } from "../../Sources/Studio/Page/edits.js";
import { Connection } from "../../Sources/Studio/Page/socket.js";

function changed(document, ...edits) {
  const copy = structuredClone(document);
  for (const edit of edits) change(copy, edit);
  return copy;
}

test("a pointer addresses every key", () => {
  assert.equal(pointer("Pattern", 3, "a/b", "~1"), "/Pattern/3/a~1b/~01");
  assert.deepEqual(stepsOf("/Pattern/3/a~1b/~01"), ["Pattern", "3", "a/b", "~1"]);
  assert.deepEqual(stepsOf(""), []);
});

test("an operation changes a document as specified in RFC 6902", () => {
  const document = { a: [1, 2], b: 3 };
  assert.deepEqual(changed(document, { op: "add", path: "/a/1", value: 7 }), { a: [1, 7, 2], b: 3 });
  assert.deepEqual(changed(document, { op: "add", path: "/c", value: 7 }), { a: [1, 2], b: 3, c: 7 });
  assert.deepEqual(changed(document, { op: "replace", path: "/a/1", value: 7 }), { a: [1, 7], b: 3 });
  assert.deepEqual(changed(document, { op: "remove", path: "/a/0" }), { a: [2], b: 3 });
  assert.deepEqual(changed(document, { op: "remove", path: "/b" }), { a: [1, 2] });
});

test("an added value is a copy, which a later edit does not change", () => {
  const value = { Time: 1 };
  const document = changed({ Pattern: [] }, { op: "add", path: "/Pattern/0", value });
  change(document, { op: "replace", path: "/Pattern/0/Time", value: 2 });
  assert.equal(value.Time, 1);
});

test("a value that is replaced several times is sent once, unless entries have moved in between", () => {
  const set = (value) => ({ op: "replace", path: "/Pattern/0/Event/Time", value });
  const removal = { op: "remove", path: "/Pattern/0" };
  const edits = [set(1)];
  merge(edits, [set(2), set(3)]);
  assert.deepEqual(edits, [set(3)]);
  merge(edits, [removal, set(4), set(5)]);
  assert.deepEqual(edits, [set(3), removal, set(5)]);
});

/** Returns an open connection, and the messages that it sends. */
function connected() {
  globalThis.WebSocket ??= { OPEN: 1 };
  const sent = [];
  const connection = new Connection();
  connection.socket = { readyState: 1, send: (text) => sent.push(JSON.parse(text)) };
  return { connection, sent };
}

test("an edit waits for the answer to the previous edit, and the edits of a drag become one message", () => {
  const { connection, sent } = connected();
  const set = (value) => [{ op: "replace", path: "/Pattern/0/Event/Time", value }];
  for (const value of [1, 2, 3]) connection.sendEdits(set(value), true);
  connection.sendEdits(set(4), false);
  assert.deepEqual(sent.map(({ edits }) => edits), [set(1)]);
  assert.equal(connection.isIdle, false);
  connection.receive({ type: "ack", revision: 1 });
  assert.deepEqual(sent[1], { type: "edit", revision: 1, edits: set(4), live: false });
  connection.receive({ type: "ack", revision: 2 });
  assert.equal(connection.isIdle, true);
});

test("edits of a text that is no longer open are not sent", () => {
  const { connection, sent } = connected();
  connection.sendEdits([{ op: "remove", path: "/Pattern/0" }], false);
  connection.sendEdits([{ op: "remove", path: "/Pattern/1" }], false);
  connection.receive({ type: "document", revision: 7, document: { Pattern: [] } });
  assert.equal(sent.length, 1);
  connection.sendEdits([{ op: "remove", path: "/Pattern/2" }], false);
  assert.equal(sent[1].revision, 7);
});
