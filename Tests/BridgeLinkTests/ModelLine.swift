// A session, a model device and a line between them that may damage, lose and repeat bytes.

import TestSupport

@testable import BridgeLink

/// Steps a session against a `ModelDevice`, a millisecond at a time.
struct ModelLine {
    enum Trouble {
        case none
        /// Each byte: flipped, lost or repeated once in so many.
        case bytes(oneIn: Int)
        /// Each portion of a millisecond lost once in so many.
        case portions(oneIn: Int)
    }

    var session: LinkSession
    let device = ModelDevice()
    var trouble = Trouble.none
    var events: [LinkEvent] = []
    private(set) var now: Microseconds = 5_000_000
    /// The most bytes that were ever unsent.
    private(set) var unsentMax = 0
    var playback: Playback?
    /// What the device receives into; nil: it reads every byte at once.
    var ring: ModelRing?
    /// Event bytes after which the device finds END.
    var streamEnd: Int?

    private var toDevice: [UInt8] = []
    private var toHost: [UInt8] = []
    private var random: SeededGenerator

    /// 250,000 baud.
    private static let bytesPerMillisecond = 25

    init(seed: UInt64 = 1, clock: ClockSchedule? = nil) {
        var timing = LinkTiming()
        timing.clock = clock
        timing.byteTime = 0  // a millisecond's bytes arrive as soon as they are sent
        session = LinkSession(sessionID: 0xCAFE_F00D, timing: timing, at: now)
        random = SeededGenerator(seed: seed)
    }

    mutating func connect() {
        run(untilEvent: { if case .connected = $0 { true } else { false } })
    }

    /// Runs until an event is met, at most `milliseconds`. Returns whether it was.
    @discardableResult
    mutating func run(
        milliseconds: Int = 20_000, untilEvent isMet: (LinkEvent) -> Bool = { _ in false }
    )
        -> Bool
    {
        for _ in 0..<milliseconds where step().contains(where: isMet) { return true }
        return false
    }

    mutating func run(milliseconds: Int = 20_000, until isMet: (ModelLine) -> Bool) -> Bool {
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
        toDevice += session.takeOutput(limit: Link.unsentMax - toDevice.count, at: now)
        unsentMax = max(unsentMax, toDevice.count)
        deliver(carry(\.toDevice))
        device.advance(endsAt: streamEnd)
        toHost += device.takeOutput()
        let arrived = carry(\.toHost)
        session.receive(arrived, at: now)
        return takeEvents()
    }

    private mutating func deliver(_ bytes: [UInt8]) {
        device.receive(ring?.pass(bytes) ?? bytes)
    }

    private mutating func takeEvents() -> [LinkEvent] {
        var taken: [LinkEvent] = []
        while let event = session.nextEvent() {
            taken.append(event)
            playback?.handle(event, &session, at: now)
        }
        playback?.advance(&session, at: now)
        events += taken
        return taken
    }

    /// What of a millisecond's bytes arrives.
    private mutating func carry(_ queue: WritableKeyPath<ModelLine, [UInt8]>) -> [UInt8] {
        let portion = Array(self[keyPath: queue].prefix(Self.bytesPerMillisecond))
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
