// FakePort: a pseudo-terminal without a board behind it.

import BridgeLink
import Foundation
import POSIX
import SerialPorts

/// A port that answers complete frames with bytes specified by the test, or does not answer.
final class FakePort: Sendable {
    let path: String
    private let slave: Int32
    private let isEnded = LockedValue(false)

    init(answer: @escaping @Sendable (Frame) -> [UInt8]) {
        var master: Int32 = -1
        var slave: Int32 = -1
        var settings = termios()
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CREAD)
        precondition(openpty(&master, &slave, nil, &settings, nil) == 0)
        path = terminalPath(of: slave)!
        self.slave = slave
        // The thread runs on the clock of the test, so that virtual time waits for the thread's
        // answers.
        Thread(
            block: hostClock.body { [master, isEnded] in
                Self.serve(master, answer) { !isEnded.withLock { $0 } }
                close(master)
            }
        ).start()
    }

    deinit {
        isEnded.withLock { $0 = true }
        close(slave)
    }

    private static func serve(
        _ master: Int32, _ answer: @Sendable (Frame) -> [UInt8], while isWanted: () -> Bool
    ) {
        var decoder = FrameDecoder(session: 0)
        var bytes = [UInt8](repeating: 0, count: 256)
        while isWanted() {
            var requests = [pollfd(fd: master, events: Int16(POLLIN), revents: 0)]
            _ = hostClock.poll(&requests, for: 20_000)
            guard requests[0].revents & Int16(POLLIN) != 0 else { continue }
            let count = read(master, &bytes, bytes.count)
            for frame in decoder.receive(bytes.prefix(max(0, count))) {
                let output = answer(frame)
                _ = write(master, output, output.count)
            }
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

    /// Returns a port of a board whose WELCOME has the given values (SPEC 4.2) and that sends no
    /// other answers.
    static func welcoming(actuators: UInt8 = 1, linkWindow: UInt8 = 192) -> FakePort {
        FakePort { hello in
            guard hello.type == .hello else { return [] }
            let payload: [UInt8] =
                [1, 1, 1] + hello.payload[2..<6] + [7, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
                + [0, 1, actuators, 1, 0x80, 1, linkWindow, 0, 64]
                + [UInt8](repeating: 0, count: 8)
            return FrameEncoder(session: 0).encode(Frame(type: .welcome, payload: payload))
        }
    }

    /// Returns a port that never answers.
    static func silent() -> FakePort { FakePort { _ in [] } }
}
