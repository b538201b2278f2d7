// ModelDeviceLink: a session and a model device that are connected by a line that can corrupt, lose
// and repeat bytes.

import TestSupport

@testable import BridgeLink

/// A line between a session and a `ModelDevice`, in steps of one millisecond.
struct ModelDeviceLink {
    enum Trouble {
        case none
        /// The corruption, loss or repetition of, on average, one of `oneIn` bytes.
        case bytes(oneIn: Int)
        /// The loss of, on average, one of `oneIn` portions. A portion contains the bytes of a
        /// millisecond.
        case portions(oneIn: Int)
    }

    var session: LinkSession
    let device = ModelDevice()
    var trouble = Trouble.none
    var events: [LinkEvent] = []
    private(set) var now: HostTime = 5_000_000
    /// The maximum number of unsent bytes at any time.
    private(set) var unsentMax = 0
    var playback: Playback?
    /// The device's receive buffer; nil if the device immediately reads every byte.
    var ring: ModelRing?
    /// The number of event bytes after which the device decodes END.
    var streamEnd: Int?

    private var toDevice: [UInt8] = []
    private var toHost: [UInt8] = []
    private var random: SeededGenerator

    /// The number of bytes that the line transmits per millisecond at 250,000 baud.
    private static let bytesPerMillisecond = 25

    init(seed: UInt64 = 1, clock: ClockSchedule? = nil) {
        var timing = LinkTiming()
        timing.clock = clock
        timing.byteTime = 0  // the bytes of a millisecond arrive as soon as they are sent
        session = LinkSession(sessionID: 0xCAFE_F00D, timing: timing, at: now)
        random = SeededGenerator(seed: seed)
    }

    mutating func connect() {
        run(untilEvent: { if case .connected = $0 { true } else { false } })
    }

    /// Runs until an event satisfies the condition, for at most `milliseconds`. Returns false if no
    /// event has satisfied the condition.
    @discardableResult
    mutating func run(
        milliseconds: Int = 20_000, untilEvent isMet: (LinkEvent) -> Bool = { _ in false }
    )
        -> Bool
    {
        for _ in 0..<milliseconds where step().contains(where: isMet) { return true }
        return false
    }

    mutating func run(milliseconds: Int = 20_000, until isMet: (ModelDeviceLink) -> Bool) -> Bool {
        for _ in 0..<milliseconds {
            if isMet(self) { return true }
            step()
        }
        return isMet(self)
    }

    @discardableResult
    private mutating func step() -> [LinkEvent] {
        now += 1_000
        session.poll(at: now)
        toDevice += session.nextOutput(limit: session.unsentLimit - toDevice.count, at: now)
        unsentMax = max(unsentMax, toDevice.count)
        deliver(carry(\.toDevice))
        device.advance(endsAt: streamEnd)
        toHost += device.nextOutput()
        let arrived = carry(\.toHost)
        session.receive(arrived, at: now)
        return drainEvents()
    }

    private mutating func deliver(_ bytes: [UInt8]) {
        device.receive(ring?.pass(bytes) ?? bytes)
    }

    private mutating func drainEvents() -> [LinkEvent] {
        var taken: [LinkEvent] = []
        while let event = session.nextEvent() {
            taken.append(event)
            playback?.handle(event, &session, at: now)
        }
        playback?.advance(&session, at: now)
        events += taken
        return taken
    }

    /// Returns the bytes of a millisecond without the lost bytes.
    private mutating func carry(_ queue: WritableKeyPath<ModelDeviceLink, [UInt8]>) -> [UInt8] {
        let count = session.isOnUSB ? LinkSession.bytesPerFrame : Self.bytesPerMillisecond
        let portion = Array(self[keyPath: queue].prefix(count))
        self[keyPath: queue].removeFirst(portion.count)
        switch trouble {
        case .none: return portion
        case .portions(let count): return random.chance(oneIn: count) ? [] : portion
        case .bytes(let count): return portion.flatMap { spoil($0, oneIn: count) }
        }
    }

    private mutating func spoil(_ byte: UInt8, oneIn count: Int) -> [UInt8] {
        guard random.chance(oneIn: count) else { return [byte] }
        switch UInt8.random(in: 0...9, using: &random) {
        case 0: return []
        case 1: return [byte, byte]
        default: return [byte ^ 1 << UInt8.random(in: 0...7, using: &random)]
        }
    }
}
