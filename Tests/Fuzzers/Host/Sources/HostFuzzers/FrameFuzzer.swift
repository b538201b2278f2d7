// Fuzzes frames and messages (SPEC 2, 4) with arbitrary bytes, and with arbitrary contents of a
// valid frame.

import BridgeLink

@_cdecl("fuzz_host_frame")
public func fuzzFrame(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(bytes, count)
    if input.byte() & 1 == 0 {
        receive(input.bytes)
    } else {
        readMessage(&input)
    }
    return 0
}

/// Fuzzes the decoder. The decoded frames must not depend on the portions in which the bytes are
/// received, and each received frame can be sent.
private func receive(_ bytes: [UInt8]) {
    var whole = FrameDecoder(session: 0x1234_5678)
    var halves = whole
    let frames = whole.receive(bytes)
    let cut = bytes.count / 2
    promise(
        frames == halves.receive(bytes[..<cut]) + halves.receive(bytes[cut...]),
        "the frames depend on the portions")
    promise(
        whole.damagedFrames == halves.damagedFrames,
        "the number of damaged frames depends on the portions")
    for frame in frames { returns(frame) }
}

/// Fuzzes a payload of any type. A decoded message must be unchanged after it is encoded and
/// decoded again.
private func readMessage(_ input: inout Input) {
    let type = MessageType(rawValue: input.byte())
    let payload = input.take(58)
    returns(Frame(type: type, sequence: 7, payload: payload))
    guard let message = try? Message(type: type, payload: payload) else { return }
    promise(message.type == type, "the type of \(message) differs from that of its payload")
    let again = try? Message(type: type, payload: message.payload)
    promise(again == message, "\(message) became \(String(describing: again))")
    _ = "\(message)"
}

private func returns(_ frame: Frame) {
    let wire = FrameEncoder(session: 0x1234_5678).encode(frame)
    promise(wire.count <= frame.wireSize, "a frame has \(wire.count) bytes on the wire")
    var decoder = FrameDecoder(session: 0x1234_5678)
    promise(decoder.receive(wire) == [frame], "\(frame) is not decoded to the same frame")
}
