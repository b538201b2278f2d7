// PlayedActuator: an actuator that plays a stream, millisecond by millisecond.

import CDRV2605Model
import HapticCompiler
import HapticPatterns

/// A modeled actuator, and the output of the stream that it plays at the present time.
struct PlayedActuator {
    private var time: Microseconds = 0
    private var model: actuator_model
    private let rated: Double
    private let lengths: TapLengths
    private var output = PlayedLevel([]) { _ in 0 }
    private var tapEnd: Microseconds = 0

    /// The time from an event to the chip's new level, in microseconds: three bytes at 400 kbit/s.
    private static let transfer: Microseconds = 73

    /// The present millisecond, from the start of the stream.
    var millisecond: Int { Int(time / 1_000) }

    /// Creates an actuator at rest.
    init(_ model: actuator_model, _ lengths: TapLengths) {
        (self.model, self.lengths) = (model, lengths)
        rated = FeltAcceleration.rated(model)
    }

    /// Plays the events that begin before the end of the given millisecond. Returns the felt levels
    /// at the end of each millisecond, in steps.
    mutating func play(_ events: some Sequence<StreamEvent>, until end: Int) -> [Double] {
        var felt: [Double] = []
        felt.reserveCapacity(end - millisecond)
        let end = Microseconds(end) * 1_000
        for event in events {
            let start = StreamTime.time(of: event.tick) + Self.transfer
            guard start < end else { break }
            advance(to: start, &felt)
            output.perform(event)
            if case .tap(_, let sharpness) = event.content { tapEnd = start + lengths[sharpness] }
        }
        advance(to: end, &felt)
        return felt
    }

    /// Moves the actuator, and appends the felt level at the end of each millisecond.
    private mutating func advance(to end: Microseconds, _ felt: inout [Double]) {
        while time < end {
            var next = min(end, (time / 1_000 + 1) * 1_000)
            let level: Int
            if time < tapEnd {
                next = min(next, tapEnd)
                level = output.tapLevel
            } else {
                let tick = Ticks(max(0, time - Self.transfer) / StreamTime.tick)
                level = output.level(at: tick)
                if let change = output.nextChange(after: tick) {
                    next = min(next, StreamTime.time(of: change) + Self.transfer)
                }
            }
            actuator_model_advance(&model, UInt64(next), Int16(level))
            time = next
            if time % 1_000 == 0 {
                felt.append(FeltDesign.steps(of: actuator_model_acceleration_g(&model) / rated))
            }
        }
    }
}

/// The lengths of the taps of a profile, in microseconds.
struct TapLengths: Sendable {
    private let lengths: [Microseconds]

    init(_ profile: DeviceProfile) {
        lengths = (0...255).map { profile.tapLength(sharpness: Double($0) / 255) }
    }

    /// The length of a tap with a sharpness of 0...255.
    subscript(sharpness: UInt8) -> Microseconds { lengths[Int(sharpness)] }

    /// Returns the sharpness with which a tap is longer by a time, as far as the profile permits.
    func sharpness(_ sharpness: UInt8, longerBy time: Microseconds) -> UInt8 {
        let length = self[sharpness] + time
        // A higher sharpness is a shorter tap.
        return UInt8(min(lengths.partitioningIndex { $0 <= length }, 255))
    }
}
