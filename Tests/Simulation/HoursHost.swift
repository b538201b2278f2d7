// HoursHost: a host that sends few messages to a board whose clock advances in leaps.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import DRV2605
import TestSupport
import VirtualBoard

/// A host that builds its own frames and uses an error-free line.
struct HoursHost {
    let board: InProcessBoard
    private let encoder: FrameEncoder
    private let session: UInt32
    private var decoder: FrameDecoder
    private var sequence: UInt8 = 0
    /// The codes of the REJECT messages received.
    private(set) var rejects: [UInt8] = []

    private static let byteTime = 10_000_000 / BoardTime(BRIDGE_BAUD)
    private static let second: BoardTime = 1_000_000
    /// The maximum leap of the clock: less than 8.39 s, the range in which the driver's times can
    /// distinguish the future from the past. While all actuators are at rest, the driver does not
    /// need this distinction, so the clock advances in longer leaps during a long silence.
    private static let leap = 8 * second
    private static let longLeap = 900 * second
    private static let longSilence = 2 * 86_400 * second

    init(seed: UInt64) {
        board = .configured { $0.configuration = ActuatorConfiguration.coinLRA.bytes }
        session = UInt32(truncatingIfNeeded: seed &* 2_654_435_761) | 1
        encoder = FrameEncoder(session: session)
        decoder = FrameDecoder(session: session)
    }

    var now: BoardTime { board.now }
    var clock: UInt32 { board.deviceClock(at: now) }
    var stream: stream { bridge_stream(board.core, 0).pointee }

    // MARK: Sending

    /// Sends a message. Sends a message. Returns the time at which the board receives the last byte
    /// of the message.
    @discardableResult
    mutating func say(_ frame: Frame) -> BoardTime {
        let bytes = [UInt8(BRIDGE_DELIMITER)] + encoder.encode(frame)
        board.send(bytes, at: now)
        return now + BoardTime(bytes.count) * Self.byteTime
    }

    mutating func connect() {
        say(Frame(.hello(Hello(versions: Hello.ownVersions, session: session))))
        pass(20_000)
    }

    @discardableResult
    mutating func say(_ command: Command) -> BoardTime {
        defer { sequence &+= 1 }
        return say(Frame(type: command.type, sequence: sequence, payload: command.payload))
    }

    mutating func stop() {
        say(Frame(type: .stop, payload: [1, sequence, 0, 0]))
    }

    private var keepAlive: Frame { Frame(type: .getStatus, payload: []) }

    // MARK: Time

    /// Advances the time continuously, without leaps.
    mutating func pass(_ time: BoardTime) {
        let end = now + time
        while now < end {
            say(keepAlive)
            board.advance(to: min(end, now + 50_000))
            listen()
        }
    }

    /// Advances the clock in leaps until the end of a silence.
    mutating func leap(_ time: BoardTime, isHeard: Bool = true, most: BoardTime = Self.leap) {
        let end = now + time
        let bytes = isHeard ? encoder.encode(keepAlive) : []
        let isLong = time > Self.longSilence
        var begun = now
        while now < end {
            settle()
            let isMiddle =
                isLong && now > begun + 300 * Self.second
                && end - now > 2 * Self.longLeap
            if isMiddle { begun = 0 }
            let next = min(end, now + (isMiddle ? Self.longLeap : most))
            board.leap(to: max(now, next), receiving: bytes)
        }
        settle()
        listen()
    }

    /// Lets all pending writes finish before the clock leaps.
    private mutating func settle() {
        while !board.isQuiet { board.advance(to: now + 500) }
    }

    private mutating func listen() {
        for frame in decoder.receive(board.drainSent().map(\.byte)) where frame.type == .reject {
            rejects.append(frame.payload[1])
        }
    }
}
