// SentStream: a stream that the program has sent to a board, from the frames of a report.

import AcceptanceReports
import BridgeLink
import HapticCompiler
import Prediction
import VirtualBoard

/// A stream from the frames of a step.
struct SentStream {
    let actuators: ActuatorMask
    let events: [StreamEvent]
    /// The times of its ticks in microseconds of the board since tick 0.
    let ticks: TickTimes
    /// The gain of each actuator during the stream; 255 if it is not listed.
    let gains: [Int: UInt8]
    /// True if the energy budget of an actuator has limited its levels.
    let wasLimited: Bool

    /// Returns the last stream of a step that was started; nil if there is none, or if its events
    /// are invalid.
    init?(_ frames: [LoggedFrame]) {
        var open: Open?
        var started: (open: Open, start: Start)?
        var (bytes, scales) = ([UInt8](), [Scale]())
        var gains: [Int: UInt8] = [:]
        var wasLimited = false
        var last: UInt8?
        for frame in frames {
            if frame.direction == .received {
                guard case .status(let status)? = frame.message else { continue }
                wasLimited = wasLimited || status.faults.contains(.budget)
                if started == nil { gains[0] = status.gain }
                continue
            }
            guard case .command(let command)? = frame.message else { continue }
            // A repeated frame has the number of an earlier one.
            let sequence = frame.frame.sequence
            guard last.map({ 1...127 ~= sequence &- $0 }) ?? true else { continue }
            last = sequence
            switch command {
            case .open(let message): (open, bytes, scales) = (message, [], [])
            case .events(let message) where message.stream == open?.stream:
                bytes += message.bytes
            case .start(let message) where message.stream == open?.stream:
                started = open.map { ($0, message) }
            case .scale(let message) where message.stream == open?.stream: scales.append(message)
            case .gain(let message):
                for actuator in 0..<16 where message.actuators.contains(.init(index: actuator)) {
                    gains[actuator] = message.gain
                }
            default: break
            }
        }
        guard let started,
            let events = try? EventStreamDecoder.decode(bytes, limit: Self.eventsMax)
        else { return nil }
        var ticks = TickTimes(origin: 0, length: started.start.scale.microseconds)
        for scale in scales { ticks.change(to: scale.scale.microseconds, from: Int(scale.tick)) }
        actuators = started.open.actuators
        (self.events, self.ticks, self.gains) = (events, ticks, gains)
        self.wasLimited = wasLimited
    }

    /// The maximum number of events. A step has a few thousand.
    private static let eventsMax = 10_000

    /// Returns the drive that the stream requires of an actuator.
    ///
    /// - Parameter first: the configuration of the first actuator of the stream, which determines
    ///   the length of its taps (SPEC 6.1).
    func drive(_ first: ActuatorConfiguration) -> ExpectedDrive {
        ExpectedDrive(events, ticks) { first.tapLength(sharpness: $0) }
    }
}
