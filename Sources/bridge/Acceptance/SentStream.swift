// SentStream: extracts a stream that the program has sent to a board from the frames of a report.

import AcceptanceReports
import BridgeLink
import HapticCompiler
import Prediction
import VirtualBoard

/// A stream that was sent during a step.
struct SentStream {
    let actuators: ActuatorMask
    let events: [StreamEvent]
    /// The times of the ticks of the stream, in microseconds since tick 0 on the clock of the
    /// board.
    let ticks: TickTimes
    /// The gain of each actuator during the stream. An actuator that is not listed has the gain
    /// 255.
    let gains: [Int: UInt8]
    /// True if the energy budget of an actuator has limited its levels.
    let wasLimited: Bool

    /// Extracts the last stream that was started during a step; nil if no stream was started or its
    /// events are invalid.
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
            // A repeated frame has the sequence number of an earlier frame.
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

    /// The maximum number of events of a stream. A step has a few thousand events.
    private static let eventsMax = 10_000

    /// Returns the drive that the stream requires of an actuator.
    ///
    /// - Parameter first: the configuration of the first actuator of the stream, which determines
    ///   the length of its taps (SPEC 6.1).
    func drive(_ first: ActuatorConfiguration) -> ExpectedDrive {
        ExpectedDrive(events, ticks) { first.tapLength(sharpness: $0) }
    }
}
