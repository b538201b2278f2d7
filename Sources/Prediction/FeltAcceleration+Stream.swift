// FeltAcceleration+Stream: predicts, from the events of a stream and without a board, the
// acceleration that the stream causes.

import BridgeLink
import HapticCompiler
import HapticPatterns
import VirtualBoard

extension FeltAcceleration {
    /// Predicts the acceleration that a stream causes.
    ///
    /// - Parameters:
    ///   - events: the events of a stream up to END.
    ///   - tick: the length of a tick, in microseconds.
    ///   - band: the band of the actuator with its response; nil if the actuator has no band.
    ///   - gain: the gain of the board, 0...1.
    ///   - length: the length of the prediction, in microseconds.
    public init(
        of events: [StreamEvent], tick: Microseconds, on configuration: ActuatorConfiguration,
        band: FrequencyBand? = nil, gain: Double = 1, for length: BoardTime
    ) {
        self.init(
            of: configuration.drive(playing: events, tick: tick, band: band, gain: gain),
            on: configuration, band: band, for: length)
    }
}

extension ActuatorConfiguration {
    /// Returns the changes of the drive of an actuator that plays a stream, with times in microseconds
    /// from the start of the stream. The last change is to 0.
    ///
    /// - Parameters:
    ///   - events: the events of the stream up to END.
    ///   - tick: the length of a tick, in microseconds.
    ///   - band: the band of the actuator; nil if its frequency does not follow the sharpness.
    ///   - gain: the gain of the board, 0...1.
    package func drive(
        playing events: [StreamEvent], tick: Microseconds, band: FrequencyBand? = nil,
        gain: Double = 1
    ) -> [DriveChange] {
        var played = PlayedLevel(events) {
            Int((tapLength(sharpness: $0) + tick / 2) / tick)
        }
        var drive: [DriveChange] = []
        var present = (level: 0, frequency: 0.0)
        let last = events.last?.tick ?? 0
        var next: Ticks? = 0
        while let time = next, time <= last {
            let output = played.output(at: time)
            let level = register(for: Int((Double(output.level) * gain).rounded()))
            let frequency = band?.frequency(ofStreamSharpness: Double(output.sharpness) / 255) ?? 0
            next = played.nextChange(after: time)
            guard present != (level, frequency) else { continue }
            present = (level, frequency)
            drive.append(
                DriveChange(
                    time: BoardTime(time) * BoardTime(tick), actuator: 0, drive: level,
                    frequency: frequency))
        }
        let end = BoardTime(last + 1) * BoardTime(tick)
        drive.append(DriveChange(time: end, actuator: 0, drive: 0))
        return drive
    }

    /// Returns the register value, 0...255, for a level of 0...255 that the energy budget does not
    /// limit. For a signed register, the result is the value before it is halved (SPEC 6.2).
    func register(for level: Int) -> Int {
        guard level > 0 else { return 0 }
        let (low, mid, high) = (Int(curve.low), Int(curve.mid), Int(curve.high))
        let bent =
            level <= 128
            ? low + ((mid - low) * level + 64) / 128
            : mid + ((high - mid) * (level - 128) + 63) / 127
        return min(bent, Int(levelMax))
    }
}
