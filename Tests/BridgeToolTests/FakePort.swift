// FakePort: a pseudo-terminal without a board behind it.

import BridgeLink
import Foundation

/// A port that answers complete frames with bytes specified by the test, or does not answer.
final class FakePort: Sendable {
    let path: String
    private let master: Int32
    private let slave: Int32

    init(answer: @escaping @Sendable (Frame) -> [UInt8]) {
        var master: Int32 = -1
        var slave: Int32 = -1
        var settings = termios()
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CREAD)
        precondition(openpty(&master, &slave, nil, &settings, nil) == 0)
        path = String(cString: ttyname(slave))
        (self.master, self.slave) = (master, slave)
        Thread.detachNewThread { [master] in Self.serve(master, answer) }
    }

    deinit {
        close(slave)
        close(master)
    }

    private static func serve(_ master: Int32, _ answer: @Sendable (Frame) -> [UInt8]) {
        var decoder = FrameDecoder(session: 0)
        var byte: UInt8 = 0
        while read(master, &byte, 1) == 1 {
            guard let frame = decoder.receive(byte) else { continue }
            let bytes = answer(frame)
            _ = write(master, bytes, bytes.count)
        }
    }

    /// Returns a port of a board that supports only version 9 of the protocol (SPEC 4.2: WELCOME
    /// with version 0).
    static func fromTheFuture() -> FakePort {
        FakePort { hello in
            let session = hello.payload[2..<6]
            let payload = [0, 9, 9] + session + [UInt8](repeating: 0, count: 29)
            let welcome = Frame(type: .welcome, payload: payload)
            return FrameEncoder(session: 0).encode(welcome)
        }
    }

    /// Returns a port that never answers.
    static func silent() -> FakePort { FakePort { _ in [] } }
}
