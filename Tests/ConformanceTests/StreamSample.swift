// Handwritten streams. Each stream tests one part of SPEC 6 or 7.

import HapticCompiler

/// A stream that every board must play identically.
enum StreamSample: String, CaseIterable {
    case taps
    case tapsInTaps
    case jumps
    case ramps
    case tapsOverARamp
    case tapGain
    case fastJumps
    case copies
    case slots
    case tapAtTheEnd

    /// The event code, up to and including END.
    var bytes: [UInt8] {
        switch self {
        case .copies:
            // The sequence of tap, jump, tap and jump is repeated three times. Then two jumps
            // within 2 ms are repeated a hundred times.
            [0x91, 20, 200, 255, 0xB1, 48, 60, 0x91, 20, 120, 0, 0xB1, 112, 0, 0xFD, 0x03]
                + [0xB1, 4, 90, 0xB8, 30, 0xFF, 0xE1, 0xFF, 0xE1, 0xF5, 0x01, 0xF3, 32]
        case .slots:
            // A tap, a jump, and a tap with rounded values are followed by the same three events
            // from their slots, with the same deltas.
            [0x91, 32, 180, 128, 0xB1, 96, 70, 0xA4, 0x5C, 0x14, 0x05, 0x25, 0xF3, 96]
        default: EventStreamEncoder.encode(listing)
        }
    }

    /// The events that an independent decoder returns.
    var events: [StreamEvent] {
        get throws { try EventStreamDecoder.decode(bytes) }
    }

    private var listing: [StreamEvent] {
        switch self {
        case .taps:
            Self.ending(
                [(255, 255), (128, 0), (1, 128), (200, 64)].enumerated().map { index, tap in
                    StreamEvent(.tap(intensity: tap.0, sharpness: tap.1), at: index * 160)
                }, at: 700)
        case .tapsInTaps:
            Self.ending(
                (0..<8).map {
                    StreamEvent(.tap(intensity: UInt8(60 + 20 * $0), sharpness: 0), at: $0 * 37)
                }, at: 400)
        case .jumps:
            Self.ending(
                [10, 255, 1, 128, 0, 77].enumerated().map {
                    StreamEvent(.level($1), at: 30 + $0 * 81)
                }, at: 600)
        case .ramps:
            Self.ending(
                [
                    StreamEvent(.levelRamp(to: 255, duration: 333), at: 0),
                    StreamEvent(.levelRamp(to: 13, duration: 200), at: 333),
                    StreamEvent(.levelRamp(to: 14, duration: 150), at: 533),
                    StreamEvent(.levelRamp(to: 90, duration: 20), at: 700),
                    StreamEvent(.levelRamp(to: 0, duration: 1), at: 760),
                ], at: 800)
        case .tapsOverARamp:
            Self.ending(
                [StreamEvent(.levelRamp(to: 200, duration: 600), at: 0)]
                    + (0..<7).map {
                        StreamEvent(
                            .tap(intensity: 250, sharpness: UInt8($0 * 40)), at: 40 + $0 * 95)
                    }, at: 740)
        case .tapGain:
            Self.ending(
                [
                    StreamEvent(.tapGain(to: 40, duration: 0), at: 0),
                    StreamEvent(.tap(intensity: 250, sharpness: 255), at: 0),
                    StreamEvent(.tapGain(to: 255, duration: 300), at: 40),
                ]
                    + (0..<6).map {
                        StreamEvent(.tap(intensity: 240, sharpness: 255), at: 60 + $0 * 60)
                    }, at: 480)
        case .fastJumps:
            Self.ending(
                (0..<120).map { StreamEvent(.level(UInt8(1 + $0 * 89 % 255)), at: $0 * 4) },
                at: 490)
        case .tapAtTheEnd:
            Self.ending(
                [
                    StreamEvent(.level(50), at: 0),
                    StreamEvent(.tap(intensity: 220, sharpness: 0), at: 100),
                ], at: 110)
        case .copies, .slots: []
        }
    }

    private static func ending(_ events: [StreamEvent], at tick: Int) -> [StreamEvent] {
        events + [StreamEvent(.end, at: tick)]
    }
}

extension StreamSample {
    /// Returns `count` level jumps followed by END. The interval between two jumps is `ticks`
    /// ticks, and each level differs from the previous level.
    static func jumps(_ count: Int, ticks: Int) -> [StreamEvent] {
        ending(
            (0..<count).map { StreamEvent(.level(UInt8(1 + $0 * 89 % 255)), at: ($0 + 1) * ticks) },
            at: (count + 1) * ticks)
    }

    /// Level 200 for 25 s.
    static let held: [UInt8] = [0xB0, 200, 0xF1, 0xA0, 0x8D, 0x06, 0x00]
}

extension [StreamEvent] {
    /// The target levels of the events in the stream.
    var levels: [UInt8] {
        compactMap { if case .level(let level) = $0.content { level } else { nil } }
    }
}

extension [StreamEvent] {
    /// The number of taps.
    var taps: Int { count { if case .tap = $0.content { true } else { false } } }
}
